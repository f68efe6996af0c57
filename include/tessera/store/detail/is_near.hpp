// is_near: whether many small requests suit a store, as memory and files, or few large ones.
#pragma once
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/lend.hpp>
#include <tessera/store/detail/read_request.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Whether a request costs little apart from its bytes; threads then share work by making many. False by default for a
/// user's store, which may be behind a network.
template <class S>
bool is_near([[maybe_unused]] S const& store) {
  if constexpr (requires { store.is_near(); })
    return store.is_near();
  else if constexpr (requires { store.chunk_store(); })
    return is_near(store.chunk_store());
  else if constexpr (requires { store.source(); })
    return is_near(store.source());
  else
    return LendingStore<S> || ReadsInTurn<S>;
}

}}}  // namespace tessera::v0::detail
