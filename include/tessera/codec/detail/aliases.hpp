// codec_aliases: codec names that mean another one.
#pragma once
#include <string_view>

namespace tessera { inline namespace v0 { namespace detail {

struct CodecAlias {
  std::string_view alias, name;
};

/// Both stand for the same bytes, and the same configuration except those that codec/detail/numcodecs.hpp translates.
/// `name` need not be a codec of tessera; a codec with this meaning is found under it.
inline constexpr CodecAlias codec_aliases[]{
    {"endian", "bytes"},                 // drafts of Zarr v3, GDAL until 3.10
    {"numcodecs.bitround", "bitround"},  // zarr-extensions, codecs/bitround
    {"numcodecs.blosc", "blosc"},        // zarr-python, as the next three: in virtual data sets
    {"numcodecs.crc32c", "crc32c"},      // zarrs, too
    {"numcodecs.gzip", "gzip"},
    {"numcodecs.zstd", "zstd"},
    {"numcodecs.vlen-array", "vlen-array"},  // zarrs
    {"numcodecs.vlen-bytes", "vlen-bytes"},
    {"numcodecs.vlen-utf8", "vlen-utf8"},
    {"bz2", "numcodecs.bz2"},  // zarrs, without a prefix or with one of those below
    {"fixedscaleoffset", "numcodecs.fixedscaleoffset"},
    {"fletcher32", "numcodecs.fletcher32"},
    {"pcodec", "numcodecs.pcodec"},
    {"shuffle", "numcodecs.shuffle"},
    {"zfpy", "numcodecs.zfpy"},
    {"zlib", "numcodecs.zlib"},
    {"vlen_array", "vlen-array"},
    {"vlen_bytes", "vlen-bytes"},
    {"vlen_utf8", "vlen-utf8"},
};

/// The last part of a zarrs name: "squeeze" of "zarrs.squeeze" and "https://codec.zarrs.dev/array_to_array/squeeze".
/// Other names are unchanged.
constexpr std::string_view without_prefix_of_zarrs(std::string_view name) {
  constexpr std::string_view registered = "zarrs.", addressed = "https://codec.zarrs.dev/";
  if (name.starts_with(registered)) return name.substr(registered.size());
  if (name.starts_with(addressed)) return name.substr(name.rfind('/') + 1);
  return name;
}

/// The common name of all names with this meaning; the name itself, if it is no alias.
constexpr std::string_view usual_name(std::string_view name) {
  name = without_prefix_of_zarrs(name);
  for (auto const& one : codec_aliases)
    if (one.alias == name) return one.name;
  return name;
}
/// Whether a name in a document means this codec.
constexpr bool means(std::string_view given, std::string_view codec) {
  return given == codec || usual_name(given) == usual_name(codec);
}

}}}  // namespace tessera::v0::detail
