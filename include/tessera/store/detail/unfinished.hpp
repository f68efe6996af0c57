// Optional members of stores of files: links, and leftovers of writers that ended early.
#pragma once
#include <cstddef>
#include <string_view>

#include <tessera/store/concept.hpp>
#include <tessera/store/detail/local_options.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// As list(), but shows links themselves and nothing behind them.
template <class S>
void list_own(S const& store, std::string_view prefix, Visitor visit) {
  if constexpr (requires { store.list_own(prefix, visit); })
    store.list_own(prefix, visit);
  else
    store.list(prefix, visit);
}

template <class S>
void list_unfinished([[maybe_unused]] S const& store, [[maybe_unused]] std::string_view prefix,
                     [[maybe_unused]] Visitor visit) {
  if constexpr (requires { store.list_unfinished(prefix, visit); }) store.list_unfinished(prefix, visit);
}

// Returns the number erased.
template <class S>
std::size_t erase_unfinished([[maybe_unused]] S const& store, [[maybe_unused]] std::string_view prefix) {
  if constexpr (requires { store.erase_unfinished(prefix); })
    return store.erase_unfinished(prefix);
  else
    return 0;
}

// Throws: StoreError, if the entry is a link behind which the store may hide keys.
template <class S>
void expect_no_link(S const& store, Listed const& entry) {
  if (entry.link != Link::to_keys) return;
  StoreError error{links_are_refused};
  error.in_key(entry.path).in_store(name_of(store));
  throw error;
}

}  // namespace detail
}}  // namespace tessera::v0
