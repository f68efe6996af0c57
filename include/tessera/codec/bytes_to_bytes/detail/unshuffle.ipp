#pragma once
#include <tessera/codec/bytes_to_bytes/detail/unshuffle.hpp>

#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/blosc_frame.hpp>
#include <tessera/core/config.hpp>
#include <tessera/place/detail/placement_table.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL BloscBytes::BloscBytes(BloscFrame const& frame, std::byte const* from, std::byte const* to,
                                    std::uint64_t stream_before)
    : first{to},
      whole{frame.is_stored() ? from + BloscFrame::header : nullptr},
      first_stream{stream_before},
      content{static_cast<std::uint32_t>(frame.content)},
      splits{frame.splits},
      filter{frame.filter},
      block{whole ? (content == 0 ? 1 : content) : frame.block},
      element{whole ? 1 : frame.element},
      stream{block.divisor / splits} {}

}}}  // namespace tessera::v0::detail
