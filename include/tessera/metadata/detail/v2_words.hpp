// in_words_of: errors about Zarr v2 arrays in the words of their document; the codec code knows only those of v3.
#pragma once
#include <string>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>
#include <tessera/metadata/detail/format.hpp>

namespace tessera { inline namespace v0 { namespace detail {

[[gnu::cold]] TESSERA_DECL std::string in_v2_words(std::string text);

/// Runs f, which creates the codecs of an array's document.
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

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/v2_words.ipp>
#endif
