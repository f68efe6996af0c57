// A selection of an array in new memory of the program's.
#pragma once
#include <concepts>
#include <cstddef>

#include <tessera/array/any_array.hpp>
#include <tessera/array/caller_memory.hpp>
#include <tessera/array/elements.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/transfer/read_options.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/view/layout.hpp>
#include <tessera/view/selected.hpp>
#include <tessera/view/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// The host's memory is filled through the host's codecs, whatever space the array is worked on in.
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
                typename P::queue_type& on, ReadOptions const& options) {
  using Space = typename P::array_space;
  auto* const data = reinterpret_cast<std::byte*>(result.data());
  auto const strides = Layout::c_order(selected.shape, sizeof(T)).strides;
  if constexpr (is_of_the_host_alone<typename B::space_type, Space>) {
    if constexpr (check_host_route<S, P>())
      array.template through<space::Host>().read(selected, {data, strides}, on.host(), options);
  } else {
    StridedSpan<Space> const there{data, strides};
    if constexpr (std::same_as<Space, space::Host>) {
      array.read_into(selected, ElementsOf<T>::placed(there), on, options);
    } else {
      auto pending = array.read_into(selected, ElementsOf<T>::placed(there), on, options);
      if constexpr (B::space_type::host_accessible)
        pending.wait();
      else
        pending.detach();
    }
  }
}

}}}  // namespace tessera::v0::detail
