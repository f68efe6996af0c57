// codec::Lzma: numcodecs' lzma, xz streams or the older .lzma. Needs liblzma (public domain): link tessera::lzma.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#if !__has_include(<lzma.h>)
#error "tessera/with/lzma.hpp needs liblzma: on Debian or Ubuntu, apt install liblzma-dev"
#endif
#include <lzma.h>

#include <tessera/codec/concept.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `format`, 1 (xz) or 2 (.lzma); `check`, -1 (the format's own), 0, 1, 4 or 10; `preset`, 0 to 9 or
/// null; `filters`, null only; `delta`, the distance of a GDAL filter: its streams name the filter themselves, and
/// encoding does not use it. Decoding needs at most `most_memory` besides the chunk.
struct Lzma {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "numcodecs.lzma";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;
  static constexpr std::uint64_t most_memory = std::uint64_t{128} << 20;  ///< bytes: more than preset 9 needs

  int format = 1, check = -1;
  std::optional<std::uint32_t> preset{};

  static Lzma from(ObjectReader& configuration) {
    Lzma codec;
    if (auto const found = configuration.find("format")) codec.format = found->integer<int>(1, 2);
    if (auto const found = configuration.find("check"); found && !found->value().is_null()) {
      codec.check = found->integer<int>();
      if (codec.check != -1 && codec.check != 0 && codec.check != 1 && codec.check != 4 && codec.check != 10)
        found->refuse("-1, 0, 1, 4 or 10");
    }
    constexpr std::uint32_t extreme = LZMA_PRESET_EXTREME;
    if (auto const found = configuration.find("preset"); found && !found->value().is_null()) {
      codec.preset = found->integer<std::uint32_t>(0, extreme | 9);
      if ((*codec.preset & ~extreme) > 9) found->refuse("0 to 9, or 2147483648 plus 0 to 9");
    }
    if (auto const found = configuration.find("filters"); found && !found->value().is_null())
      found->refuse("null: custom filters are not supported");
    if (auto const found = configuration.find("delta"); found && !found->value().is_null())
      (void)found->integer<int>(1, 256);
    return codec;
  }
  Value configuration() const {
    return Members{{"format", Value::integer(format)},
                   {"check", Value::integer(check)},
                   {"preset", preset ? Value::integer(*preset) : Value{}},
                   {"filters", nullptr}};
  }

  std::size_t encoded_bound(std::size_t decoded) const { return decoded + decoded / 3 + 1024; }

  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    Stream stream;
    expect_ok(format == 1 ? lzma_stream_decoder(&stream.is, most_memory, LZMA_CONCATENATED)
                          : lzma_alone_decoder(&stream.is, most_memory));
    auto const status = stream.run(from, to);
    if (status == LZMA_MEMLIMIT_ERROR)
      throw CodecError{to_text({"decoding needs more than ", most_memory, " bytes of memory"})};
    if (status != LZMA_STREAM_END || stream.is.avail_in != 0)
      throw CodecError{to_text({from.size, " bytes do not decode to ", to.size, ": not a complete, valid ",
                                format == 1 ? "xz" : "lzma", " stream, or more data than expected"})};
    return to.size - stream.is.avail_out;
  }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    Stream stream;
    auto const level = preset.value_or(LZMA_PRESET_DEFAULT);
    if (format == 1) {
      expect_ok(lzma_easy_encoder(&stream.is, level, check < 0 ? LZMA_CHECK_CRC64 : static_cast<lzma_check>(check)));
    } else {
      lzma_options_lzma options;
      if (lzma_lzma_preset(&options, level)) throw CodecError{to_text({"the library has no preset ", level})};
      expect_ok(lzma_alone_encoder(&stream.is, &options));
    }
    if (stream.run(from, to) != LZMA_STREAM_END)
      throw CodecError{to_text({from.size, " bytes do not fit into ", to.size, " as lzma"})};
    return to.size - stream.is.avail_out;
  }

 private:
  struct Stream {
    Stream() = default;
    Stream(Stream const&) = delete;
    Stream& operator=(Stream const&) = delete;
    ~Stream() { lzma_end(&is); }

    lzma_ret run(ByteView<space::Host> from, ByteSpan<space::Host> to) {
      is.next_in = reinterpret_cast<std::uint8_t const*>(from.data);
      is.avail_in = from.size;
      is.next_out = reinterpret_cast<std::uint8_t*>(to.data);
      is.avail_out = to.size;
      auto status = LZMA_OK;
      while (status == LZMA_OK) status = lzma_code(&is, LZMA_FINISH);
      return status;
    }

    lzma_stream is = LZMA_STREAM_INIT;
  };

  static void expect_ok(lzma_ret status) {
    if (status != LZMA_OK) throw Error{to_text({"liblzma cannot make a coder: ", static_cast<int>(status)})};
  }
};

}  // namespace codec
}}  // namespace tessera::v0
