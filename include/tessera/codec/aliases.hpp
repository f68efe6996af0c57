// Names of codecs that mean another's: a table.
#pragma once
#include <string_view>

namespace tessera { inline namespace v0 { namespace detail {

struct CodecAlias {
  std::string_view alias, name;
};

/// Both take the same configuration, and make the same bytes.
inline constexpr CodecAlias codec_aliases[]{
    {"numcodecs.bitround", "bitround"},  // zarr-extensions, codecs/bitround
    {"numcodecs.crc32c", "crc32c"},      // zarr-python, zarrs
    {"numcodecs.gzip", "gzip"},          // zarr-python
    {"zlib", "numcodecs.zlib"},          // an older zarrs
};

/// The name that this one means; itself, where it is no alias.
constexpr std::string_view usual_name(std::string_view name) {
  for (auto const& one : codec_aliases)
    if (one.alias == name) return one.name;
  return name;
}
/// Whether a document's name is this codec's.
constexpr bool means(std::string_view given, std::string_view codec) {
  return given == codec || usual_name(given) == codec;
}

}}}  // namespace tessera::v0::detail
