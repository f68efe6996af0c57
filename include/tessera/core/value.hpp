// What a metadata document or a codec's configuration can say, apart from how it is written down: so that no codec sees
// JSON.
#pragma once
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/decimal.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/printable.hpp>
#include <tessera/core/text.hpp>
#include <tessera/core/value_traits.hpp>

namespace tessera { inline namespace v0 {

/// A number as it was written: 64-bit integers and shortest decimals keep their digits, because nothing goes through
/// double.
struct Number {
  std::string text;
  friend bool operator==(Number const&, Number const&) = default;
};

namespace detail {
struct Item;

// What is text by itself: braces of two texts would be a string too, of all that lies from one to the other.
struct Name {
  template <class T>
  requires(std::convertible_to<T, std::string>) Name(T&& of) : text(std::forward<T>(of)) {}
  std::string text;
};
}  // namespace detail

/// A name and a value: `{"scale", 0.5}`. Braces of names with values are an object, `{"ome", {{"version", "0.5"}}}`,
/// and so are empty braces; other braces are a list, `{"axes", {"y", "x"}}`, also of one element.
template <class V>
struct Named {
  std::string name;
  V value;

  template <class T>  // a template, so that braces are no part of it
  Named(detail::Name of, T&& what) : name{std::move(of.text)}, value(std::forward<T>(what)) {}
  Named(detail::Name of, std::initializer_list<Named> object);
  template <class I = detail::Item>  // a template, so that an object is preferred
  Named(detail::Name of, std::initializer_list<std::type_identity_t<I>> list);

  friend bool operator==(Named const&, Named const&) = default;
};

class Value;
using Member = Named<Value>;  // a template, for Value is not complete before it
using List = std::vector<Value>;

/// The members of an object, in the order of the document. Attributes are these: `{{"unit", "mm"}, {"scale", 0.5}}`.
class Members : public std::vector<Member> {
 public:
  using vector::vector;
  /// Throws: MetadataError, if it is no object.
  template <detail::HasValueTraits T>
  Members(T const& object);

  /// Null, if there is none of that name.
  Value const* find(std::string_view name) const&;
  Value const* find(std::string_view name) const&& = delete;  // it would point to what is gone
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  using vector::at;
  /// Throws: MetadataError, if there is none of that name.
  Value const& at(std::string_view name) const&;
  Value at(std::string_view name) const&&;
  using vector::operator[];
  /// As at(); of Members that may change, a new member with null if there is none: `attributes["unit"] = "mm"`.
  Value const& operator[](std::string_view name) const&;
  Value operator[](std::string_view name) const&&;
  Value& operator[](std::string_view name) &;
  /// The value as a T. `attributes.get<double>("gain")` is `at("gain").as<double>()`, but an error names the member: a
  /// Value does not know its own name.
  template <class T>
  T get(std::string_view name) const;
  /// The value as a T, or `otherwise`, if there is no such member: `attributes.get("scale_factor", 1.0)`.
  template <class T>
  T get(std::string_view name, T otherwise) const;
  std::string get(std::string_view name, char const* otherwise) const { return get<std::string>(name, otherwise); }
  /// All of them, as `Value::as` gives it.
  template <class T>
  T as() const;
};

/// null, a bool, a Number, a string, a List or Members. It is not a std::variant, which costs every program half a
/// second of compiling.
class Value {
 public:
  Value() = default;
  Value(Number n) : kind_{Kind::number}, scalar_{std::move(n)} {}
  Value(std::string s) : kind_{Kind::string}, scalar_{std::move(s)} {}
  Value(char const* s) : Value{std::string{s}} {}
  Value(List list) : kind_{Kind::list}, list_(std::move(list)) {}  // braces would make a list of one list
  Value(Members members) : kind_{Kind::members}, members_{std::move(members)} {}
  /// A bool becomes a bool, a number the shortest decimal that reads back as the same (NaN and infinities become the
  /// words that Python writes), a range a list, and nullptr null. Anything else does not compile.
  template <class T>
  Value(T const& from);
  static Value integer(long long n) { return Number{text({n})}; }

  /// The alternative, if the value has it, else null: `if (auto* text = value.get_if<std::string>())`.
  template <class T>
  T const* get_if() const& {
    return const_cast<Value&>(*this).get_if<T>();
  }
  template <class T>
  T* get_if() & {
    if constexpr (std::is_same_v<T, bool>)
      return kind_ == Kind::boolean ? &boolean_ : nullptr;
    else if constexpr (std::is_same_v<T, Number>)
      return kind_ == Kind::number ? &scalar_ : nullptr;
    else if constexpr (std::is_same_v<T, std::string>)
      return kind_ == Kind::string ? &scalar_.text : nullptr;
    else if constexpr (std::is_same_v<T, List>)
      return kind_ == Kind::list ? &list_ : nullptr;
    else if constexpr (std::is_same_v<T, Members>)
      return kind_ == Kind::members ? &members_ : nullptr;
    else {
      static_assert(!sizeof(T*),
                    "tessera: a Value is null, a bool, a Number, a std::string, a List or Members: get_if<T>() gives "
                    "these alone, as<T>() converts");
      return nullptr;
    }
  }
  template <class T>
  T const* get_if() const&& {
    static_assert(!sizeof(T*),
                  "tessera: get_if() of a temporary Value points to what is gone: name the Value first, "
                  "or copy the alternative out of it, as<T>()");
    return nullptr;
  }
  bool is_null() const { return kind_ == Kind::null; }

