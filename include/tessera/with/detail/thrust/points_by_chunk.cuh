// PointsByChunk: points in device memory, sorted there by chunk. Of them the host gets a number for each touched chunk.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/array/any_array.hpp>
#include <tessera/array/detail/run_call.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/place/detail/convert.cuh>
#include <tessera/place/detail/point_table.hpp>
#include <tessera/plan/detail/chunk_runs.hpp>
#include <tessera/plan/detail/piece.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/strided_span.hpp>
#include <tessera/with/detail/thrust/converted_points.cuh>
#include <tessera/with/detail/thrust/device_objects.cuh>
#include <tessera/with/detail/thrust/number_points.cuh>
#include <tessera/with/detail/thrust/numbered_grid.cuh>
#include <tessera/with/detail/thrust/point_placer.cuh>
#include <tessera/with/detail/thrust/thrust_in_queue.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// Returns f(), which makes a list of elements: as in_work_of.
template <class S, class P, class F>
auto find_selected(AnyArray<S, P> const& array, F&& f) {
  return in_work_of(array, "a selection in device memory", f);
}

class PointsByChunk {
 public:
  /// Gives the array's queue the work, and waits for it. `owned`: the memory of the coordinates, if it ends with this.
  /// Throws: SelectionError naming the first point outside the array; DeviceError.
  template <class S, class P>
  PointsByChunk(AnyArray<S, P> const& array, Repeats repeats, std::uint64_t count, PointCoordinates const& coordinates,
                DeviceObjects<std::int64_t> owned = {})
      : count_{count}, kept_{count}, coordinates_{coordinates}, owned_{std::move(owned)} {
    if (count == 0) return;
    expect_counted_in_32_bits(count);
    NumberedGrid const grid{array};
    if (grid.numbers.count() < outside_the_array<std::uint32_t>)  // smaller numbers are sorted faster
      sort<std::uint32_t>(grid, repeats, array.queue());
    else
      sort<std::uint64_t>(grid, repeats, array.queue());
  }

  /// The number of points, and of elements in memory.
  std::uint64_t count() const { return count_; }

  /// As AnyArray::read and write, with memory of one dimension.
  template <class S, class P>
  auto read_into(AnyArray<S, P> const& array, StridedSpan<space::Device> const& to, ReadOptions const& options) const {
    return read_moving(array, to, CopiedElements{array.type().size}, options);
  }
  /// The same, with numbers that `by` converts.
  template <class Way, class S, class P>
  auto read_converted(AnyArray<S, P> const& array, StridedSpan<space::Device> const& to,
                      ConvertingPlacer<space::Device, Way> const& by, ReadOptions const& options) const {
    return read_moving(array, to, ConvertedNumbers<Way>{&by}, options);
  }
  /// Requires: Repeats::last.
  template <class S, class P>
  auto write_from(AnyArray<S, P> const& array, StridedView<space::Device> const& from,
                  WriteOptions const& options) const {
    return write_moving(array, from, CopiedElements{array.type().size}, options);
  }
  template <class Way, class S, class P>
  auto write_converted(AnyArray<S, P> const& array, StridedView<space::Device> const& from,
                       ConvertingPlacer<space::Device, Way> const& by, WriteOptions const& options) const {
    return write_moving(array, from, ConvertedNumbers<Way>{&by}, options);
  }

 private:
  template <class S, class P, class Moving>
  auto read_moving(AnyArray<S, P> const& array, StridedSpan<space::Device> const& to, Moving moving,
                   ReadOptions const& options) const {
    SortedPoints const points{coordinates_, order_.data(), to.strides[0], false};
    PointPlacer const placer{points_, points, to.data, moving};
    return array.read_listed_into(
        chunks_, {placer.listed(), placer.strides(array.shape().rank()), &placer, moving.size}, options);
  }
  template <class S, class P, class Moving>
  auto write_moving(AnyArray<S, P> const& array, StridedView<space::Device> const& from, Moving moving,
                    WriteOptions const& options) const {
    SortedPoints const points{coordinates_, order_.data(), from.strides[0], true};
    PointPlacer const placer{points_, points, from.data, moving};
    auto const rank = array.shape().rank();
    Part const nothing{Extents::filled(rank, 0), Extents::filled(rank, 0), Extents::filled(rank, 0)};
    auto chunks = chunks_;
    for (auto& one : chunks) one.wanted = &nothing;  // each chunk keeps elements, as far as its plan knows
    return array.write_listed(chunks, {placer.listed(), placer.strides(rank), &placer}, options);
  }

