// PointsByChunk: points in device memory, sorted there by chunk. Of them the host gets a number for each touched chunk.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <tessera/array/any_array.hpp>
#include <tessera/array/detail/read_boxes.hpp>
#include <tessera/array/detail/run_call.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/host_device.cuh>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/launch.cuh>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/place/detail/placing_points.cuh>
#include <tessera/plan/detail/chunk_edges.hpp>
#include <tessera/plan/detail/chunk_numbers.hpp>
#include <tessera/plan/detail/piece.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/strided_span.hpp>
#include <tessera/with/detail/thrust/number_points.cuh>
#include <tessera/with/detail/thrust/thrust_in_queue.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// `count` objects in device memory, uninitialised.
template <class T>
class DeviceObjects {
 public:
  DeviceObjects() = default;
  DeviceObjects(std::uint64_t count, Queue<space::Device>& on)
      : memory_(checked_size(checked_product(count, sizeof(T), "a selection"), "a selection"), on) {}
  T* data() const { return reinterpret_cast<T*>(const_cast<std::byte*>(memory_.view().data)); }

 private:
  DeviceBuffer memory_{};
};

/// Waits for the copy.
template <class T>
void copy_to_host(T const* from, std::span<T> to, Queue<space::Device>& on) {
  crossing<space::Host, space::Device>::copy({reinterpret_cast<std::byte const*>(from), to.size_bytes()},
                                             {reinterpret_cast<std::byte*>(to.data()), to.size_bytes()}, on);
  on.wait();
}

/// Places the points of each listed chunk.
class PointPlacer final : public AnyPlacer<space::Device> {
 public:
  /// Of the k-th listed chunk: `origins[k]` is its first element, and its points are those from first[k] to first[k + 1]
  /// of `order`. Requires: what is referred to outlives this.
  PointPlacer(std::span<Extents const> origins, std::span<std::uint64_t const> first, std::uint32_t const* order,
              PointCoordinates const& coordinates, StridedSpan<space::Device> const& to, std::size_t item_size)
      : origins_{origins}, first_{first}, order_{order}, coordinates_{coordinates}, to_{to}, item_size_{item_size} {}

  /// The first byte of the memory that does not exist, into which chunks are listed: an element for each.
  std::byte* listed() const { return reinterpret_cast<std::byte*>(const_cast<PointPlacer*>(this)); }

  std::uint64_t place(std::span<Placement<space::Device> const> batch, PlacementForm const& form,
                      Queue<space::Device>& on) const override {
    std::vector<PointsOfChunk> chunks;
    chunks.reserve(batch.size());
    for (auto const& one : batch) {
      auto const place = static_cast<std::size_t>(one.to - listed());
      auto const k = place / item_size_;
      chunks.push_back({one.from, to_.data + place % item_size_, origins_[k], first_[k], first_[k + 1] - first_[k]});
    }
    return place_points_by_kernels(chunks, form, to_.strides[0], coordinates_, order_, on);
  }
  /// Never called: listed chunks are boxes.
  std::uint64_t place_listed(ListedBatch<space::Device> const&, PlacementForm const&,
                             Queue<space::Device>&) const override {
    return 0;
  }

 private:
  std::span<Extents const> origins_;
  std::span<std::uint64_t const> first_;
  std::uint32_t const* order_;
  PointCoordinates coordinates_;
  StridedSpan<space::Device> to_;
  std::size_t item_size_;
};

/// The grid of the chunks that are decoded one by one.
class NumberedGrid {
 public:
  template <class S, class P>
  explicit NumberedGrid(AnyArray<S, P> const& array) : shape{array.shape()}, axes_(axes_of_chunks(array, shape)) {
    auto const& inner = array.inner_chunk_shape();
    auto grid = shape, group = shape;
    bool const is_regular = axes_.empty();
    for (std::size_t d = 0; d < shape.rank(); ++d) {
      if (is_regular) axes_.push_back({ChunkEdges{{{inner[d], 1}}, true}, shape[d]});
      grid[d] = axes_[d].chunks();
      group[d] = array.edges().empty() ? array.chunk_shape()[d] / inner[d] : 1;
    }
    numbers = {grid, group};
    for (std::size_t d = 0; d < shape.rank(); ++d) {
      auto const& of_axis = axes_[d].parts();
      axes.push_back({shape[d], grid[d], group[d], numbers.behind(d), static_cast<std::uint32_t>(parts.size()),
                      static_cast<std::uint32_t>(of_axis.size())});
      parts.insert(parts.end(), of_axis.begin(), of_axis.end());
    }
  }

  Extents origin(Extents const& chunk) const {
    auto first = chunk;
    for (std::size_t d = 0; d < chunk.rank(); ++d) first[d] = axes_[d].chunk(chunk[d]).first;
    return first;
  }

  Extents const shape;  ///< of the array
  ChunkNumbers numbers;
  std::vector<NumberedAxis> axes;
  std::vector<AxisPart> parts;

 private:
  std::vector<ChunkAxis> axes_;
};

