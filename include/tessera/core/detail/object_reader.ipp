#pragma once
#include <tessera/core/object_reader.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/value.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL void MemberValue::refuse(std::string_view expected) const {
  throw MetadataError{to_text({where_.empty() ? "" : "member ", where_, where_.empty() ? "found " : ": found ",
                               describe(*value_), ", expected ", expected})};
}

TESSERA_DECL bool MemberValue::boolean() const {
  if (auto* b = value_->get_if<bool>()) return *b;
  refuse("true or false");
}

TESSERA_DECL std::string const& MemberValue::string() const {
  if (auto* s = value_->get_if<std::string>()) return *s;
  refuse("a string");
}

TESSERA_DECL std::string const& MemberValue::one_of(std::initializer_list<char const*> choices) const {
  std::string expected;
  for (auto* choice : choices) {
    if (auto* s = value_->get_if<std::string>(); s && *s == choice) return *s;
    expected += to_text({expected.empty() ? "\"" : " or \"", choice, "\""});
  }
  refuse(expected);
}

TESSERA_DECL List const& MemberValue::list() const {
  if (auto* list = value_->get_if<List>()) return *list;
  refuse("a list");
}

TESSERA_DECL List const& MemberValue::list(std::size_t most, std::string_view items) const {
  if (list().size() > most) refuse(to_text({"at most ", most, " ", items}));
  return list();
}

TESSERA_DECL MemberValue MemberValue::item(std::size_t i) const { return {list()[i], to_text({where_, "[", i, "]"})}; }

TESSERA_DECL Extents MemberValue::extents(std::uint64_t least) const {
  Extents result;
  auto const size = list(max_rank, "dimensions").size();
  for (std::size_t i = 0; i < size; ++i)
    result.push_back(item(i).integer<std::uint64_t>(least, std::numeric_limits<std::int64_t>::max()));
  return result;
}

TESSERA_DECL ObjectReader::ObjectReader(MemberValue object) : object_{std::move(object)} {
  members_ = object_.value().get_if<Members>();
  if (!members_) object_.refuse("an object");
  seen_.resize(members_->size());
}

TESSERA_DECL std::optional<MemberValue> ObjectReader::find(std::string_view name) {
  for (std::size_t i = 0; i < members_->size(); ++i)
    if ((*members_)[i].name == name) {
      seen_[i] = 1;
      return MemberValue{(*members_)[i].value, path(name)};
    }
  return std::nullopt;
}

TESSERA_DECL MemberValue ObjectReader::at(std::string_view name) {
  if (auto found = find(name)) return *std::move(found);
  throw MetadataError{to_text({"member ", path(name), " is missing"})};
}

TESSERA_DECL void ObjectReader::drop_null(std::string_view name) {
  for (std::size_t i = 0; i < members_->size(); ++i)
    if ((*members_)[i].name == name && (*members_)[i].value.is_null()) seen_[i] = 1;
}

TESSERA_DECL std::vector<Member const*> ObjectReader::rest() const {
  std::vector<Member const*> unseen;
  for (std::size_t i = 0; i < members_->size(); ++i)
    if (!seen_[i]) unseen.push_back(&(*members_)[i]);
  return unseen;
}

TESSERA_DECL void ObjectReader::finish(std::string_view whose) const {
  for (auto* member : rest()) {
    auto const what = to_text({"member ", describe(member->name)});
    throw MetadataError{whose.empty() ? what : to_text({"codec ", describe(std::string{whose}), " with ", what}),
                        to_text({"member ", path(member->name), " is unknown"})};
  }
}

TESSERA_DECL std::string ObjectReader::path(std::string_view name) const {
  return object_.where().empty() ? std::string{name} : to_text({object_.where(), ".", name});
}

TESSERA_DECL Specification specification(MemberValue const& found) {
  if (auto* name = found.value().get_if<std::string>()) return {*name};
  ObjectReader reader{found};
  Specification result{reader.at("name").string()};
  if (auto configuration = reader.find("configuration")) {
    if (!configuration->value().get_if<Members>()) configuration->refuse("an object");
    result.configuration = configuration->value();
  }
  if (auto must = reader.find("must_understand")) (void)must->boolean();
  reader.finish();
  return result;
}

TESSERA_DECL Value to_value(Specification const& specification) {
  Members members{{"name", specification.name}};
  bool const is_needed = specification.name.starts_with("numcodecs.") || specification.name.starts_with("vlen-");
  if (auto* configuration = specification.configuration.get_if<Members>();
      configuration && (is_needed || !configuration->empty()))
    members.push_back({"configuration", specification.configuration});
  return members;
}

}}  // namespace tessera::v0
