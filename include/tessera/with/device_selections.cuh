// DevicePoints and DeviceMask: selections whose lists are in device memory, such as those that a kernel makes. Needs
// Thrust, from the CUDA toolkit (Apache-2.0), and nvcc.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <tessera/array/any_array.hpp>
#include <tessera/array/convert.cuh>
#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/point_table.hpp>
#include <tessera/plan/detail/chunk_runs.hpp>
#include <tessera/view/contiguous_memory.hpp>
#include <tessera/view/detail/layout.hpp>
#include <tessera/view/detail/resolved_selection.hpp>
#include <tessera/view/selections.hpp>
#include <tessera/with/detail/thrust/mask_points.cuh>
#include <tessera/with/detail/thrust/points_by_chunk.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

// Memory whose elements kernels reach.
template <class M>
concept DeviceMemory = CallerMemory<M const>::known && CallerMemory<M const>::space::device_accessible;

template <class M>
concept CoordinateMemory = DeviceMemory<M> && CallerMemory<M const>::rank == 2 &&
    std::same_as<std::remove_const_t<typename CallerMemory<M const>::element>, std::int64_t>;

template <class M>
concept DeviceMaskMemory = DeviceMemory<M> && MaskElement<typename CallerMemory<M const>::element>;

template <class Space>
consteval bool check_lists_on_device() {
  constexpr bool is_of_device = std::same_as<Space, space::Device>;
  static_assert(is_of_device,
                "tessera: DevicePoints and a DeviceMask select elements of an array in device memory: open it with a "
                "pipeline that begins in space::Device, or use Points or a Mask in host memory");
  return is_of_device;
}

}  // namespace detail

/// Points whose coordinates are in memory that the device can access: `array.read(DevicePoints{coordinates}, memory)`,
/// where `coordinates` is an ArrayView<std::int64_t, 2, space::Device> of any strides, an OwnedArray or an mdspan, with
/// a row for each point and a column for each dimension of the array. Points may be in any order and repeat. The
/// memory of the elements has one dimension, in the order of the points. `write`, `fill`, `read_as` and `write_as` take
/// them too.
///
/// A read or a write sorts the points by chunk on the device, in the order of the array's queue, and waits for a list
/// of the touched chunks, which is all that the host gets of the points: 16 bytes for each such chunk, and 16 or 20
/// more. A read then decodes each touched chunk whole, once. A write reads each, changes it and writes it back; if a
/// point repeats, the last element stays. Takes 4 bytes of device memory for each point, and several times as much
/// while it sorts. At most 2^32 - 1 points.
///
/// Refers to the coordinates, which a kernel of the same queue may write before. They are in use until the Pending of
/// the call is done. Each call throws: SelectionError naming the first point that lies outside the array, and the
/// dimension; DeviceError; as Array::read and write.
class DevicePoints {
 public:
  using list_space = space::Device;

  template <detail::CoordinateMemory M>
  explicit DevicePoints(M const& coordinates) {
    auto const view = detail::CallerMemory<M const>::template view<2>(coordinates, {});
    coordinates_ = {view.data, view.strides[0], view.strides[1]};
    count_ = view.shape[0];
    rank_ = view.shape[1];
  }
  template <class M>
  requires(!detail::CoordinateMemory<M> && !std::derived_from<M, DevicePoints>) explicit DevicePoints(M const&) {
    static_assert(detail::CoordinateMemory<M>,
                  "tessera: DevicePoints are a view of std::int64_t of two dimensions in device memory, with a row for "
                  "each point: ArrayView<std::int64_t, 2, space::Device>::c_order(data, {points, rank})");
  }

  /// Whether arrays of that space take the lists. If not, a compile error says so.
  template <class Space>
  static consteval bool check_space() {
    return detail::check_lists_on_device<Space>();
  }
  /// For Array::read. Throws: as above.
  template <class S, class P>
  auto found_to_read(AnyArray<S, P> const& array) const {
    return found_in(array, Repeats::all);
  }
  /// For Array::write. Throws: as above.
  template <class S, class P>
  auto found_to_write(AnyArray<S, P> const& array) const {
    return found_in(array, Repeats::last);
  }

 private:
  template <class S, class P>
  auto found_in(AnyArray<S, P> const& array, Repeats repeats) const {
    detail::expect_rank("coordinates", rank_, array.shape());
    return detail::find_selected(array, [&] {
      return detail::PointsByChunk{array, repeats, count_, coordinates_};
    });
  }

  detail::PointCoordinates coordinates_{};
  std::uint64_t count_ = 0, rank_ = 0;
};

/// As Mask, in memory that the device can access: an ArrayView<bool, Rank, space::Device> of any strides with the
/// array's shape, or contiguous memory with as many elements in C order. A call lists the selected elements on the
/// device and treats them as DevicePoints; beside what these need, it takes an eighth of the mask's bytes, and 8 bytes
/// for each selected element and dimension. It waits once more, for their number.
///
/// Refers to the mask, which a kernel of the same queue may write before. It is in use until the Pending of the call is
/// done. Each call throws: SelectionError, if the mask has another shape than the array; as of DevicePoints.
class DeviceMask {
 public:
  using list_space = space::Device;

  template <detail::DeviceMaskMemory M>
  explicit DeviceMask(M const& mask) {
    using Memory = detail::CallerMemory<M const>;
    if constexpr (Memory::rank == detail::any_rank) {
      data_ = reinterpret_cast<std::uint8_t const*>(contiguous_memory<M const>::data(mask));
      size_ = contiguous_memory<M const>::size(mask);
      has_shape_ = false;
    } else {
      auto const view = Memory::template view<Memory::rank>(mask, {});
      data_ = reinterpret_cast<std::uint8_t const*>(view.data);
      layout_ = view.layout();
    }
  }
  template <class M>
  requires(!detail::DeviceMaskMemory<M> && !std::derived_from<M, DeviceMask>) explicit DeviceMask(M const&) {
    static_assert(detail::DeviceMaskMemory<M>,
                  "tessera: a DeviceMask is memory of bool or std::uint8_t that the device can access, or an ArrayView "
                  "of these, with as many elements as the array");
  }

  /// Whether arrays of that space take the lists. If not, a compile error says so.
  template <class Space>
  static consteval bool check_space() {
    return detail::check_lists_on_device<Space>();
  }
  /// For Array::read. Throws: as above.
  template <class S, class P>
  auto found_to_read(AnyArray<S, P> const& array) const {
    return found_in(array, Repeats::all);
  }
  /// For Array::write. Throws: as above.
  template <class S, class P>
  auto found_to_write(AnyArray<S, P> const& array) const {
    return found_in(array, Repeats::last);
  }

 private:
  template <class S, class P>
  auto found_in(AnyArray<S, P> const& array, Repeats repeats) const {
    auto const shape = array.shape();
    auto const layout = detail::layout_of_mask(has_shape_ ? &layout_ : nullptr, size_, shape);
    return detail::find_selected(array, [&] {
      auto listed = detail::points_of_mask(data_, layout, array.queue());
      auto const rank = static_cast<std::int64_t>(shape.rank());
      detail::PointCoordinates const coordinates{listed.coordinates.data(), rank, 1};
      return detail::PointsByChunk{array, repeats, listed.count, coordinates, std::move(listed.coordinates)};
    });
  }

  std::uint8_t const* data_ = nullptr;
  Layout layout_{};  // if it has a shape
  std::size_t size_ = 0;
  bool has_shape_ = true;
};

}}  // namespace tessera::v0
