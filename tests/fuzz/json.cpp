// Any text: tessera's parser agrees with nlohmann_json, and an accepted text is written unchanged.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <support/json_oracle.hpp>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const found = test::json_disagreement({reinterpret_cast<char const*>(data), size});
  if (!found.empty()) std::fputs((found + '\n').c_str(), stderr), std::abort();
  return 0;
}
