// Any text as `.zarray`, or as `.zgroup`: its v3 document describes the same array, which can be written as v2 again
// without a change of meaning.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <tessera/metadata/detail/new_documents.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;

namespace {

ArrayMetadata read(Value const& document) {
  auto const lowered = detail::lower_v2_array(document, {});
  ObjectReader reader{lowered, ""};
  auto array = read_array_metadata(reader);
  auto const pipeline = AnyPipeline<space::Host, space::Host, AllCodecs>::from(array.codecs);
  (void)pipeline.resolve(chunk_of(array));
  array.codecs = pipeline.specifications(chunk_of(array));
  return array;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  Value document;
  try {
    document = parse_json({reinterpret_cast<char const*>(data), size});
    (void)detail::lower_v2_group(document, {});
  } catch (MetadataError const&) {
  }
  std::string once;
  try {
    once = detail::new_documents("", detail::as_v2(read(document))).back().text;
  } catch (MetadataError const&) {
    return 0;
  }
  // Throws, if it cannot read our output.
  if (detail::new_documents("", detail::as_v2(read(parse_json(once)))).back().text != once) std::abort();
  return 0;
}
