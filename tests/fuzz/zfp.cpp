// Any bytes as a chunk of zfp or zfpy, with elements and a shape that the first five choose: in every mode, and by the
// mode that zfpy's header names.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <tessera/codec/detail/configuration.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/with/zfp.hpp>

using namespace tessera;

namespace {

template <class C>
void decode(C const& codec, ChunkSpecification const& chunk, std::uint8_t const* data, std::size_t size) {
  static Queue<space::Host> on;
  auto const room = chunk.size_in_bytes();
  std::vector<std::byte> to(room), from(size);
  if (size > 0) std::memcpy(from.data(), data, size);
  try {
    (void)codec.layout(chunk);
    if (codec.decode(chunk, {from.data(), size}, {to.data(), room}, on) != room) std::abort();
    // The decoded elements are stored within the bound.
    std::vector<std::byte> again(codec.encoded_bound(chunk));
    (void)codec.encode(chunk, {to.data(), room}, {again.data(), again.size()}, on);
  } catch (CodecError const&) {
  } catch (MetadataError const&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 5) return 0;
  constexpr char const* modes[]{
      R"({"mode": "reversible"})",
      R"({"mode": "fixed_rate", "rate": 7.5})",
      R"({"mode": "fixed_precision", "precision": 11})",
      R"({"mode": "fixed_accuracy", "tolerance": 0.01})",
      R"({"mode": "expert", "minbits": 0, "maxbits": 3, "maxprec": 64, "minexp": -1074})",
      R"({"mode": "expert", "minbits": 900, "maxbits": 1200, "maxprec": 20, "minexp": -5})"};
  DataType const types[]{data_type_of<float>(),        data_type_of<double>(),        data_type_of<std::int32_t>(),
                         data_type_of<std::int64_t>(), data_type_of<std::uint64_t>(), data_type_of<std::uint32_t>(),
                         data_type_of<std::int8_t>(),  data_type_of<std::uint16_t>()};
  Extents shape;
  for (unsigned d = 0; d < data[2] % 5; ++d) shape.push_back(1u + (data[3 + d / 2] >> 4 * (d % 2)) % 16u);
  ChunkSpecification const chunk{shape, types[data[1] % 8]};
  auto const how = data[0] % std::size_t{7};
  data += 5, size -= 5;
  if (how == 6) {
    decode(codec::Zfpy{}, chunk, data, size);
  } else {
    static auto const values = [&] {
      std::vector<Value> all;
      for (auto const* mode : modes) all.push_back(parse_json(mode));
      return all;
    }();
    ObjectReader reader{values[how], "configuration"};
    decode(codec::Zfp::from(reader), chunk, data, size);
  }
  return 0;
}
