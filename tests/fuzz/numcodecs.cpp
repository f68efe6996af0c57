// Any bytes as a chunk of numcodecs' codecs of bytes, and of delta: by the codec that the first one chooses, into room
// of any size.
#include <cstddef>
#include <cstdint>
#include <string>

#include <fuzz/decode.hpp>
#include <tessera/codec/array_to_array/delta.hpp>
#include <tessera/codec/bytes_to_bytes/hdf5_checksums.hpp>
#include <tessera/codec/bytes_to_bytes/shuffle.hpp>
#include <tessera/codec/detail/configuration.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/with/bz2.hpp>
#include <tessera/with/deflate.hpp>
#include <tessera/with/lz4.hpp>
#include <tessera/with/lzma.hpp>

using namespace tessera;

namespace {

template <class C>
int decode(std::string const& configuration, std::uint8_t const* data, std::size_t size) {
  auto const value = parse_json(configuration);
  ObjectReader reader{value, "configuration"};
  return fuzz::decode(detail::configured<C>(reader), data, size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  auto const more = data[1];
  std::string const place = more % 2 != 0 ? R"({"location": "start"})" : R"({"location": "end"})";
  constexpr char const* types[]{"|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8"};
  bool const is_real = more > 250;
  std::string const real = more % 2 != 0 ? "<f4" : "<f8";
  std::string const dtype = is_real ? real : types[more % 8], astype = is_real ? real : types[more / 8 % 8];
  switch (data += 2, size -= 2; data[-2] % 10) {
    case 0:
      return decode<codec::Zlib>(R"({"level": 1})", data, size);
    case 1:
      return decode<codec::Lz4>("{}", data, size);
    case 2:
      return decode<codec::Bz2>("{}", data, size);
    case 3:
      return decode<codec::Lzma>(more % 2 != 0 ? R"({"format": 1})" : R"({"format": 2})", data, size);
    case 4:
      return decode<codec::Crc32>(place, data, size);
    case 5:
      return decode<codec::Adler32>(place, data, size);
    case 6:
      return decode<codec::Fletcher32>("{}", data, size);
    case 7:
      return decode<codec::JenkinsLookup3>(R"({"initval": )" + std::to_string(more) + "}", data, size);
    case 8:
      return decode<codec::Shuffle>(R"({"elementsize": )" + std::to_string(more % 20) + "}", data, size);
    default:
      return decode<codec::Delta>(R"({"dtype": ")" + dtype + R"(", "astype": ")" + astype + "\"}", data, size);
  }
}
