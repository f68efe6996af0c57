// Any text as the document of an array or of a group: an accepted one can be written, and then has the same meaning.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <tessera/metadata/documents.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;

namespace {

template <class Read>
std::string rewritten(std::string_view text, Read read) {
  auto const value = parse_json(text);
  ObjectReader reader{value, ""};
  (void)reader.find("zarr_format");
  return to_json(to_value(read(reader)));
}

template <class Read>
void try_reading(std::string_view text, Read read) {
  std::string once;
  try {
    once = rewritten(text, read);
  } catch (MetadataError const&) {
    return;
  }
  if (rewritten(once, read) != once) std::abort();  // throws, if it cannot read our output
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  try_reading(text, [](ObjectReader& reader) {
    auto array = read_array_metadata(reader);
    try {
      auto const pipeline = AnyPipeline<space::Host, space::Host, AllCodecs>::from(array.codecs);
      (void)pipeline.resolve(chunk_of(array));
      array.codecs = pipeline.specifications(chunk_of(array));
    } catch (MetadataError const&) {
    }
    return array;
  });
  try_reading(text, read_group_metadata);
  return 0;
}
