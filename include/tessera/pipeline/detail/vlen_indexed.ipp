#pragma once
#include <tessera/pipeline/detail/vlen_indexed.hpp>

#include <cstdint>
#include <span>
#include <utility>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/pipeline/detail/composed_pipeline.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL VlenPart VlenPartCodecs::decode(ByteView<Host> encoded, std::uint64_t count, DataType type,
                                             Scratch<Host>& kept, Queue<Host>& on) const {
  auto const most = most_varying / type.size;
  if (count > most) throw CodecError{to_text({"found ", count, " of ", type.name(), ", expected at most ", most})};
  auto form = pipeline_.resolve({{count}, type});
  DecodeTask<Host, Host> task{encoded, form.is_view() ? ByteSpan<Host>{} : kept.take(form.decoded_size, on)};
  auto const work = on.lease<P::Decoding>();
  pipeline_.decode(form, std::span{&task, 1}, *work, on);
  return {task.decoded.data, std::move(form.layout)};
}

}}}  // namespace tessera::v0::detail
