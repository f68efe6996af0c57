#pragma once
#include <tessera/core/detail/value_braces.hpp>

#include <initializer_list>

#include <tessera/core/detail/value_types.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL List Item::list_of(std::initializer_list<Item> items) {
  List list;
  for (auto const& item : items) list.push_back(item.value);
  return list;
}

}}}  // namespace tessera::v0::detail