class PointsByChunk {
 public:
  /// Launches the work in the order of the array's queue, and waits for it twice. Throws: SelectionError naming the
  /// first point outside the array; DeviceError. `owned`: the memory of the coordinates, if it ends with this.
  template <class S, class P>
  PointsByChunk(AnyArray<S, P> const& array, std::uint64_t count, PointCoordinates const& coordinates,
                DeviceObjects<std::int64_t> owned = {})
      : count_{count}, coordinates_{coordinates}, owned_{std::move(owned)} {
    if (count == 0) return;
    if (count > std::numeric_limits<std::uint32_t>::max())
      throw SelectionError{to_text({"found ", count, " points in device memory, expected at most 2^32 - 1"})};
    try {
      NumberedGrid const grid{array};
      if (grid.numbers.count() < outside_the_array<std::uint32_t>)  // which are sorted in half of the time
        sort<std::uint32_t>(grid, array.queue());
      else
        sort<std::uint64_t>(grid, array.queue());
    } catch (...) {
      wait_and_throw(array.queue());
    }
  }

  std::uint64_t count() const { return count_; }

  /// As AnyArray::read, into memory of one dimension.
  template <class S, class P>
  auto read_into(AnyArray<S, P> const& array, StridedSpan<space::Device> const& to, ReadOptions const& options) const {
    auto const item_size = array.type().size;
    PointPlacer const placer{origins_, first_, order_.data(), coordinates_, to, item_size};
    auto strides = Strides::filled(array.shape().rank(), 0);
    if (strides.rank() > 0) strides[strides.rank() - 1] = static_cast<std::int64_t>(item_size);
    return array.read_listed_into(chunks_, {placer.listed(), strides, &placer, item_size}, options);
  }

 private:
  template <class N>
  void sort(NumberedGrid const& grid, Queue<space::Device>& on) {
    DeviceObjects<N> const numbers{count_, on};
    order_ = {count_, on};
    number_points(grid, numbers.data(), on);
    sort_in_queue(on, numbers.data(), order_.data(), static_cast<std::size_t>(count_));
    auto const runs = runs_of(grid, numbers.data(), on);
    if (runs.back().number == outside_the_array<N>) refuse(grid, runs.back().first, on);
    for (auto const& run : runs) {
      auto const chunk = grid.numbers.chunk(run.number);
      chunks_.push_back({chunk, chunks_.size()});
      origins_.push_back(grid.origin(chunk));
      first_.push_back(run.first);
    }
    first_.push_back(count_);
  }

  template <class N>
  void number_points(NumberedGrid const& grid, N* numbers, Queue<space::Device>& on) {
    auto const size = grid.axes.size() * sizeof(NumberedAxis) + grid.parts.size() * sizeof(AxisPart);
    HostBuffer table{size};
    auto* const parts = table.span().data + grid.axes.size() * sizeof(NumberedAxis);
    if (size > 0) {
      std::memcpy(table.span().data, grid.axes.data(), grid.axes.size() * sizeof(NumberedAxis));
      std::memcpy(parts, grid.parts.data(), grid.parts.size() * sizeof(AxisPart));
    }
    auto const there = copy_to<DeviceBuffer>(std::move(table), on);
    auto const* const axes = there.view().data;
    launch(on, count_,
           NumberPoints<N>{coordinates_, reinterpret_cast<NumberedAxis const*>(axes),
                           reinterpret_cast<AxisPart const*>(axes + grid.axes.size() * sizeof(NumberedAxis)),
                           static_cast<std::uint32_t>(grid.axes.size()), numbers, order_.data()});
  }

  // Of sorted numbers.
  template <class N>
  std::vector<NumberedRun> runs_of(NumberedGrid const& grid, N const* numbers, Queue<space::Device>& on) const {
    auto const most = std::min(count_ - 1, grid.numbers.count()) + 1;  // a run is of points outside the array
    DeviceObjects<std::uint32_t> const sums{count_, on};
    DeviceObjects<NumberedRun> const runs{most + 1, on};
    launch(on, count_, MarkRuns<N>{numbers, sums.data()});
    sum_up_in_queue(on, sums.data(), static_cast<std::size_t>(count_));
    launch(on, count_, ListRuns<N>{numbers, sums.data(), count_, runs.data()});
    NumberedRun found{};
    copy_to_host(runs.data(), std::span{&found, 1}, on);
    std::vector<NumberedRun> result(static_cast<std::size_t>(found.number));
    copy_to_host(runs.data() + 1, std::span{result}, on);
    return result;
  }

  [[noreturn]] void refuse(NumberedGrid const& grid, std::uint64_t first, Queue<space::Device>& on) const {
    std::uint32_t point = 0;
    copy_to_host(order_.data() + first, std::span{&point, 1}, on);
    for (std::uint32_t d = 0; d < grid.axes.size(); ++d) {
      std::int64_t index = 0;
      auto const offset = static_cast<std::int64_t>(point) * coordinates_.by_point +
                          std::int64_t{d} * coordinates_.by_dimension;
      copy_to_host(coordinates_.first + offset, std::span{&index, 1}, on);
      if (index < 0)
        throw SelectionError{to_text({"point ", point, ", dimension ", d, ": found index ", index,
                                      ", expected 0 or more"})};
      if (static_cast<std::uint64_t>(index) >= grid.shape[d])
        throw SelectionError{to_text({"point ", point, ", dimension ", d, ": found index ", index,
                                      ", expected one below ", grid.shape[d]})};
    }
    throw SelectionError{to_text({"point ", point, ": found coordinates that changed during the call"})};
  }

  std::uint64_t count_;
  PointCoordinates coordinates_;
  DeviceObjects<std::int64_t> owned_;
  DeviceObjects<std::uint32_t> order_{};  // numbers of points, chunk by chunk
  std::vector<PlacedChunk> chunks_{};
  std::vector<Extents> origins_{};       // of chunks_
  std::vector<std::uint64_t> first_{};  // of order_, for each of chunks_; and the end
};

}}}  // namespace tessera::v0::detail
