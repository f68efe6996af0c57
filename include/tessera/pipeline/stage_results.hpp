// Where the results of a stage go that another follows.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include <tessera/core/checked.hpp>
#include <tessera/pipeline/any_stage.hpp>
#include <tessera/pipeline/batch.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// So that chunks whose sizes the host does not know lie where encoders read them.
inline std::size_t rounded_up(std::size_t bound) { return checked_size(bound + 15 - (bound + 15) % 16, "a chunk"); }

/// Where what crosses goes, if a stage follows: one chunk behind the other, so that one copy takes all. Throws:
/// CodecError by the cast, of a chunk that has more than `bound` bytes.
inline void take_packed(TakeScratch const& take_scratch, StageObject& scratch, std::size_t bound,
                        std::vector<StageTask>& tasks, StageBuffers const& buffers, StageQueues const& on) {
  std::size_t total = 0;
  for (auto const& task : tasks) total += std::min(task.from.size, bound);
  auto const most = checked_product(std::max(buffers.most, tasks.size()), bound, "a batch");
  // So that a batch that takes a little more than the last is no reason to allocate.
  auto const step = std::max(std::bit_floor(total) / 8, std::size_t{1} << 14);
  auto const size = std::min(most, (total + step - 1) / step * step);
  auto const room = take_scratch(scratch, checked_size(size, "a batch"), on);
  total = 0;
  for (auto& task : tasks) {
    task.to = room.sub(total, std::min(task.from.size, bound));
    total += task.to.size;
  }
}

/// Likewise of any other stage that is followed: neighbours, with `bound` bytes for each.
inline ByteSpan<Somewhere> take_neighbours(TakeScratch const& take_scratch, StageObject& scratch, std::size_t bound,
                                           StageBuffers const& buffers, StageQueues const& on) {
  auto const most = std::max(buffers.most, buffers.tasks.size());
  return take_scratch(scratch, checked_size(checked_product(most, bound, "a batch"), "a batch"), on);
}

}}}  // namespace tessera::v0::detail
