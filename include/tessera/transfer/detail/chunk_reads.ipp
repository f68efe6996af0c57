#pragma once
#include <tessera/transfer/detail/chunk_reads.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include <tessera/key/key.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/plan/detail/plan.hpp>
#include <tessera/store/detail/coalesce.hpp>
#include <tessera/transfer/detail/batches.hpp>
#include <tessera/transfer/detail/listed_placer.hpp>
#include <tessera/view/detail/layout.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL ByteRange bytes_of(Layout const& layout, Extents const& steps, Part const& part) {
  auto last = part.first;
  for (std::size_t d = 0; d < last.rank(); ++d) last[d] += (part.count[d] - 1) * steps[d];
  auto const begin = static_cast<std::uint64_t>(offset(part.first, layout.strides));
  return {begin, static_cast<std::uint64_t>(offset(last, layout.strides)) + layout.item_size - begin};
}

TESSERA_DECL ByteRange wanted_bytes(ResolvedChunk const& form, Plan const& plan, Piece const& piece) {
  ByteRange const whole{0, form.decoded_size};
  if (!form.decodes_parts() || whole.size <= usual_gap) return whole;
  auto begin = whole.size, end = std::uint64_t{0};
  auto const add = [&](ByteRange const& range) {
    begin = std::min(begin, range.offset);
    end = std::max(end, range.offset + range.size);
  };
  if (plan.is_runs()) {
    PositionOffsets const offset{form.layout};
    plan.for_each_run(piece, [&](ChunkRuns::Run const& run) {
      auto const first = static_cast<std::uint64_t>(offset(run.position));
      add({first, (run.count - 1) * static_cast<std::uint64_t>(offset.step()) + form.layout.item_size});
    });
  } else {
    add(bytes_of(form.layout, Extents::filled(piece.chunk.rank(), 1), plan.surrounding(piece)));
  }
  if (form.decodes_in_order) begin = 0;
  // A codec decodes more than a part, or copies what it decodes.
  auto const share = form.stores_ranges ? 0 : whole.size / (form.decodes_in_order ? 8 : 2);
  auto const least = std::max<std::uint64_t>(usual_gap, share);
  return whole.size - (end - begin) > least ? ByteRange{begin, end - begin} : whole;
}

TESSERA_DECL std::optional<Tiles> tiles_of(Layout const& layout, Extents const& steps, Part const& part,
                                           Strides const& target) {
  constexpr auto most = usual_on_host.bytes;
  if (bytes_of(layout, steps, part).size <= 2 * most) return std::nullopt;
  auto const slowest = [&](Strides const& strides) {
    std::size_t slow = 0;
    for (std::size_t d = 1; d < part.count.rank(); ++d)
      if (part.count[slow] == 1 || (part.count[d] > 1 && std::abs(strides[d]) > std::abs(strides[slow]))) slow = d;
    return slow;
  };
  auto const d = slowest(layout.strides);
  if (d != slowest(target)) return std::nullopt;
  auto const each = static_cast<std::uint64_t>(layout.strides[d]) * steps[d];
  return Tiles{d, std::max<std::uint64_t>(1, most / each)};
}

}}}  // namespace tessera::v0::detail
