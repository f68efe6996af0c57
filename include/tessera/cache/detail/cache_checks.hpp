// expect_cached and compile-time checks: the arrays and spaces that a cache supports.
#pragma once
#include <concepts>

#include <tessera/array/any_array.hpp>
#include <tessera/array/detail/other_space.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/metadata/detail/node_document.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Throws: MetadataError, if the array's chunks are not all of one size.
template <class S, class P>
void expect_cached(AnyArray<S, P> const& array) {
  in_document(array.store(), array.document(), [&] {
    if (array.type().varies())
      throw MetadataError{to_text(
          {"member data_type: elements of ", array.type().name(), " vary in size, expected one size in a cache"})};
    if (!array.edges().empty())
      throw MetadataError{"member chunk_grid: found \"rectilinear\", expected chunks of one shape in a cache"};
  });
}

template <MemorySpace S, MemorySpace ArraySpace>
consteval bool check_cached_space() {
  constexpr bool is_there =
      std::same_as<S, space::Host> || (std::same_as<S, space::Device> && std::same_as<S, ArraySpace>);
  static_assert(is_there,
                "tessera: a cache keeps chunks in host memory, and in device memory only if the array is there: name "
                "space::Host, or open the array with a pipeline that begins in device memory");
  return is_there;
}

template <MemorySpace S, class State>
consteval bool check_written_back() {
  constexpr bool has_route = std::same_as<S, typename State::array_space> || State::has_host_route;
  static_assert(has_route,
                "tessera: chunks of this array reach the store only from the device: hold them for writing there with "
                "hold_for_writing<space::Device>");
  if constexpr (has_route)
    return check_writable<typename State::store_type>();
  else
    return false;
}

}}}  // namespace tessera::v0::detail
