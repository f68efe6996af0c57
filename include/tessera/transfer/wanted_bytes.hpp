// Which bytes of a chunk a read wants, where what is stored are its elements, and how they lie where they go.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include <tessera/key/byte_range.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/plan/plan.hpp>
#include <tessera/store/coalesce.hpp>
#include <tessera/transfer/batches.hpp>
#include <tessera/transfer/listed_placer.hpp>
#include <tessera/view/layout.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Of a chunk's decoded bytes: from the first element of a part to the last one.
inline ByteRange bytes_of(Layout const& layout, Extents const& steps, Part const& part) {
  auto last = part.first;
  for (std::size_t d = 0; d < last.rank(); ++d) last[d] += (part.count[d] - 1) * steps[d];
  auto const begin = static_cast<std::uint64_t>(offset(part.first, layout.strides));
  return {begin, static_cast<std::uint64_t>(offset(last, layout.strides)) + layout.item_size - begin};
}

/// From the first element that is wanted to the last one. All of the chunk, if something has to be decoded first, or if
/// no more would be saved than is read along elsewhere.
inline ByteRange wanted_bytes(ResolvedChunk const& form, Plan const& plan, Piece const& piece) {
  ByteRange const whole{0, form.decoded_size};
  if (!form.stores_elements || whole.size <= usual_gap) return whole;
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
  return whole.size - (end - begin) > usual_gap ? ByteRange{begin, end - begin} : whole;
}

/// So many decoded bytes are a part and nothing else, and it lies in the target as it lies in them.
inline bool is_contiguous(Layout const& layout, Part const& part, std::size_t bytes, Strides const& target) {
  std::uint64_t size = layout.item_size;
  for (std::size_t d = 0; d < target.rank(); ++d) {
    if (part.count[d] != 1 && layout.strides[d] != target[d]) return false;
    size *= part.count[d];
  }
  return layout.swapped == 1 && size == bytes;
}

/// How a part is cut that is larger than the cache: so many indices along a dimension are read and placed before the
/// next are read.
struct Tiles {
  std::size_t dimension;
  std::uint64_t count;
};

/// nullopt: it is small, or would be scattered over the target, a few bytes of each place at a time.
inline std::optional<Tiles> tiles_of(Layout const& layout, Extents const& steps, Part const& part,
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
