#include <fuzz/decode.hpp>
#include <tessera/with/blosc.hpp>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  return fuzz::decode(tessera::codec::Blosc{}, data, size);
}
