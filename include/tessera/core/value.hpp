// What a metadata document or a codec's configuration can say, apart from how it is written down: so that no codec sees
// JSON.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/printable.hpp>
#include <tessera/core/text.hpp>

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

/// null, a bool, a Number, a string, a List or Members. Not a std::variant: that costs every program half a second of
/// compiling.
class Value {
 public:
  Value() = default;
  Value(bool b) : kind_{Kind::boolean}, boolean_{b} {}
  Value(Number n) : kind_{Kind::number}, scalar_{std::move(n)} {}
  Value(std::string s) : kind_{Kind::string}, scalar_{std::move(s)} {}
  Value(char const* s) : Value{std::string{s}} {}
  Value(List list) : kind_{Kind::list}, list_(std::move(list)) {}  // braces would make a list of one list
  Value(Members members) : kind_{Kind::members}, members_{std::move(members)} {}
  static Value integer(long long n) { return Number{text({n})}; }

  /// The alternative if it is that one, else null: `if (auto* text = value.get_if<std::string>())`.
  template <class T>
  T const* get_if() const {
    return const_cast<Value&>(*this).get_if<T>();
  }
  template <class T>
  T* get_if() {
    if constexpr (std::is_same_v<T, bool>)
      return kind_ == Kind::boolean ? &boolean_ : nullptr;
    else if constexpr (std::is_same_v<T, Number>)
      return kind_ == Kind::number ? &scalar_ : nullptr;
    else if constexpr (std::is_same_v<T, std::string>)
      return kind_ == Kind::string ? &scalar_.text : nullptr;
    else if constexpr (std::is_same_v<T, List>)
      return kind_ == Kind::list ? &list_ : nullptr;
    else
      return kind_ == Kind::members ? &members_ : nullptr;
  }
  bool is_null() const { return kind_ == Kind::null; }

  friend bool operator==(Value const& a, Value const& b);  // defaulted, nvcc would complete Member too early

 private:
  enum class Kind : unsigned char { null, boolean, number, string, list, members };
  Kind kind_ = Kind::null;
  bool boolean_ = false;
  Number scalar_;
  List list_;
  Members members_;
};
inline bool operator==(Value const& a, Value const& b) {
  return a.kind_ == b.kind_ && a.boolean_ == b.boolean_ && a.scalar_ == b.scalar_ && a.list_ == b.list_ &&
         a.members_ == b.members_;
}

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
    auto const shown = detail::beginning(*s, 60);
    return text({"\"", printable(shown), shown.size() < s->size() ? "...\"" : "\""});
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
