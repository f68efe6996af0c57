// Any lines as the header of a server's answer: an accepted range lies in the value.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <tessera/core/error.hpp>
#include <tessera/with/detail/curl/curl_response.hpp>

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view text{reinterpret_cast<char const*>(data), size};
  http::Response response;
  while (!text.empty()) {
    auto const line = text.substr(0, text.find('\n') + 1);  // all, if there is none
    auto const taken = line.empty() ? text : line;
    response.take(taken);
    text.remove_prefix(taken.size());
    if (auto const& range = response.range) {
      auto const end = range->first + range->count;
      if (end < range->first || (range->total && end > *range->total)) std::abort();
    }
  }
  try {
    response.expect_plain();
  } catch (StoreError const&) {
  }
  return 0;
}
