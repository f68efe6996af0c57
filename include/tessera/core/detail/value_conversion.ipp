#pragma once
#include <tessera/core/detail/value_conversion.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/printable.hpp>
#include <tessera/core/detail/value_types.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL std::string describe(Value const& value) {
  if (auto* b = value.get_if<bool>()) return *b ? "true" : "false";
  if (auto* n = value.get_if<Number>()) return n->text.size() > 60 ? n->text.substr(0, 60) + "..." : n->text;
  if (auto* s = value.get_if<std::string>()) {
    auto const shown = detail::beginning(*s, 60);
    return to_text({"\"", printable(shown), shown.size() < s->size() ? "...\"" : "\""});
  }
  if (auto* list = value.get_if<List>()) {
    if (list->size() > 8) return "a list of " + std::to_string(list->size()) + " values";
    std::string text = "[";
    for (auto const& item : *list)
      text += (text.size() > 1 ? ", " : "") + (item.get_if<List>()      ? "[...]"
                                               : item.get_if<Members>() ? "{...}"
                                                                        : describe(item));
    return text + "]";
  }
  return value.is_null() ? "null" : "an object";
}

TESSERA_DECL void Value::refuse(std::string_view expected) const {
  throw MetadataError{to_text({"found ", describe(*this), ", expected ", expected})};
}

TESSERA_DECL Members const& Value::members() const {
  if (kind_ != Kind::members) refuse("an object");
  return members_;
}

TESSERA_DECL Value const& Value::at(std::size_t place) const& {
  if (kind_ != Kind::list) refuse("a list");
  if (place >= list_.size())
    throw MetadataError{to_text({"found index ", place, " in a list of ", list_.size(), " values"})};
  return list_[place];
}

TESSERA_DECL bool Value::is_same(Value const& b) const {
  return kind_ == b.kind_ && boolean_ == b.boolean_ && scalar_ == b.scalar_ && list_ == b.list_ &&
         members_ == b.members_;
}

TESSERA_DECL Value const* Members::find(std::string_view name) const& {
  for (auto const& member : *this)
    if (member.name == name) return &member.value;
  return nullptr;
}

TESSERA_DECL Value const& Members::at(std::string_view name) const& {
  if (auto* value = find(name)) return *value;
  std::string names;
  for (std::size_t i = 0; i < size() && i < 8; ++i) names += (i ? ", " : "") + describe((*this)[i].name);
  throw MetadataError{to_text({"member ", describe(std::string{name}), " is missing; there are ",
                               empty() ? "none" : names, size() > 8 ? ", ..." : ""})};
}

TESSERA_DECL Value Members::at(std::string_view name) const&& { return at(name); }

TESSERA_DECL Value const& Members::operator[](std::string_view name) const& { return at(name); }

TESSERA_DECL Value Members::operator[](std::string_view name) const&& { return at(name); }

TESSERA_DECL Value& Members::operator[](std::string_view name) & {
  if (auto* const found = find(name)) return const_cast<Value&>(*found);
  push_back({std::string{name}, Value{}});
  return back().value;
}

TESSERA_DECL Value& Value::operator[](std::string_view name) & {
  if (is_null()) *this = Members{};
  if (kind_ != Kind::members) refuse("an object");
  return members_[name];
}

TESSERA_DECL void Value::push_back(Value item) {
  if (is_null()) *this = List{};
  if (kind_ != Kind::list) refuse("a list");
  list_.push_back(std::move(item));
}

namespace detail {

TESSERA_DECL List Item::list_of(std::initializer_list<Item> items) {
  List list;
  for (auto const& item : items) list.push_back(item.value);
  return list;
}

TESSERA_DECL std::string member_named(std::string_view name) { return to_text({"member \"", name, "\""}); }

}  // namespace detail
}}  // namespace tessera::v0
