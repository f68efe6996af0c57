#include <fuzz/decode.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.hpp>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  return fuzz::decode(tessera::codec::Crc32c{}, data, size);
}