  template <class N>
  void sort(NumberedGrid const& grid, Repeats repeats, Queue<space::Device>& on) {
    DeviceBuffer tables;
    auto const axes = grid.copy_to_device(tables, on);
    order_ = {count_, on};
    launch(on, count_, CountPoints{order_.data()});
    if (repeats == Repeats::last) {
      DeviceObjects<std::uint64_t> places{count_, on};
      launch(on, count_, PlaceInChunks{coordinates_, axes, order_.data(), places.data()});
      sort_in_queue(on, places.data(), order_.data(), static_cast<std::size_t>(count_));
    }
    DeviceObjects<N> numbers{count_, on};
    launch(on, count_, NumberPoints<N>{coordinates_, axes, order_.data(), numbers.data()});
    sort_in_queue(on, numbers.data(), order_.data(), static_cast<std::size_t>(count_));
    if (repeats == Repeats::last) keep_last(axes.rank, numbers, on);
    auto const runs = runs_of(grid, numbers.data(), on);
    if (runs.back().number == outside_the_array<N>) refuse(grid, runs.back().first, on);
    for (auto const& run : runs) {
      auto const chunk = grid.numbers.chunk(run.number);
      chunks_.push_back({chunk, chunks_.size()});
      points_.push_back({grid.origin(chunk), run.first});
    }
    points_.push_back({{}, kept_});
  }

  // Drops all but the last of equal points, which follow each other.
  template <class N>
  void keep_last(std::uint32_t rank, DeviceObjects<N>& numbers, Queue<space::Device>& on) {
    DeviceObjects<std::uint32_t> sums{count_, on}, order{count_, on};
    DeviceObjects<N> of_kept{count_, on};
    launch(on, count_, MarkLast<N>{coordinates_, rank, numbers.data(), order_.data(), count_, sums.data()});
    sum_up_in_queue(on, sums.data(), static_cast<std::size_t>(count_));
    launch(on, count_,
           TakeMarked<N>{numbers.data(), order_.data(), sums.data(), of_kept.data(), order.data()});
    std::uint32_t kept = 0;
    copy_to_host<std::uint32_t>(sums.data() + (count_ - 1), std::span{&kept, 1}, on);
    kept_ = kept;
    std::swap(numbers, of_kept);
    std::swap(order_, order);
  }

  // Of sorted numbers.
  template <class N>
  std::vector<NumberedRun> runs_of(NumberedGrid const& grid, N const* numbers, Queue<space::Device>& on) const {
    auto const most = std::min(kept_ - 1, grid.numbers.count()) + 1;  // one run may be of points outside the array
    DeviceObjects<std::uint32_t> sums{kept_, on};
    DeviceObjects<NumberedRun> runs{most + 1, on};
    launch(on, kept_, MarkRuns<N>{numbers, sums.data()});
    sum_up_in_queue(on, sums.data(), static_cast<std::size_t>(kept_));
    launch(on, kept_, ListRuns<N>{numbers, sums.data(), kept_, runs.data()});
    NumberedRun found{};
    copy_to_host<NumberedRun>(runs.data(), std::span{&found, 1}, on);
    std::vector<NumberedRun> result(static_cast<std::size_t>(found.number));
    copy_to_host<NumberedRun>(runs.data() + 1, std::span{result}, on);
    return result;
  }

  // `first`: of the points outside, in the list of numbers.
  [[noreturn]] void refuse(NumberedGrid const& grid, std::uint64_t first, Queue<space::Device>& on) const {
    std::uint32_t point = 0;
    copy_to_host<std::uint32_t>(order_.data() + first, std::span{&point, 1}, on);
    for (std::uint32_t d = 0; d < grid.shape.rank(); ++d) {
      std::int64_t index = 0;
      auto const at = std::int64_t{point} * coordinates_.by_point + std::int64_t{d} * coordinates_.by_dimension;
      copy_to_host<std::int64_t>(coordinates_.first + at, std::span{&index, 1}, on);
      if (index >= 0 && static_cast<std::uint64_t>(index) < grid.shape[d]) continue;
      auto const expected = index < 0 ? std::string{"0 or more"} : to_text({"one below ", grid.shape[d]});
      throw SelectionError{
          to_text({"point ", point, ", dimension ", d, ": found index ", index, ", expected ", expected})};
    }
    throw SelectionError{to_text({"point ", point, ": found coordinates that changed during the call"})};
  }

  std::uint64_t count_, kept_;  // points given; points in order_
  PointCoordinates coordinates_;
  DeviceObjects<std::int64_t> owned_;
  DeviceObjects<std::uint32_t> order_{};  // numbers of points, chunk by chunk
  std::vector<PlacedChunk> chunks_{};
  std::vector<ListedPoints> points_{};  // of chunks_
};

}}}  // namespace tessera::v0::detail
