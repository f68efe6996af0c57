// codec::Zstd: Zstandard frames (RFC 8878; registered extension codecs/zstd). Needs libzstd (BSD-3-Clause): link
// tessera::zstd.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#if !__has_include(<zstd.h>)
#error "tessera/with/zstd.hpp needs libzstd: on Debian or Ubuntu, apt install libzstd-dev"
#endif
#include <zstd.h>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `level`, -131072 to 22, where 0 is the library's default; `checksum`, whether frames end in one. A
/// frame's checksum is always checked, whatever the configuration says.
struct Zstd {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "zstd";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  int level = 0;
  bool checksum = false;

  static Zstd from(ObjectReader& configuration) {
    Zstd codec{configuration.at("level").integer<int>(-131072, 22)};
    if (auto const found = configuration.find("checksum")) codec.checksum = found->boolean();
    return codec;
  }
  Value configuration() const { return Members{{"level", Value::integer(level)}, {"checksum", checksum}}; }

  std::size_t encoded_bound(std::size_t decoded) const { return ZSTD_compressBound(decoded); }

  /// If frames do not state their size, or state a wrong one: a block of at least four bytes decodes to at most 128
  /// KiB.
  std::size_t decoded_bound(ByteView<space::Host> from) const {
    auto const most = from.size > unbounded >> 15 ? unbounded >> 1 : from.size << 15;
    unsigned long long sum = 0;  // over consecutive frames
    while (from.size > 0) {
      auto const frame = ZSTD_findFrameCompressedSize(from.data, from.size);
      auto const content = ZSTD_getFrameContentSize(from.data, from.size);
      if (ZSTD_isError(frame) || content > most - sum) return most;
      sum += content;
      from = from.sub(frame, from.size - frame);
    }
    return sum;
  }
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const {
    auto const context = on.lease<Decoder>();
    return checked(ZSTD_decompressDCtx(context->handle, to.data, to.size, from.data, from.size), from.size, to.size);
  }
  /// Decodes one block after another until it has the part. A frame with a checksum, or without its size, is decoded as
  /// a whole.
  static constexpr bool decodes_in_order = true;
  std::size_t decode_part(ByteView<space::Host> from, ByteSpan<space::Host> to, ChunkPart part,
                          Queue<space::Host>& on) const {
    if (part.size == part.whole) return decode(from, to, on);
    if (!stops_early(from, part.whole)) {
      auto const scratch = on.lease<Scratch<space::Host>>();
      auto const whole = scratch->take(part.whole, on);
      auto const size = decode(from, whole, on);
      if (size != part.whole) throw CodecError{to_text({"decodes to ", size, " bytes, expected ", part.whole})};
      std::memcpy(to.data, whole.data, part.size);
      return size;
    }
    auto const context = on.lease<Decoder>();
    ZSTD_DCtx_reset(context->handle, ZSTD_reset_session_only);
    checked(ZSTD_DCtx_setParameter(context->handle, ZSTD_d_windowLogMax, most_window), from.size, to.size);
    ZSTD_inBuffer in{from.data, 0, 0};
    ZSTD_outBuffer out{to.data, to.size, 0};
    // With more input than it asks for, the library would decode one block more than needed.
    for (auto next = least_header; out.pos < to.size;) {
      auto const before = in.pos + out.pos;
      in.size = std::min(from.size, in.pos + next);
      next = checked(ZSTD_decompressStream(context->handle, &out, &in), from.size, part.whole);
      if (in.pos + out.pos == before)
        throw CodecError{to_text({from.size, " bytes decode to ", out.pos, ", expected ", part.whole})};
    }
    return std::min(part.whole, (part.size + most_block - 1) / most_block * most_block);
  }
  /// The library keeps what later blocks may refer to, and two blocks.
  std::size_t part_memory(std::size_t decoded) const { return decoded + 2 * std::min(decoded, most_block); }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const {
    auto const context = on.lease<Encoder>();
    ZSTD_CCtx_setParameter(context->handle, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context->handle, ZSTD_c_checksumFlag, checksum);
    return checked(ZSTD_compress2(context->handle, to.data, to.size, from.data, from.size), from.size, to.size);
  }

 private:
  static constexpr int most_window = 30;  // as a power of two: the library's own limit is 27
  static constexpr std::size_t most_block = ZSTD_BLOCKSIZE_MAX, least_header = 5;

  // Whether it is one frame of this size without a checksum, which only a whole frame can be compared with (RFC 8878,
  // 3.1.1.1.1).
  static bool stops_early(ByteView<space::Host> from, std::size_t whole) {
    constexpr std::size_t descriptor = 4;
    constexpr std::byte has_checksum{4};
    return whole <= std::size_t{1} << most_window && ZSTD_getFrameContentSize(from.data, from.size) == whole &&
           (from.data[descriptor] & has_checksum) == std::byte{0};
  }

  template <class Handle, auto create, auto destroy, auto size_of>
  struct Context {
    Handle* handle = create();
    Context() {
      if (!handle) throw Error{"cannot allocate a zstd context"};
    }
    Context(Context const&) = delete;
    Context& operator=(Context const&) = delete;
    ~Context() { destroy(handle); }
    std::uint64_t held() const { return size_of(handle); }
  };
  using Decoder = Context<ZSTD_DCtx, ZSTD_createDCtx, ZSTD_freeDCtx, ZSTD_sizeof_DCtx>;
  using Encoder = Context<ZSTD_CCtx, ZSTD_createCCtx, ZSTD_freeCCtx, ZSTD_sizeof_CCtx>;

  static std::size_t checked(std::size_t result, std::size_t from, std::size_t to) {
    if (ZSTD_isError(result))
      throw CodecError{to_text({from, " bytes do not decode to ", to, ": ", ZSTD_getErrorName(result)})};
    return result;
  }
};

}  // namespace codec
}}  // namespace tessera::v0
