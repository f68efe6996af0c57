// read_owned and read_across: a selection of an array in new memory.
#pragma once
#include <concepts>
#include <cstddef>
#include <utility>

#include <tessera/array/any_array.hpp>
#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/array/detail/elements.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/view/detail/layout.hpp>
#include <tessera/view/detail/resolved_selection.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// Host memory is filled through codecs on the host, whatever the array's space.
template <class T, std::size_t Rank, class Space, class Memory>
consteval bool check_new_memory() {
  if constexpr (is_of_the_host_alone<Memory, Space>)
    return true;
  else
    return check_destination<T, Rank, Space, ArrayView<T, Rank, Memory>>();
}

/// Reads into an array of the selection's shape. If the host can touch it, its elements are there when the call
/// returns.
template <class T, std::size_t Rank, class B, class S, class P>
void read_owned(AnyArray<S, P> const& array, ResolvedSelection const& selected, OwnedArray<T, Rank, B>& result,
                ReadOptions const& options) {
  using Space = typename P::array_space;
  auto* const data = reinterpret_cast<std::byte*>(result.data());
  auto const strides = Layout::c_order(selected.shape, sizeof(T)).strides;
  if constexpr (is_of_the_host_alone<typename B::space_type, Space>) {
    if constexpr (check_host_route<S, P>())
      array.template through<space::Host>().read(selected, {data, strides}, options);
  } else {
    StridedSpan<Space> const there{data, strides};
    if constexpr (std::same_as<Space, space::Host>) {
      array.read_into(selected, ElementsOf<T>::placed(there), options);
    } else {
      auto pending = array.read_into(selected, ElementsOf<T>::placed(there), options);
      if constexpr (B::space_type::host_accessible)
        pending.wait();
      else
        pending.detach();
    }
  }
}

/// A new array of buffers B in the order of the array's queue, with the selected elements.
template <class T, std::size_t Rank, class B, class S, class P>
OwnedArray<T, Rank, B> read_new(AnyArray<S, P> const& array, ResolvedSelection const& selected,
                                ReadOptions const& options) {
  using Memory = typename B::space_type;
  OwnedArray<T, Rank, B> result{selected.shape, queue_in<Memory>(array.queue())};
  if constexpr (check_new_memory<T, Rank, typename P::array_space, Memory>())
    read_owned(array, selected, result, options);
  return result;
}

// Buffers of another space, used in the order of that space's queue, for an array that is decoded in host memory.
template <class B, class Q, class Space>
concept AcrossFromHost = std::same_as<Space, space::Host> && is_queue<Q> && !std::same_as<Q, Queue<space::Host>> &&
                         AllocatableBuffer<B> && !std::same_as<typename B::space_type, space::Host>;

/// Decodes into host memory on the array's own queue; all of it then crosses in one copy, in the order of `on`.
template <class T, std::size_t Rank, class B, class S, class P, class Q>
OwnedArray<T, Rank, B> read_across(AnyArray<S, P> const& array, ResolvedSelection const& selected, Q& on,
                                   ReadOptions const& options) {
  using Space = typename B::space_type;
  OwnedArray<T, Rank, B> result{selected.shape, queue_in<Space>(on)};
  if constexpr (check_crossing<Space, space::Host>()) {
    OwnedArray<T, Rank, HostBuffer> here{selected.shape, array.queue()};
    read_owned(array, selected, here, options);
    auto const bytes = static_cast<std::size_t>(here.size()) * sizeof(T);
    crossing<Space, space::Host>::copy({reinterpret_cast<std::byte const*>(here.data()), bytes},
                                       {reinterpret_cast<std::byte*>(result.data()), bytes}, on);
    on.keep(std::move(here));
    if constexpr (Space::host_accessible) on.wait();
  }
  return result;
}

}}}  // namespace tessera::v0::detail
