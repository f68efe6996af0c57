// append_block: the caller's memory as the last indices of an array.
#pragma once
#include <cstddef>

#include <tessera/array/any_array.hpp>
#include <tessera/array/detail/append.hpp>
#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/array/detail/elements.hpp>
#include <tessera/array/detail/invalid_call.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <class T, std::size_t Rank, class S, class P, class M>
auto append_block(AnyArray<S, P> const& array, M const& from, std::size_t axis, WriteOptions const& options) {
  using Space = typename P::array_space;
  if constexpr (check_writable<S>() && check_memory<T, Rank, Space, M const>()) {
    auto const of_this = [&](auto&& f) { return in_document(array.store(), array.document(), f); };
    auto const block = of_this([&] { return block_of<Rank>(from, array.shape(), axis); });
    auto const view = of_this([&] { return caller_view<Rank>(from, block); });
    StridedView<Space> const there{reinterpret_cast<std::byte const*>(view.data), view.layout().strides};
    return array.append_from(axis, block, ElementsOf<T>::placed(there), options);
  } else {
    return InvalidCall<T>{};
  }
}

}}}  // namespace tessera::v0::detail
