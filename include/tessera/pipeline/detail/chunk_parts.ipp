#pragma once
#include <tessera/pipeline/detail/chunk_parts.hpp>

#include <cstddef>

#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/pipeline/detail/any_stage.hpp>
#include <tessera/pipeline/detail/batch.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Requires: a stage runs.
TESSERA_DECL AnyStage const& last_running(StageList list) {
  auto at = list.size();
  while (list[--at]->traits().is_view) {
  }
  return *list[at];
}

TESSERA_DECL void find_parts(StageList list, ResolvedChunk& form) {
  form.part_stages = 0;
  form.stores_ranges = !form.varying;
  std::size_t place = 0, changed = 0;
  for (auto const* stage : list) {
    auto const& traits = stage->traits();
    if (traits.is_view || !form.stores_ranges) continue;
    ++place;
    if (traits.is_cast) continue;
    auto const parts = traits.writes_array && !form.changes[changed++].is_dense ? PartsOf::none : stage->parts();
    if (parts != PartsOf::none) form.part_stages = place;
    form.stores_ranges = parts == PartsOf::range;
  }
  if (form.stores_ranges) form.part_stages = place;
  if (form.part_stages + 1 == form.bounds.size() && !form.stores_ranges)
    form.index_size = last_running(list).index_size(form.bounds[form.part_stages - 1]);
}

TESSERA_DECL ChunkPart encoded_part(StageList list, ResolvedChunk const& form, ByteView<space::Host> index,
                                    ByteRange part) {
  auto const place = form.part_stages - 1;
  auto const& stage = last_running(list);
  auto const range = range_behind(list, form, part, place);
  try {
    return stage.encoded_part(index, {static_cast<std::size_t>(range.offset), static_cast<std::size_t>(range.size),
                                      form.bounds[place]});
  } catch (Error& error) {
    error.in_codec(stage.name());
    throw;
  }
}

TESSERA_DECL ByteRange range_behind(StageList list, ResolvedChunk const& form, ByteRange part, std::size_t places) {
  std::size_t changed = 0;
  for (auto const* stage : list) {
    auto const& traits = stage->traits();
    if (traits.is_view) continue;
    if (places-- == 0) break;
    if (traits.is_cast) continue;
    part = stage->encoded_range(traits.writes_array ? form.changes[changed++].decoded : form.stored_chunk(), part);
  }
  return part;
}

TESSERA_DECL void limit_to_parts(StageList list, AnyStage const& stage, ResolvedChunk const& form, std::size_t place,
                                 DecodeBuffers& buffers) {
  bool const has_ranges = stage.traits().is_cast || stage.parts() == PartsOf::range;
  bool const is_limited = has_ranges && place + 1 == form.part_stages;  // the first stage of these to decode
  bool const are_ranges = form.stores_ranges && buffers.are_ranges;
  auto const whole = form.bounds[place];
  buffers.parts.clear();
  for (std::size_t i = 0; i < buffers.tasks.size(); ++i) {
    auto const& wanted = buffers.ranges[i];
    if (wanted.is_whole()) {
      buffers.parts.push_back({0, whole, whole});
      continue;
    }
    auto const part = range_behind(list, form, wanted, place);
    buffers.parts.push_back({static_cast<std::size_t>(part.offset), static_cast<std::size_t>(part.size), whole});
    if (!is_limited) continue;
    auto& from = buffers.tasks[i].from;
    auto const needed = range_behind(list, form, wanted, place + 1);
    auto const size = static_cast<std::size_t>(needed.size);
    expect_size(from.size, are_ranges ? size : form.bounds[place + 1], i);
    if (!are_ranges) from = from.sub(static_cast<std::size_t>(needed.offset), size);
  }
}

}}}  // namespace tessera::v0::detail