  /// The value as a bool, a number, std::string, Number, List, Members, a std::vector of such, or a type that
  /// value_traits knows. An integer must be written without fraction and exponent, and fit the type; a decimal becomes
  /// the nearest number of the type. Throws: MetadataError, which says what was found; get<T>(name) also says where.
  template <class T>
  T as() const;

  /// A member of an object, or an item of a list. Throws: MetadataError, if the value is another kind, or has no such
  /// member or item.
  Value const& at(std::string_view name) const& { return members().at(name); }
  Value at(std::string_view name) const&& { return at(name); }
  Value const& at(std::size_t place) const&;
  Value at(std::size_t place) const&& { return at(place); }
  /// Likewise: `attributes["voxel"][0]`. Of a Value that may change, null becomes an object.
  Value const& operator[](std::string_view name) const& { return at(name); }
  Value operator[](std::string_view name) const&& { return at(name); }
  Value& operator[](std::string_view name) &;
  Value const& operator[](std::size_t place) const& { return at(place); }
  Value operator[](std::size_t place) const&& { return at(place); }
  Value& operator[](std::size_t place) & { return const_cast<Value&>(at(place)); }
  /// As Members::get.
  template <class T>
  T get(std::string_view name) const {
    return members().template get<T>(name);
  }
  template <class T>
  T get(std::string_view name, T otherwise) const {
    return members().get(name, std::move(otherwise));
  }
  std::string get(std::string_view name, char const* otherwise) const { return members().get(name, otherwise); }

  friend bool operator==(Value const& a, Value const& b) { return a.is_same(b); }  // found for a Value alone

 private:
  enum class Kind : unsigned char { null, boolean, number, string, list, members };

  bool is_same(Value const& other) const;  // defaulted, nvcc would complete Member too early
  [[noreturn]] void refuse(std::string_view expected) const;
  Members const& members() const;

  Kind kind_ = Kind::null;
  bool boolean_ = false;
  Number scalar_;
  List list_;
  Members members_;
};

namespace detail {

// What stands in the braces of a list.
struct Item {
  Item() : value(Members{}) {}
  template <class T>
  Item(T const& from) : value(from) {}
  Item(std::initializer_list<Member> object) : value(Members(object)) {}
  template <class I = Item>  // a template, so that an object is preferred
  Item(std::initializer_list<std::type_identity_t<I>> items) : value(list_of(items)) {}

  static List list_of(std::initializer_list<Item> items) {
    List list;
    for (auto const& item : items) list.push_back(item.value);
    return list;
  }

