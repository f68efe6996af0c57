// NumberedGrid: the grid of the chunks that are decoded one by one, as kernels read it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <tessera/array/any_array.hpp>
#include <tessera/array/detail/read_boxes.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/detail/host_device.cuh>
#include <tessera/core/dimensions.hpp>
#include <tessera/memory/queue.cuh>
#include <tessera/plan/detail/chunk_edges.hpp>
#include <tessera/plan/detail/chunk_numbers.hpp>
#include <tessera/with/detail/thrust/number_points.cuh>

namespace tessera { inline namespace v0 { namespace detail {

class NumberedGrid {
 public:
  /// Throws: SelectionError, if 64 bits cannot count the chunks.
  template <class S, class P>
  explicit NumberedGrid(AnyArray<S, P> const& array) : shape{array.shape()}, edges_(axes_of_chunks(array, shape)) {
    auto const& inner = array.inner_chunk_shape();
    auto grid = shape, group = shape;
    bool const is_regular = edges_.empty();
    for (std::size_t d = 0; d < shape.rank(); ++d) {
      if (is_regular) edges_.push_back({ChunkEdges{{{inner[d], 1}}, true}, shape[d]});
      grid[d] = edges_[d].chunks();
      group[d] = array.edges().empty() ? array.chunk_shape()[d] / inner[d] : 1;
    }
    numbers = {grid, group};
    std::uint64_t stride = 1;
    axes_.resize(shape.rank());
    for (auto d = shape.rank(); d-- > 0; stride *= inner[d]) {
      auto const& parts = edges_[d].parts();
      axes_[d] = {shape[d],  grid[d], group[d], numbers.behind(d), stride, static_cast<std::uint32_t>(parts_.size()),
                  static_cast<std::uint32_t>(parts.size())};
      parts_.insert(parts_.end(), parts.begin(), parts.end());
    }
  }

  /// The index of a chunk's first element.
  Extents origin(Extents const& chunk) const {
    auto first = chunk;
    for (std::size_t d = 0; d < chunk.rank(); ++d) first[d] = edges_[d].chunk(chunk[d]).first;
    return first;
  }

  /// The tables for kernels, in `memory`.
  NumberedAxes copy_to_device(DeviceBuffer& memory, Queue<space::Device>& on) const {
    auto const of_axes = axes_.size() * sizeof(NumberedAxis), of_parts = parts_.size() * sizeof(AxisPart);
    HostBuffer table{of_axes + of_parts};
    if (of_axes > 0) std::memcpy(table.span().data, axes_.data(), of_axes);
    if (of_parts > 0) std::memcpy(table.span().data + of_axes, parts_.data(), of_parts);
    memory = copy_to<DeviceBuffer>(std::move(table), on);
    auto const* const there = memory.view().data;
    return {reinterpret_cast<NumberedAxis const*>(there), reinterpret_cast<AxisPart const*>(there + of_axes),
            static_cast<std::uint32_t>(axes_.size())};
  }

  Extents const shape;  ///< of the array
  ChunkNumbers numbers;

 private:
  std::vector<ChunkAxis> edges_;
  std::vector<NumberedAxis> axes_;
  std::vector<AxisPart> parts_;
};

}}}  // namespace tessera::v0::detail
