// Where an error happened, for the stores of tessera: every operation on a key goes through here.
#pragma once
#include <tessera/key/key.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// f(), once the key is found to be one. Its errors name the key and the store.
template <class S, class F>
auto at_key(S const& store, Key const& key, F&& f) {
  try {
    check(key);
    return f();
  } catch (Error& error) {
    error.in_key(key.path).in_store(name_of(store));
    throw;
  }
}

}}}  // namespace tessera::v0::detail
