// store_of: a LocalStore<HostBuffer> for a folder's name given in place of a store.
#pragma once
#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/local_store.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Text or a std::filesystem::path.
template <class S>
concept FolderName = std::convertible_to<S const&, std::string> && !requires {
  typename S::buffer_type;
}
&&!was_refused<S>();

template <class S>
S const& store_of(S const& store) {
  return store;
}
template <FolderName S>
LocalStore<HostBuffer> store_of(S const& folder) {
  return LocalStore<HostBuffer>{std::string(folder)};
}
template <class S>
using store_of_t = std::remove_cvref_t<decltype(store_of(std::declval<S const&>()))>;

}}}  // namespace tessera::v0::detail
