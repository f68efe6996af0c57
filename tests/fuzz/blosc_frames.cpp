// Any bytes as a blosc chunk, decoded on the host by the kernels' code: no access is out of bounds, and the result
// agrees with c-blosc.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <blosc.h>

#include <support/blosc_on_host.hpp>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  std::size_t const room = data[0] | std::size_t{data[1]} << 8;
  std::string const chunk(reinterpret_cast<char const*>(data) + 2, size - 2);
  auto const found = test::blosc_on_host(chunk, room);
  if (!found) return 0;
  std::string expected(room, '?');
  auto const done = blosc_decompress_ctx(chunk.data(), expected.data(), room, 1);
  if (done < 0) std::abort();
  expected.resize(static_cast<std::size_t>(done));
  if (*found != expected) std::abort();
  return 0;
}
