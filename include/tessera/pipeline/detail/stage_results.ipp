#pragma once
#include <tessera/pipeline/detail/stage_results.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include <tessera/core/detail/checked.hpp>
#include <tessera/pipeline/detail/batch.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void take_packed(TakeScratch const& take_scratch, StageObject& scratch, std::size_t bound,
                              std::vector<StageTask>& tasks, StageBuffers const& buffers, StageQueues const& on) {
  std::size_t total = 0;
  for (auto const& task : tasks) total += std::min(task.from.size, bound);
  auto const most = checked_product(std::max(buffers.most, tasks.size()), bound, "a batch");
  // In steps, so that a slightly larger batch needs no allocation.
  auto const step = std::max(std::bit_floor(total) / 8, std::size_t{1} << 14);
  auto const size = std::min(most, (total + step - 1) / step * step);
  auto const room = take_scratch(scratch, checked_size(size, "a batch"), on);
  total = 0;
  for (auto& task : tasks) {
    task.to = room.sub(total, std::min(task.from.size, bound));
    total += task.to.size;
  }
}

TESSERA_DECL ByteSpan<Somewhere> take_neighbours(TakeScratch const& take_scratch, StageObject& scratch,
                                                 std::size_t bound, StageBuffers const& buffers,
                                                 StageQueues const& on) {
  auto const most = std::max(buffers.most, buffers.tasks.size());
  return take_scratch(scratch, checked_size(checked_product(most, bound, "a batch"), "a batch"), on);
}

}}}  // namespace tessera::v0::detail
