// arrow_c::Lz4Frame: bodies of Arrow's messages that are compressed by LZ4, for a MessageReader and batch_messages.
// Needs liblz4 (BSD-2-Clause): link tessera::lz4.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#if !__has_include(<lz4frame.h>)
#error "tessera/with/arrow/lz4.hpp needs liblz4: on Debian or Ubuntu, apt install liblz4-dev"
#endif
#include <lz4frame.h>

#include <tessera/core/error.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c {

/// Arrow's compression LZ4_FRAME: each buffer is one frame of the LZ4 frame format. `level` is for writing: 0 is fast,
/// 3 to 12 are smaller and slower.
struct Lz4Frame {
  static constexpr std::string_view arrow_name = "LZ4_FRAME";  ///< in Arrow's format
  static constexpr std::int8_t arrow_number = 0;               ///< likewise

  int level = 0;

  /// The most bytes that a frame of this size can decode to: a byte of LZ4 stands for at most 255.
  std::size_t decoded_bound(ByteView<space::Host> from) const {
    constexpr auto most = std::numeric_limits<std::size_t>::max();
    return from.size > most / 255 ? most : from.size * 255;
  }
  /// Returns the number of decoded bytes. Throws: CodecError, if the bytes are no frame, more than one, or one that
  /// decodes to more than `to.size` bytes.
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const {
    auto const context = on.lease<Context>();
    LZ4F_resetDecompressionContext(context->handle);  // an error may have left it inside a frame
    std::size_t read = 0, written = 0;
    for (;;) {
      auto in = from.size - read, out = to.size - written;
      auto const left = LZ4F_decompress(context->handle, to.data + written, &out, from.data + read, &in, nullptr);
      if (LZ4F_isError(left))
        throw CodecError{to_text({from.size, " bytes do not decode to ", to.size, ": ", LZ4F_getErrorName(left)})};
      read += in, written += out;
      if (left == 0) break;
      if (in == 0 && out == 0)
        throw CodecError{to_text({from.size, " bytes do not decode to ", to.size, ": the frame ",
                                  read == from.size ? "is cut short" : "has more"})};
    }
    if (read != from.size)
      throw CodecError{to_text({"the frame ends after ", read, " of ", from.size, " bytes"})};
    return written;
  }

  /// The most bytes of a frame of that many.
  std::size_t encoded_bound(std::size_t plain) const { return LZ4F_compressFrameBound(plain, nullptr); }
  /// Returns the number of bytes of the frame. Throws: CodecError, if it does not fit.
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    LZ4F_preferences_t preferences{};
    preferences.compressionLevel = level;
    auto const size = LZ4F_compressFrame(to.data, to.size, from.data, from.size, &preferences);
    if (LZ4F_isError(size))
      throw CodecError{to_text({from.size, " bytes do not encode to ", to.size, ": ", LZ4F_getErrorName(size)})};
    return size;
  }

 private:
  struct Context {
    LZ4F_dctx* handle = nullptr;
    Context() {
      if (LZ4F_isError(LZ4F_createDecompressionContext(&handle, LZ4F_VERSION)))
        throw Error{"cannot allocate an LZ4 context"};
    }
    Context(Context const&) = delete;
    Context& operator=(Context const&) = delete;
    ~Context() { LZ4F_freeDecompressionContext(handle); }
  };
};

}}}  // namespace tessera::v0::arrow_c
