// Calls of arrays for DevicePoints and a DeviceMask, whose lists are in the array's own memory space.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <tessera/array/any_array.hpp>
#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/array/detail/elements.hpp>
#include <tessera/array/detail/fill_selected.hpp>
#include <tessera/array/detail/invalid_call.hpp>
#include <tessera/array/detail/selection.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/buffer/concept.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// Errors name the array.
template <class Sel, class S, class P>
auto found_to_read(AnyArray<S, P> const& array, Sel const& selection) {
  return in_document(array.store(), array.document(), [&] { return selection.found_to_read(array); });
}
template <class Sel, class S, class P>
auto found_to_write(AnyArray<S, P> const& array, Sel const& selection) {
  return in_document(array.store(), array.document(), [&] { return selection.found_to_write(array); });
}
// Memory for as many elements.
template <class S, class P, class M>
StridedSpan<typename P::array_space> destination_of(AnyArray<S, P> const& array, M& memory, std::uint64_t count) {
  return in_document(array.store(), array.document(), [&]() -> StridedSpan<typename P::array_space> {
    auto const view = caller_view<1>(memory, Extents{count});
    auto const layout = view.layout();
    expect_apart(layout.shape, layout.strides);
    return {reinterpret_cast<std::byte*>(view.data), layout.strides};
  });
}
template <class S, class P, class M>
StridedView<typename P::array_space> source_of(AnyArray<S, P> const& array, M const& memory, std::uint64_t count) {
  return in_document(array.store(), array.document(), [&]() -> StridedView<typename P::array_space> {
    auto const view = caller_view<1>(memory, Extents{count});
    return {reinterpret_cast<std::byte const*>(view.data), view.layout().strides};
  });
}

template <class T, class Sel, class S, class P, class M>
auto read_elsewhere(AnyArray<S, P> const& array, Sel const& selection, M&& to, ReadOptions const& options) {
  using Space = typename P::array_space;
  if constexpr (!Sel::template check_space<Space>()) {
    return InvalidCall<T>{};
  } else if constexpr (check_destination<T, 1, Space, std::remove_reference_t<M>>()) {
    auto const found = found_to_read(array, selection);
    return found.read_into(array, ElementsOf<T>::placed(destination_of(array, to, found.count())), options);
  } else {
    return InvalidCall<T>{};
  }
}

template <class B, class Space>
consteval bool check_buffer_elsewhere() {
  constexpr bool is_reached = [] {
    if constexpr (AllocatableBuffer<B>)
      return is_worked_on_in<typename B::space_type, Space>;
    else
      return false;
  }();
  static_assert(is_reached,
                "tessera: DevicePoints and a DeviceMask are read into buffers that the device can access: omit the "
                "type for a DeviceBuffer, or name PinnedBuffer or ManagedBuffer; read_as<float>(array, points) "
                "converts numbers");
  return is_reached;
}

/// Into new buffers B. If the host can touch them, the elements are there when the call returns.
template <class T, class B, class Sel, class S, class P>
auto read_new_elsewhere(AnyArray<S, P> const& array, Sel const& selection, ReadOptions const& options) {
  using Space = typename P::array_space;
  if constexpr (!Sel::template check_space<Space>()) {
    return InvalidCall<T>{};
  } else if constexpr (check_buffer_elsewhere<B, Space>()) {
    auto const found = found_to_read(array, selection);
    OwnedArray<T, 1, B> result{Extents{found.count()}, queue_in<typename B::space_type>(array.queue())};
    StridedSpan<Space> const there{reinterpret_cast<std::byte*>(result.data()), {sizeof(T)}};
    auto pending = found.read_into(array, ElementsOf<T>::placed(there), options);
    if constexpr (B::space_type::host_accessible)
      pending.wait();
    else
      pending.detach();
    return result;
  } else {
    return InvalidCall<T>{};
  }
}

template <class T, class Sel, class S, class P, class M>
auto write_elsewhere(AnyArray<S, P> const& array, Sel const& selection, M const& from, WriteOptions const& options) {
  using Space = typename P::array_space;
  if constexpr (!Sel::template check_space<Space>()) {
    return InvalidCall<T>{};
  } else if constexpr (check_writable<S>() && check_memory<T, 1, Space, M const>()) {
    auto const found = found_to_write(array, selection);
    return found.write_from(array, ElementsOf<T>::placed(source_of(array, from, found.count())), options);
  } else {
    return InvalidCall<T>{};
  }
}

template <class T, class Sel, class S, class P>
auto fill_elsewhere(AnyArray<S, P> const& array, Sel const& selection, T const& value, WriteOptions const& options) {
  if constexpr (!Sel::template check_space<typename P::array_space>()) {
    return InvalidCall<T>{};
  } else if constexpr (check_writable<S>()) {
    auto const found = found_to_write(array, selection);
    return fill_by(array, 1, value, [&](auto const& same) { return found.write_from(array, same, options); });
  } else {
    return InvalidCall<T>{};
  }
}

}}}  // namespace tessera::v0::detail
