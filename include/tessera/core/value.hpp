// What a metadata document or a codec's configuration can say, apart from how it is written down: so that no codec sees
// JSON.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tessera/core/config.hpp>

namespace tessera::inline v0 {

/// A number as it was written: 64-bit integers and shortest decimals survive, nothing goes through double.
struct Number {
  std::string text;
  friend bool operator==(Number const&, Number const&) = default;
};

template <class V>
struct Named {
  std::string name;
  V value;
  friend bool operator==(Named const&, Named const&) = default;
};

class Value;
using Member = Named<Value>;  // a template, for Value is not complete before it
using List = std::vector<Value>;
using Members = std::vector<Member>;  // in the order of the document

class Value {
 public:
  Value() = default;
  Value(bool b) : value_{b} {}
  Value(Number n) : value_{std::move(n)} {}
  Value(std::string s) : value_{std::move(s)} {}
  Value(char const* s) : value_{std::string{s}} {}
  Value(List list) : value_{std::move(list)} {}
  Value(Members members) : value_{std::move(members)} {}
  static Value integer(long long n) { return Number{std::to_string(n)}; }

  /// The alternative if it is that one, else null: `if (auto* text = value.get_if<std::string>())`.
  template <class T>
  T const* get_if() const {
    return std::get_if<T>(&value_);
  }
  template <class T>
  T* get_if() {
    return std::get_if<T>(&value_);
  }
  bool is_null() const { return value_.index() == 0; }

  friend bool operator==(Value const& a, Value const& b);  // defaulted, nvcc would complete Member too early

 private:
  std::variant<std::monostate, bool, Number, std::string, List, Members> value_;
};
inline bool operator==(Value const& a, Value const& b) { return a.value_ == b.value_; }

/// One extension point of a document: a codec, a chunk grid, a key encoding (core specification, "Extension
/// definition").
struct Specification {
  std::string name;
  Value configuration = Members{};
};

/// A short form for messages: long lists and objects are named, not spelled out.
inline std::string describe(Value const& value) {
  if (auto* b = value.get_if<bool>()) return *b ? "true" : "false";
  if (auto* n = value.get_if<Number>()) return n->text.size() > 60 ? n->text.substr(0, 60) + "..." : n->text;
  if (auto* s = value.get_if<std::string>()) {
    std::string shown = "\"";
    for (char c : std::string_view{*s}.substr(0, 60)) shown += static_cast<unsigned char>(c) < ' ' ? '?' : c;
    return shown + (s->size() > 60 ? "...\"" : "\"");
  }
  if (auto* list = value.get_if<List>()) {
    if (list->size() > 8) return "a list of " + std::to_string(list->size()) + " values";
    std::string text = "[";
    for (auto const& item : *list)
      text += (text.size() > 1 ? ", " : "") + (item.get_if<List>() ? "[...]" : describe(item));
    return text + "]";
  }
  return value.is_null() ? "null" : "an object";
}

}  // namespace tessera::inline v0
