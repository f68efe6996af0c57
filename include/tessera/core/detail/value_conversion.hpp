// Conversion between Values and C++ types.
// Lookup in Values by name and index, and their description in error messages.
// Braced initialization of Values.
#pragma once
#include <concepts>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/decimal.hpp>
#include <tessera/core/detail/value_traits.hpp>
#include <tessera/core/detail/value_types.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {

/// A short form for messages: long lists and objects are abbreviated.
TESSERA_DECL std::string describe(Value const& value);

namespace detail {

// One element of a braced list.
struct Item {
  Item() : value(Members{}) {}
  template <class T>
  Item(T const& from) : value(from) {}
  Item(std::initializer_list<Member> object) : value(Members(object)) {}
  template <class I = Item>  // a template, so that an object is preferred
  Item(std::initializer_list<std::type_identity_t<I>> items) : value(list_of(items)) {}

  static List list_of(std::initializer_list<Item> items);

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

namespace detail {

// The value as T; an error starts with its place.
template <class T, class Place>
T value_as(Value const& value, Place&& place) try {
  return value.template as<T>();
} catch (MetadataError const& error) {
  throw MetadataError{to_text({place(), ": ", error.what()})};
}
TESSERA_DECL std::string member_named(std::string_view name);

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
    *this = Number{to_text({from})};
  } else if constexpr (detail::HasValueTraits<T>) {
    *this = value_traits<T>::to_value(from);
  } else if constexpr (std::is_convertible_v<T const&, std::string_view>) {
    *this = std::string{std::string_view{from}};
  } else if constexpr (detail::ValueRange<T>) {
    kind_ = Kind::list;
    for (auto const& item : from) list_.emplace_back(item);
  } else {
    static_assert(detail::is_number<T>,
                  "tessera: this type does not convert to a Value: use a bool, a number, text of char, Members, a "
                  "List, a range of these, or a type with value_traits; a character is not a number, and a pointer has "
                  "no value in a document");
  }
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
    if (!is_finite && !is_word) refuse(to_text({"a number within the range of a float of ", sizeof(T), " bytes"}));
    return number;
  } else if constexpr (detail::is_number<T>) {
    T number{};
    if (kind_ != Kind::number || !detail::parse_integer(scalar_.text, number))
      refuse(to_text({"an integer from ", std::numeric_limits<T>::min(), " to ", std::numeric_limits<T>::max()}));
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
      all.push_back(detail::value_as<typename T::value_type>(item, [&] { return to_text({"item ", all.size()}); }));
    return all;
  } else {
    static_assert(detail::is_vector<T>,
                  "tessera: as<T>() returns a bool, a number, std::string, Number, List, Members, a std::vector of "
                  "these, or a type with value_traits");
    refuse("another type");
  }
}

template <detail::HasValueTraits T>
Members::Members(T const& object) : Members{value_traits<T>::to_value(object).template as<Members>()} {}

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

#if !defined(TESSERA_SEPARATE)
#include <tessera/core/detail/value_conversion.ipp>
#endif
