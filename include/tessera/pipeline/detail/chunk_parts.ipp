#pragma once
#include <tessera/pipeline/detail/chunk_parts.hpp>

#include <cstddef>
#include <utility>

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
  form.part_stages = 0, form.decodes_in_order = false;
  form.stores_ranges = !form.varying;
  std::size_t place = 0, changed = 0;
  for (auto const* stage : list) {
    auto const& traits = stage->traits();
    if (traits.is_view || !form.stores_ranges) continue;
    ++place;
    if (traits.is_cast) continue;
    auto const parts = traits.writes_array && !form.changes[changed++].is_dense ? PartsOf::none : stage->parts();
    if (parts != PartsOf::none) form.part_stages = place;
    form.decodes_in_order |= parts == PartsOf::in_order;
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
  bool const is_first = place + 1 == form.part_stages;  // to decode: the bytes before it are whole, or stored ranges
  bool const has_ranges = stage.traits().is_cast || stage.parts() == PartsOf::range;
  bool const are_ranges = is_first && form.stores_ranges && buffers.are_ranges;
  auto const whole = form.bounds[place];
  buffers.parts.resize(buffers.tasks.size());
  for (std::size_t i = 0; i < buffers.tasks.size(); ++i) {
    auto const before = std::exchange(buffers.parts[i], {0, whole, whole});
    auto const& wanted = buffers.ranges[i];
    if (wanted.is_whole()) continue;
    auto const part = range_behind(list, form, wanted, place);
    auto& to = buffers.parts[i];
    to.first = static_cast<std::size_t>(part.offset), to.size = static_cast<std::size_t>(part.size);
    if (stage.parts() == PartsOf::in_order) to.size += std::exchange(to.first, 0);
    if (!has_ranges) continue;
    auto const needed = range_behind(list, form, wanted, place + 1);
    auto& from = buffers.tasks[i].from;
    if (is_first) expect_size(from.size, are_ranges ? static_cast<std::size_t>(needed.size) : form.bounds[place + 1], i);
    auto const begin = are_ranges ? needed.offset : is_first ? 0 : before.first;
    from = from.sub(static_cast<std::size_t>(needed.offset - begin), static_cast<std::size_t>(needed.size));
  }
}

}}}  // namespace tessera::v0::detail
