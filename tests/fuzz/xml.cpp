// Any text as the XML of a bucket's answer: its elements lie in it, one after the other, and their texts are no longer.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <tessera/with/detail/s3/s3_xml.hpp>

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  for (auto const* name : {"Contents", "Blob", "Key", "Code"}) {
    auto rest = text;
    while (auto const found = s3::xml::take(rest, name)) {
      if (rest.size() >= text.size() || text.data() + text.size() != rest.data() + rest.size()) std::abort();
      bool const is_inside =
          found->empty() || (found->data() >= text.data() && found->data() + found->size() <= rest.data());
      if (!is_inside || s3::xml::plain(*found).size() > found->size()) std::abort();
      if (s3::xml::text_of(*found, "Key").size() > found->size()) std::abort();
    }
  }
  return 0;
}
