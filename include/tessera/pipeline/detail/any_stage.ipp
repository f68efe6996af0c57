#pragma once
#include <tessera/pipeline/detail/any_stage.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <tessera/core/error.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/pipeline/detail/batch.hpp>
#include <tessera/pipeline/detail/composition.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL ChunkSpecification AnyStage::encoded(ChunkSpecification const& chunk) const { return chunk; }
TESSERA_DECL Layout AnyStage::decoded(Layout const& layout) const { return layout; }

TESSERA_DECL TakeScratch scratch_between(AnyStage const& to_array, AnyStage const& to_bytes) {
  return to_bytes.traits().is_cast ? to_bytes.traits().array_side : to_array.traits().bytes_side;
}

TESSERA_DECL void run_each(std::string_view codec, StageRun const& run, RunOnChunk f) {
  auto& on = run.on.between<space::Host>();
  for (std::size_t i = 0; i < run.tasks.size(); ++i) try {
      auto& task = run.tasks[i];
      task.size = f(known_in<space::Host>(task.from), known_in<space::Host>(task.to), on);
    } catch (Error& error) {
      error.in_chunk(i).in_codec(codec);
      throw;
    }
}

TESSERA_DECL void run_each_part(std::string_view codec, StageRun const& run, RunOnPart f) {
  auto& on = run.on.between<space::Host>();
  for (std::size_t i = 0; i < run.tasks.size(); ++i) try {
      auto& task = run.tasks[i];
      auto const decoded = f(known_in<space::Host>(task.from), known_in<space::Host>(task.to), run.parts[i], on);
      task.size = task.to.size;
      *run.beside += decoded - std::min(decoded, task.size);
    } catch (Error& error) {
      error.in_chunk(i).in_codec(codec);
      throw;
    }
}

}}}  // namespace tessera::v0::detail
