// at_key: adds key and store to errors, for every operation on a key.
#pragma once
#include <tessera/key/key.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Checks the key and returns f(). Errors name key and store.
template <class S, class F>
auto at_key(S const& store, Key const& key, F&& f) {
  try {
    check_key(key);
    return f();
  } catch (Error& error) {
    error.in_key(key.path).in_store(name_of(store));
    throw;
  }
}

}}}  // namespace tessera::v0::detail
