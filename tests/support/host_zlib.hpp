// numcodecs' zlib on the host, for tests: tessera has it only on the device.
#pragma once
#include <cstddef>
#include <memory>
#include <string_view>

#include <libdeflate.h>

#include <tessera/codec/concept.hpp>

namespace test {

struct HostZlib {
  using kind = tessera::bytes_to_bytes;
  using Host = tessera::space::Host;
  static constexpr std::string_view name = "numcodecs.zlib";

  int level = 1;

  static HostZlib from(tessera::ObjectReader& configuration) { return {configuration.at("level").integer<int>()}; }
  tessera::Value configuration() const { return tessera::Members{{"level", tessera::Value::integer(level)}}; }

  std::size_t encoded_bound(std::size_t decoded) const { return libdeflate_zlib_compress_bound(nullptr, decoded); }
  std::size_t encode(tessera::ByteView<Host> from, tessera::ByteSpan<Host> to, tessera::Queue<Host>&) const {
    std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> const compressor{
        libdeflate_alloc_compressor(level), libdeflate_free_compressor};
    return libdeflate_zlib_compress(compressor.get(), from.data, from.size, to.data, to.size);
  }
  std::size_t decode(tessera::ByteView<Host> from, tessera::ByteSpan<Host> to, tessera::Queue<Host>&) const {
    std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> const decompressor{
        libdeflate_alloc_decompressor(), libdeflate_free_decompressor};
    std::size_t size = 0;
    if (libdeflate_zlib_decompress(decompressor.get(), from.data, from.size, to.data, to.size, &size) !=
        LIBDEFLATE_SUCCESS)
      throw tessera::CodecError{"no zlib stream"};
    return size;
  }
};

}  // namespace test
