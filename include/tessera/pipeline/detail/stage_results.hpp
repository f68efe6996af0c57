// take_packed and take_neighbours: memory for the results of a stage that another one follows.
#pragma once
#include <cstddef>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/pipeline/detail/batch.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Aligns chunks whose sizes the host does not know, for the encoders that read them.
inline std::size_t rounded_up(std::size_t bound) { return checked_size(bound + 15 - (bound + 15) % 16, "a chunk"); }

/// For bytes that cross before another stage: one chunk behind the other, so that one copy moves all. The cast throws
/// CodecError for a chunk of more than `bound` bytes.
TESSERA_DECL void take_packed(TakeScratch const& take_scratch, StageObject& scratch, std::size_t bound,
                        std::vector<StageTask>& tasks, StageBuffers const& buffers, StageQueues const& on);

/// For results of any other stage: neighbours, with `bound` bytes for each.
TESSERA_DECL ByteSpan<Somewhere> take_neighbours(TakeScratch const& take_scratch, StageObject& scratch,
                                                 std::size_t bound, StageBuffers const& buffers, StageQueues const& on);
}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/pipeline/detail/stage_results.ipp>
#endif
