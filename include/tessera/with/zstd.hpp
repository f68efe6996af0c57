// codec::Zstd: Zstandard frames (RFC 8878; registered extension codecs/zstd). Needs libzstd (BSD-3-Clause): link
// tessera::zstd.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#if !__has_include(<zstd.h>)
#error "tessera/with/zstd.hpp needs libzstd: on Debian or Ubuntu, apt install libzstd-dev"
#endif
#include <zstd.h>

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
    auto const context = on.lease<Context<ZSTD_DCtx, ZSTD_createDCtx, ZSTD_freeDCtx>>();
    return checked(ZSTD_decompressDCtx(context->handle, to.data, to.size, from.data, from.size), from.size, to.size);
  }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const {
    auto const context = on.lease<Context<ZSTD_CCtx, ZSTD_createCCtx, ZSTD_freeCCtx>>();
    ZSTD_CCtx_setParameter(context->handle, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context->handle, ZSTD_c_checksumFlag, checksum);
    return checked(ZSTD_compress2(context->handle, to.data, to.size, from.data, from.size), from.size, to.size);
  }

 private:
  template <class Handle, auto create, auto destroy>
  struct Context {
    Handle* handle = create();
    Context() {
      if (!handle) throw Error{"cannot allocate a zstd context"};
    }
    Context(Context const&) = delete;
    Context& operator=(Context const&) = delete;
    ~Context() { destroy(handle); }
  };

  static std::size_t checked(std::size_t result, std::size_t from, std::size_t to) {
    if (ZSTD_isError(result))
      throw CodecError{to_text({from, " bytes do not decode to ", to, ": ", ZSTD_getErrorName(result)})};
    return result;
  }
};

}  // namespace codec
}}  // namespace tessera::v0
