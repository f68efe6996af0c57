#pragma once
#include <tessera/codec/bytes_to_bytes/detail/blosc_plan.hpp>

#include <algorithm>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/blosc_frame.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL BloscFrame plan_blosc(BloscForm const& form, std::uint64_t content) {
  constexpr std::uint64_t most_int = 0x7fffffff, most = most_int - BloscFrame::header;
  constexpr std::uint64_t least_block = 128, most_block = (most_int - 255 * BloscFrame::number) / 3, least_stream = 128;
  constexpr std::uint64_t usual_stream = 64 << 10;
  constexpr std::uint32_t most_splits = 16;
  if (content > most) throw CodecError{to_text({content, " bytes are more than a blosc buffer can hold"})};
  bool const may_split = form.inside == BloscInside::lz4 && form.element <= most_splits;
  auto const eights = std::uint64_t{8} * form.element;  // bits are shuffled among eight elements
  auto const usual =
      may_split ? usual_stream * form.element : std::max(usual_stream / eights, std::uint64_t{1}) * eights;
  auto block = std::min(form.block == 0 ? usual : std::clamp(form.block, least_block, most_block), content);
  if (block > form.element) block -= block % form.element;
  BloscFrame frame;
  frame.inside = form.inside;
  frame.filter = form.filter == BloscFilter::bytes && form.element == 1 ? BloscFilter::none : form.filter;
  frame.element = form.element;
  frame.splits = may_split && block / form.element >= least_stream ? form.element : 1;
  frame.block = static_cast<std::uint32_t>(block);
  frame.content = content;
  return frame;
}

}}}  // namespace tessera::v0::detail
