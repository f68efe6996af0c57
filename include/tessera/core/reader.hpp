// Reads a Value member by member, so that every error names the member, what was found and what was expected, and no
// member goes unnoticed. Documents and the configurations of codecs are read with the same few functions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/decimal.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/core/value.hpp>

namespace tessera { inline namespace v0 {

/// A value and where it stands. The value must outlive it.
class MemberValue {
 public:
  MemberValue(Value const& value, std::string where) : value_{&value}, where_{std::move(where)} {}

  Value const& value() const { return *value_; }
  std::string const& where() const { return where_; }

  [[noreturn]] void refuse(std::string_view expected) const {
    throw MetadataError{text({where_.empty() ? "" : "member ", where_, where_.empty() ? "found " : ": found ",
                              describe(*value_), ", expected ", expected})};
  }

  bool boolean() const {
    if (auto* b = value_->get_if<bool>()) return *b;
    refuse("true or false");
  }
  std::string const& string() const {
    if (auto* s = value_->get_if<std::string>()) return *s;
    refuse("a string");
  }
  std::string const& one_of(std::initializer_list<char const*> choices) const {
    std::string expected;
    for (auto* choice : choices) {
      if (auto* s = value_->get_if<std::string>(); s && *s == choice) return *s;
      expected += text({expected.empty() ? "\"" : " or \"", choice, "\""});
    }
    refuse(expected);
  }
  /// An integer is written without fraction and exponent: 1.0 and 1e0 are none.
  template <class T = std::int64_t>
  T integer(T least = std::numeric_limits<T>::min(), T most = std::numeric_limits<T>::max()) const {
    using Widest = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<T>(between<Widest>(least, most));
  }
  List const& list() const {
    if (auto* list = value_->get_if<List>()) return *list;
    refuse("a list");
  }
  MemberValue item(std::size_t i) const { return {list()[i], text({where_, "[", i, "]"})}; }
  Extents extents(std::uint64_t least = 0) const {
    Extents result;
    if (list().size() > max_rank) refuse(text({"at most ", max_rank, " dimensions"}));
    for (std::size_t i = 0; i < list().size(); ++i)
      result.push_back(item(i).integer<std::uint64_t>(least, std::numeric_limits<std::int64_t>::max()));
    return result;
  }

 private:
  template <class T>
  T between(T least, T most) const {
    T result{};
    if (auto* n = value_->get_if<Number>(); n && detail::parse_integer(n->text, result))
      if (least <= result && result <= most) return result;
    refuse(text({"an integer from ", least, " to ", most}));
  }

  Value const* value_;
  std::string where_;
};

class ObjectReader {
 public:
  /// Throws: MetadataError, if the value is not an object. `who` asks: members are named after it.
  explicit ObjectReader(MemberValue object) : object_{std::move(object)} {
    members_ = object_.value().get_if<Members>();
    if (!members_) object_.refuse("an object");
    seen_.resize(members_->size());
  }
  ObjectReader(Value const& object, std::string where) : ObjectReader{MemberValue{object, std::move(where)}} {}

  std::optional<MemberValue> find(std::string_view name) {
    for (std::size_t i = 0; i < members_->size(); ++i)
      if ((*members_)[i].name == name) {
        seen_[i] = 1;
        return MemberValue{(*members_)[i].value, path(name)};
      }
    return std::nullopt;
  }
  MemberValue at(std::string_view name) {
    if (auto found = find(name)) return *std::move(found);
    throw MetadataError{text({"member ", path(name), " is missing"})};
  }
  Value const& value() const { return object_.value(); }
  /// The members that no call has asked for.
  std::vector<Member const*> rest() const {
    std::vector<Member const*> unseen;
    for (std::size_t i = 0; i < members_->size(); ++i)
      if (!seen_[i]) unseen.push_back(&(*members_)[i]);
    return unseen;
  }
  /// Throws: MetadataError, naming a member that no call has asked for.
  void finish() const {
    for (auto* member : rest()) throw MetadataError{text({"member ", path(member->name), " is unknown"})};
  }

 private:
  std::string path(std::string_view name) const {
    return object_.where().empty() ? std::string{name} : text({object_.where(), ".", name});
  }

  MemberValue object_;
  Members const* members_;
  std::string seen_;  // a character for each member: not 0, if it was asked for
};

/// An extension definition: a string, or an object with `name` and perhaps `configuration`.
inline Specification specification(MemberValue const& found) {
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

/// A name and its configuration as an object, without the configuration where it is empty; but zarr-python reads no
/// codec of numcodecs without one.
inline Value to_value(Specification const& specification) {
  Members members{{"name", specification.name}};
  bool const is_needed = specification.name.starts_with("numcodecs.") || specification.name.starts_with("vlen-");
  if (auto* configuration = specification.configuration.get_if<Members>();
      configuration && (is_needed || !configuration->empty()))
    members.push_back({"configuration", specification.configuration});
  return members;
}

}}  // namespace tessera::v0
