// Which bytes of a chunk a read wants, where what is stored are its elements.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tessera/array/plan.hpp>
#include <tessera/key/byte_range.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/store/coalesce.hpp>
#include <tessera/view/layout.hpp>

namespace tessera::inline v0::detail {

/// Of the chunk's decoded bytes: from the first element that is wanted to the last one. All of them, if something has
/// to be decoded first, or if no more would be saved than is read along elsewhere.
inline ByteRange wanted_bytes(ChunkForm const& form, Plan const& plan, Piece const& piece) {
  ByteRange const whole{0, form.decoded_size};
  if (!form.is_view() || whole.size <= usual_gap) return whole;
  auto const& layout = form.layout;
  auto begin = whole.size, end = std::uint64_t{0};
  plan.for_each_part(piece, [&](Part const& part) {
    auto last = part.first;
    for (std::size_t d = 0; d < last.rank(); ++d) last[d] += (part.count[d] - 1) * plan.steps()[d];
    begin = std::min(begin, static_cast<std::uint64_t>(offset(part.first, layout.strides)));
    end = std::max(end, static_cast<std::uint64_t>(offset(last, layout.strides)) + layout.item_size);
  });
  return whole.size - (end - begin) > usual_gap ? ByteRange{begin, end - begin} : whole;
}

}  // namespace tessera::inline v0::detail
