#include <fuzz/decode.hpp>
#include <tessera/with/deflate.hpp>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  return fuzz::decode(tessera::codec::Gzip{}, data, size);
}
