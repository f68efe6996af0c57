// Whether a store is best asked often and for little, as memory and files are, or seldom and for much.
#pragma once
#include <tessera/store/concept.hpp>
#include <tessera/store/lend.hpp>
#include <tessera/store/read_request.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Whether a request costs little beside its bytes: then threads share work by making many. Of a store of a user's own
/// that is not so, for it may be one over a network.
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
