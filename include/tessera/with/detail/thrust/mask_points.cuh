// points_of_mask: the elements that a mask in device memory selects, listed there as points.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/view/detail/layout.hpp>
#include <tessera/with/detail/thrust/device_objects.cuh>
#include <tessera/with/detail/thrust/number_points.cuh>
#include <tessera/with/detail/thrust/thrust_in_queue.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// Elements of a mask that one thread looks at, which follow each other in C order.
inline constexpr std::uint64_t of_one_thread = 64;

/// A mask of any strides.
struct MaskInMemory {
  std::uint8_t const* data = nullptr;
  std::uint64_t size = 0;  ///< elements
  std::uint32_t rank = 0;
  bool is_c_order = false;  ///< contiguous: no strides are needed
  std::uint64_t shape[max_rank]{};
  std::int64_t strides[max_rank]{};

  /// Calls f(element) for the selected elements of a thread, in C order, with the number of each in that order.
  template <class F>
  TESSERA_HOST_DEVICE void for_each_of(std::uint64_t thread, F const& f) const {
    auto const begin = thread * of_one_thread, rest = size - begin;
    auto const end = begin + (rest < of_one_thread ? rest : of_one_thread);
    for (auto element = begin; element < end; ++element)
      if (data[is_c_order ? static_cast<std::int64_t>(element) : offset(element)] != 0) f(element);
  }

 private:
  TESSERA_HOST_DEVICE std::int64_t offset(std::uint64_t element) const {
    std::int64_t at = 0;
    for (auto d = rank; d-- > 0; element /= shape[d]) at += static_cast<std::int64_t>(element % shape[d]) * strides[d];
    return at;
  }
};

struct CountSelected {
  MaskInMemory mask;
  std::uint64_t* counts;  ///< of each thread
  TESSERA_HOST_DEVICE void operator()(std::uint64_t thread) const {
    std::uint64_t count = 0;
    mask.for_each_of(thread, [&](std::uint64_t) { ++count; });
    counts[thread] = count;
  }
};

/// `sums`: of the counts, up to each. Writes rank coordinates for each selected element.
struct ListSelected {
  MaskInMemory mask;
  std::uint64_t const* sums;
  std::int64_t* coordinates;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t thread) const {
    auto* next = coordinates + (thread == 0 ? 0 : sums[thread - 1]) * mask.rank;
    mask.for_each_of(thread, [&](std::uint64_t element) {
      for (auto d = mask.rank; d-- > 0; element /= mask.shape[d])
        next[d] = static_cast<std::int64_t>(element % mask.shape[d]);
      next += mask.rank;
    });
  }
};

struct ListedMask {
  std::uint64_t count = 0;                    ///< selected elements
  DeviceObjects<std::int64_t> coordinates{};  ///< of each, in C order: one for each dimension
};

/// Waits for the number of selected elements. `layout`: of the mask, in bytes. Throws: DeviceError;
/// SelectionError, if 32 bits cannot count them.
inline ListedMask points_of_mask(std::uint8_t const* data, Layout const& layout, Queue<space::Device>& on) {
  MaskInMemory mask{data, element_count(layout.shape, "the mask"), static_cast<std::uint32_t>(layout.shape.rank()),
                    layout.strides == Layout::c_order(layout.shape, 1).strides};
  for (std::size_t d = 0; d < layout.shape.rank(); ++d) {
    mask.shape[d] = layout.shape[d];
    mask.strides[d] = layout.strides[d];
  }
  ListedMask result;
  if (mask.size == 0) return result;
  auto const threads = (mask.size - 1) / of_one_thread + 1;
  DeviceObjects<std::uint64_t> sums{threads, on};
  launch(on, threads, CountSelected{mask, sums.data()});
  sum_up_in_queue(on, sums.data(), static_cast<std::size_t>(threads));
  copy_to_host<std::uint64_t>(sums.data() + (threads - 1), std::span{&result.count, 1}, on);
  if (result.count == 0) return result;  // the call may wait for no other kernel
  expect_counted_in_32_bits(result.count);  // before their coordinates take memory
  result.coordinates = {checked_product(result.count, mask.rank, "a selection"), on};
  launch(on, threads, ListSelected{mask, sums.data(), result.coordinates.data()});
  return result;
}

}}}  // namespace tessera::v0::detail