  Value value;
};

}  // namespace detail

template <class V>
Named<V>::Named(detail::Name of, std::initializer_list<Named> object)
    : name{std::move(of.text)}, value(Members(object)) {}
template <class V>
template <class I>
Named<V>::Named(detail::Name of, std::initializer_list<std::type_identity_t<I>> list)
    : name{std::move(of.text)}, value(I::list_of(list)) {}

inline bool Value::is_same(Value const& b) const {
  return kind_ == b.kind_ && boolean_ == b.boolean_ && scalar_ == b.scalar_ && list_ == b.list_ &&
         members_ == b.members_;
}

namespace detail {

// A value as T; an error says first where it stands.
template <class T, class Place>
T value_as(Value const& value, Place&& place) try {
  return value.template as<T>();
} catch (MetadataError const& error) {
  throw MetadataError{text({place(), ": ", error.what()})};
}
inline std::string member_named(std::string_view name) { return text({"member \"", name, "\""}); }

}  // namespace detail

template <class T>
Value::Value(T const& from) {
  if constexpr (std::is_null_pointer_v<T>) {
    kind_ = Kind::null;
  } else if constexpr (std::same_as<T, bool>) {
    kind_ = Kind::boolean;
    boolean_ = from;
  } else if constexpr (std::floating_point<T>) {
    *this = Number{detail::shortest_decimal(from)};
  } else if constexpr (detail::IsHalf<T>) {
    *this = Number{detail::shortest_decimal(+from)};
  } else if constexpr (detail::is_number<T>) {
    *this = Number{text({from})};
  } else if constexpr (detail::HasValueTraits<T>) {
    *this = value_traits<T>::to_value(from);
  } else if constexpr (std::is_convertible_v<T const&, std::string_view>) {
    *this = std::string{std::string_view{from}};
  } else if constexpr (detail::ValueRange<T>) {
    kind_ = Kind::list;
    for (auto const& item : from) list_.emplace_back(item);
  } else {
    static_assert(detail::is_number<T>,
                  "tessera: a Value is made of a bool, a number, text of char, Members, a List or a range of such, or "
                  "what value_traits knows; a character is no number, and a pointer is nothing that a document has");
  }
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
      text += (text.size() > 1 ? ", " : "") + (item.get_if<List>() ? "[...]" : item.get_if<Members>() ? "{...}" : describe(item));
    return text + "]";
  }
  return value.is_null() ? "null" : "an object";
}

inline void Value::refuse(std::string_view expected) const {
  throw MetadataError{text({"found ", describe(*this), ", expected ", expected})};
}
inline Members const& Value::members() const {
  if (kind_ != Kind::members) refuse("an object");
  return members_;
}
inline Value const& Value::at(std::size_t place) const& {
  if (kind_ != Kind::list) refuse("a list");
  if (place >= list_.size()) throw MetadataError{text({"place ", place, " of a list of ", list_.size(), " values"})};
  return list_[place];
}

template <class T>
T Value::as() const {
  if constexpr (detail::HasValueTraits<T>) {
    return value_traits<T>::from_value(*this);
  } else if constexpr (std::same_as<T, Value>) {
    return *this;
  } else if constexpr (std::floating_point<T>) {
    if (kind_ != Kind::number) refuse("a number");
    auto const number = detail::parse_decimal<T>(scalar_.text);
    bool const is_finite = number - number == 0, is_word = scalar_.text.ends_with('N') || scalar_.text.ends_with('y');
    if (!is_finite && !is_word) refuse(text({"a number within the range of ", sizeof(T), " bytes"}));
    return number;
  } else if constexpr (detail::is_number<T>) {
    T number{};
    if (kind_ != Kind::number || !detail::parse_integer(scalar_.text, number))
      refuse(text({"an integer from ", std::numeric_limits<T>::min(), " to ", std::numeric_limits<T>::max()}));
    return number;
  } else if constexpr (detail::IsHalf<T>) {
    return T{as<double>()};
  } else if constexpr (std::same_as<T, bool> || std::same_as<T, std::string> || std::same_as<T, Number> ||
                       std::same_as<T, List> || std::same_as<T, Members>) {
    if (auto* found = get_if<T>()) return *found;
    refuse(std::same_as<T, bool>          ? "true or false"
           : std::same_as<T, std::string> ? "a string"
           : std::same_as<T, Number>      ? "a number"
           : std::same_as<T, List>        ? "a list"
                                          : "an object");
  } else if constexpr (detail::is_vector<T>) {
    if (kind_ != Kind::list) refuse("a list");
    T all;
    for (auto const& item : list_)
      all.push_back(detail::value_as<typename T::value_type>(item, [&] { return text({"place ", all.size()}); }));
    return all;
  } else {
    static_assert(detail::is_vector<T>,
                  "tessera: as<T>() gives a bool, a number, std::string, Number, List, Members, a std::vector of such, "
                  "or what value_traits knows");
    refuse("another type");
  }
}

template <detail::HasValueTraits T>
Members::Members(T const& object) : Members{value_traits<T>::to_value(object).template as<Members>()} {}

inline Value const* Members::find(std::string_view name) const& {
  for (auto const& member : *this)
    if (member.name == name) return &member.value;
  return nullptr;
}
inline Value const& Members::at(std::string_view name) const& {
  if (auto* value = find(name)) return *value;
  std::string names;
  for (std::size_t i = 0; i < size() && i < 8; ++i) names += (i ? ", " : "") + describe((*this)[i].name);
  throw MetadataError{text({"member ", describe(std::string{name}), " is missing; there are ", empty() ? "none" : names,
                            size() > 8 ? ", ..." : ""})};
}
inline Value Members::at(std::string_view name) const&& { return at(name); }
inline Value const& Members::operator[](std::string_view name) const& { return at(name); }
inline Value Members::operator[](std::string_view name) const&& { return at(name); }
inline Value& Members::operator[](std::string_view name) & {
  if (auto* const found = find(name)) return const_cast<Value&>(*found);
  push_back({std::string{name}, Value{}});
  return back().value;
}
inline Value& Value::operator[](std::string_view name) & {
  if (is_null()) *this = Members{};
  if (kind_ != Kind::members) refuse("an object");
  return members_[name];
}
template <class T>
T Members::get(std::string_view name, T otherwise) const {
  auto const* const value = find(name);
  return value ? detail::value_as<T>(*value, [&] { return detail::member_named(name); }) : std::move(otherwise);
}
template <class T>
T Members::get(std::string_view name) const {
  return detail::value_as<T>(at(name), [&] { return detail::member_named(name); });
}
template <class T>
T Members::as() const {
  return Value{*this}.template as<T>();
}

}}  // namespace tessera::v0
