// Braced initialization of Values.
#pragma once
#include <initializer_list>
#include <type_traits>
#include <utility>

#include <tessera/core/detail/value_types.hpp>

namespace tessera { inline namespace v0 {

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

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/core/detail/value_braces.ipp>
#endif
