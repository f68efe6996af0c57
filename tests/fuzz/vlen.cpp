// Any bytes as a chunk of strings, and of bytes: elements lie within it, and are encoded to the same bytes; and as one
// of zarrs' vlen, whose index is before or after them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <tessera/codec/array_to_bytes/vlen.hpp>
#include <tessera/codec/detail/configuration.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/pipeline/detail/varying_stages.hpp>

using namespace tessera;

namespace {

template <class C>
void decode(std::vector<std::byte> const& from, std::size_t count) {
  static Queue<space::Host> on;
  std::vector<std::byte> elements(count * sizeof(detail::ElementReference)), again(from.size());
  C const codec;
  try {
    if (codec.decode({from.data(), from.size()}, {elements.data(), elements.size()}, on) != elements.size())
      std::abort();
  } catch (CodecError const&) {
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    auto const element = detail::reference_at(elements.data() + i * sizeof(detail::ElementReference));
    if (element.data < from.data() || element.data + element.size > from.data() + from.size()) std::abort();
  }
  if (codec.encode({elements.data(), elements.size()}, {again.data(), again.size()}, on) != from.size()) std::abort();
  if (again != from) std::abort();
}

void decode_indexed(std::vector<std::byte> const& from, std::size_t count) {
  using C = codec::VlenIndexed<Codecs<codec::Bytes>>;
  static Queue<space::Host> on;
  static C::kept kept;
  static std::vector<C> const codecs = [] {
    std::vector<C> all;
    for (auto const* type : {"uint32", "uint64"})
      for (auto const* location : {"start", "end"}) {
        auto const value = parse_json(R"({"index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}], )"
                                      R"("data_codecs": ["bytes"], "index_data_type": ")" +
                                      std::string{type} + R"(", "index_location": ")" + location + "\"}");
        ObjectReader reader{value, "configuration"};
        all.push_back(C::from(reader));
      }
    return all;
  }();
  for (auto const& codec : codecs)
    for (auto const type : {string_type, bytes_type}) try {
        std::vector<std::byte> elements(count * sizeof(detail::ElementReference));
        ChunkSpecification const chunk{{count}, type};
        (void)codec.decode(chunk, {from.data(), from.size()}, {elements.data(), elements.size()}, on, kept);
        for (std::size_t i = 0; i < count; ++i) {
          auto const element = detail::reference_at(elements.data() + i * sizeof(detail::ElementReference));
          if (element.size > 0 &&
              (element.data < from.data() || element.data + element.size > from.data() + from.size()))
            std::abort();
        }
      } catch (CodecError const&) {
      }
}

}  // namespace

/// The first byte is the expected number of elements.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  std::vector<std::byte> from(size - 1);
  if (size > 1) std::memcpy(from.data(), data + 1, size - 1);
  decode<codec::VlenUtf8>(from, data[0]);
  decode<codec::VlenBytes>(from, data[0]);
  decode_indexed(from, data[0]);
  return 0;
}
