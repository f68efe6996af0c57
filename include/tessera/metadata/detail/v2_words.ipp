#pragma once
#include <tessera/metadata/detail/v2_words.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::string in_v2_words(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> words[]{
      {"member codecs: ", "members filters and compressor: "},
      {"member configuration.", "member "},
      {"\"numcodecs.", "\""},
      {"codec numcodecs.", "codec "}};
  for (auto const& [of_v3, of_v2] : words)
    for (auto at = text.find(of_v3); at != text.npos; at = text.find(of_v3, at + of_v2.size()))
      text.replace(at, of_v3.size(), of_v2);
  return text;
}

}}}  // namespace tessera::v0::detail
