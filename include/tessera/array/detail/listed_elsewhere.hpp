// Calls of arrays for DevicePoints and a DeviceMask, whose lists are in the array's own memory space.
#pragma once
#include <cstddef>
#include <type_traits>

#include <tessera/array/any_array.hpp>
#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/array/detail/elements.hpp>
#include <tessera/array/detail/invalid_call.hpp>
#include <tessera/array/detail/selection.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <class T, class Sel, class S, class P, class M>
auto read_elsewhere(AnyArray<S, P> const& array, Sel const& selection, M&& to, ReadOptions const& options) {
  using Space = typename P::array_space;
  auto const of_this = [&](auto&& f) { return in_document(array.store(), array.document(), f); };
  if constexpr (!Sel::template check_space<Space>()) {
    return InvalidCall<T>{};
  } else if constexpr (check_destination<T, 1, Space, std::remove_reference_t<M>>()) {
    auto const found = of_this([&] { return selection.found_to_read(array); });
    auto const view = of_this([&] { return caller_view<1>(to, Extents{found.count()}); });
    of_this([&] { expect_apart(view.layout().shape, view.layout().strides); });
    StridedSpan<Space> const there{reinterpret_cast<std::byte*>(view.data), view.layout().strides};
    return found.read_into(array, ElementsOf<T>::placed(there), options);
  } else {
    return InvalidCall<T>{};
  }
}

template <class T, class Sel, class S, class P>
auto read_new_elsewhere(AnyArray<S, P> const& array, Sel const& selection, ReadOptions const& options) {
  using Space = typename P::array_space;
  if constexpr (Sel::template check_space<Space>()) {
    auto const found =
        in_document(array.store(), array.document(), [&] { return selection.found_to_read(array); });
    OwnedArray<T, 1, elements_buffer<T, Space>> result{Extents{found.count()}, array.queue()};
    StridedSpan<Space> const there{reinterpret_cast<std::byte*>(result.data()), {sizeof(T)}};
    found.read_into(array, ElementsOf<T>::placed(there), options).detach();
    return result;
  } else {
    return InvalidCall<T>{};
  }
}

template <class T, class Sel, class S, class P, class M>
auto write_elsewhere(AnyArray<S, P> const& array, Sel const& selection, M const& from, WriteOptions const& options) {
  using Space = typename P::array_space;
  auto const of_this = [&](auto&& f) { return in_document(array.store(), array.document(), f); };
  if constexpr (!Sel::template check_space<Space>()) {
    return InvalidCall<T>{};
  } else if constexpr (check_writable<S>() && check_memory<T, 1, Space, M const>()) {
    auto const found = of_this([&] { return selection.found_to_write(array); });
    auto const view = of_this([&] { return caller_view<1>(from, Extents{found.count()}); });
    StridedView<Space> const there{reinterpret_cast<std::byte const*>(view.data), view.layout().strides};
    return found.write_from(array, ElementsOf<T>::placed(there), options);
  } else {
    return InvalidCall<T>{};
  }
}

}}}  // namespace tessera::v0::detail
