// numcodecs' lz4 on the host, for tests: tessera has it only on the device.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <lz4.h>

#include <tessera/codec/concept.hpp>

namespace test {

struct HostLz4 {
  using kind = tessera::bytes_to_bytes;
  using Host = tessera::space::Host;
  static constexpr std::string_view name = "numcodecs.lz4";
  static constexpr std::size_t header = 4;

  int acceleration = 1;

  static HostLz4 from(tessera::ObjectReader& configuration) {
    return {configuration.at("acceleration").integer<int>()};
  }
  tessera::Value configuration() const {
    return tessera::Members{{"acceleration", tessera::Value::integer(acceleration)}};
  }
  std::size_t encoded_bound(std::size_t decoded) const {
    return header + static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(decoded)));
  }
  std::size_t encode(tessera::ByteView<Host> from, tessera::ByteSpan<Host> to, tessera::Queue<Host>&) const {
    for (std::size_t i = 0; i < header; ++i) to.data[i] = static_cast<std::byte>(from.size >> (8 * i));
    auto const size =
        LZ4_compress_fast(reinterpret_cast<char const*>(from.data), reinterpret_cast<char*>(to.data) + header,
                          static_cast<int>(from.size), static_cast<int>(to.size - header), acceleration);
    return header + static_cast<std::size_t>(size);
  }
  std::size_t decode(tessera::ByteView<Host> from, tessera::ByteSpan<Host> to, tessera::Queue<Host>&) const {
    auto const size =
        LZ4_decompress_safe(reinterpret_cast<char const*>(from.data) + header, reinterpret_cast<char*>(to.data),
                            static_cast<int>(from.size - header), static_cast<int>(to.size));
    if (size < 0) throw tessera::CodecError{"no LZ4 block"};
    return static_cast<std::size_t>(size);
  }
};

}  // namespace test
