// Codecs of single elements, and those that pack bits: chunks of any bytes, with a type and a configuration that the
// first ones choose, are decoded, and the result is encoded.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <tessera/codec/array_to_array/cast_value.hpp>
#include <tessera/codec/array_to_array/packed_booleans.hpp>
#include <tessera/codec/array_to_array/rounding.hpp>
#include <tessera/codec/array_to_array/scale_offset.hpp>
#include <tessera/codec/array_to_bytes/pack_bits.hpp>
#include <tessera/codec/detail/configuration.hpp>
#include <tessera/metadata/json.hpp>

using namespace tessera;

namespace {

template <class C>
void run(std::string const& configuration, ChunkSpecification const& chunk, std::byte const* bytes, std::size_t size) {
  auto const value = parse_json(configuration);
  ObjectReader reader{value, "configuration"};
  auto const codec = detail::configured<C>(reader);
  std::size_t room = 0;  // of an encoded chunk
  if constexpr (C::kind::writes_array)
    room = codec.encoded(chunk).size_in_bytes();
  else
    (void)codec.layout(chunk), room = codec.encoded_bound(chunk);
  std::vector<std::byte> stored(bytes, bytes + size), elements(chunk.size_in_bytes()), again(room);
  static Queue<space::Host> on;
  if (codec.decode(chunk, {stored.data(), stored.size()}, {elements.data(), elements.size()}, on) > elements.size())
    std::abort();
  if (codec.encode(chunk, {elements.data(), elements.size()}, {again.data(), again.size()}, on) > room) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  constexpr std::size_t head = 8;
  if (size < head) return 0;
  constexpr char const* types[]{"int8",  "uint8",  "int16",   "uint16",  "int32",  "uint32",
                                "int64", "uint64", "float16", "float32", "float64"};
  constexpr char const* roundings[]{"nearest-even", "towards-zero", "towards-positive", "towards-negative",
                                    "nearest-away"};
  ChunkSpecification chunk{{data[2] % 64u}, data_types[data[1] % std::size(data_types)], {}};
  std::string const type = types[data[3] % std::size(types)], number = std::to_string(data[4] - 128),
                    other = std::to_string(data[5] - 128) + (data[6] % 2 != 0 ? ".5" : "");
  auto const* const bytes = reinterpret_cast<std::byte const*>(data) + head;
  size -= head;
  try {
    switch (data[0] % 8) {
      case 0:
        run<codec::AsType>(R"({"encode_dtype": ")" + type + "\"}", chunk, bytes, size);
        break;
      case 1:
        run<codec::BitRound>(R"({"keepbits": )" + std::to_string(data[4] % 65) + "}", chunk, bytes, size);
        break;
      case 2:
        run<codec::CastValue>(R"({"data_type": ")" + type + R"(", "rounding": ")" + roundings[data[4] % 5] + "\"" +
                                  (data[5] % 3 == 0   ? R"(, "out_of_range": "clamp")"
                                   : data[5] % 3 == 1 ? R"(, "out_of_range": "wrap")"
                                                      : "") +
                                  R"(, "scalar_map": {"encode": [[)" + number + ", 1]]}}",
                              chunk, bytes, size);
        break;
      case 3:
        run<codec::FixedScaleOffset>(
            R"({"scale": )" + other + R"(, "offset": )" + number + R"(, "astype": ")" + type + "\"}", chunk, bytes,
            size);
        break;
      case 4:
        run<codec::PackedBooleans>("{}", chunk, bytes, size);
        break;
      case 5:
        run<codec::Quantize>(R"({"digits": )" + number + "}", chunk, bytes, size);
        break;
      case 6:
        run<codec::ScaleOffset>(R"({"scale": )" + other + R"(, "offset": )" + number + "}", chunk, bytes, size);
        break;
      default:
        run<codec::PackBits>(R"({"first_bit": )" + std::to_string(data[4] % 64) + R"(, "last_bit": )" +
                                 std::to_string(data[5] % 64) + R"(, "padding_encoding": ")" +
                                 (data[6] % 2 != 0 ? "none" : "last_byte") + "\"}",
                             chunk, bytes, size);
    }
  } catch (CodecError const&) {
  } catch (MetadataError const&) {
  }
  return 0;
}
