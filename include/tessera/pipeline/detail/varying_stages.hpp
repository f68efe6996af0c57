// decode_varying and encode_varying: the way of strings and bytes through stages. Sizes are unknown until chunks are
// decoded.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/config.hpp>
#include <tessera/pipeline/detail/any_stage.hpp>
#include <tessera/pipeline/detail/batch.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// Decodes a chunk by a bytes-to-bytes stage. The encoded bytes promise only a bound, often much too large: room grows
// until the result fits.
inline void decode_growing(AnyStage const& stage, StageRun const& run, StageObject& lists, std::uint64_t most,
                           auto const& take) {
  auto& task = run.tasks.front();
  auto const bound = std::min<std::uint64_t>(stage.decoded_bound(task.from), most);
  constexpr std::uint64_t usual = 8, least = std::uint64_t{64} << 10, growth = 4;
  for (auto room = std::min(bound, std::max(usual * task.from.size, least));; room = std::min(bound, growth * room)) {
    task.to = take(room);
    try {
      return stage.decode(run, lists);
    } catch (CodecError const&) {
      if (room == bound) throw;
    }
  }
}

TESSERA_DECL void decode_varying(StageList stages, ResolvedChunk const& form, DecodeBuffers& buffers,
                                 StageQueues const& on);
TESSERA_DECL void encode_varying(StageList stages, ResolvedChunk const& form, EncodeBuffers& buffers,
                                 StageQueues const& on);

TESSERA_DECL void find_filled_varying(ByteView<space::Host> chunks, std::size_t size, ByteView<space::Host> element,
                                std::span<std::uint8_t> filled);

template <class C>
struct varying_stages {
  static constexpr VaryingStages value{&decode_varying, &encode_varying, &find_filled_varying};
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/pipeline/detail/varying_stages.ipp>
#endif
