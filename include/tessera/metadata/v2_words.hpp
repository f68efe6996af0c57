// Errors of an array of Zarr v2 in the words of its own document: what runs its codecs knows those of v3 alone.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/error.hpp>
#include <tessera/metadata/format.hpp>

namespace tessera { inline namespace v0 { namespace detail {

[[gnu::cold]] inline std::string in_v2_words(std::string text) {
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

/// Runs f, which makes what runs the codecs of an array's document.
template <class F>
auto in_words_of(ZarrFormat format, F&& f) {
  if (format == ZarrFormat::v3) return f();
  try {
    return f();
  } catch (MetadataError const& error) {
    throw MetadataError{in_v2_words(error.unsupported()), in_v2_words(error.what())};
  }
}

}}}  // namespace tessera::v0::detail
