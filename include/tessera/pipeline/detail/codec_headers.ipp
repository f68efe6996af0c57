#pragma once
#include <tessera/pipeline/detail/codec_headers.hpp>

#include <string>
#include <string_view>

#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/aliases.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::string how_to_list(std::string_view codec) {
  struct Known {
    std::string_view codec, type, header;
  };
  constexpr Known all[]{{"blosc", "Blosc", "with/blosc"},
                        {"gzip", "Gzip", "with/deflate"},
                        {"zstd", "Zstd", "with/zstd"},
                        {"bytes", "Bytes", ""},
                        {"crc32c", "Crc32c", ""},
                        {"transpose", "Transpose", ""},
                        {"bitround", "BitRound", "codec/array_to_array/rounding"},
                        {"cast_value", "CastValue", "codec/array_to_array/cast_value"},
                        {"packbits", "PackBits", "codec/array_to_bytes/pack_bits"},
                        {"reshape", "Reshape", "codec/array_to_array/reshape"},
                        {"scale_offset", "ScaleOffset", "codec/array_to_array/scale_offset"},
                        {"squeeze", "Squeeze", "codec/array_to_array/reshape"},
                        {"vlen", "VlenIndexed<Codecs<...>>", "array/strings"},
                        {"vlen-bytes", "VlenBytes", "array/strings"},
                        {"vlen-utf8", "VlenUtf8", "array/strings"},
                        {"vlen_v2", "VlenV2", "array/strings"},
                        {"zfp", "Zfp", "with/zfp"},
                        {"numcodecs.adler32", "Adler32", "with/deflate"},
                        {"numcodecs.astype", "AsType", "codec/array_to_array/cast_value"},
                        {"numcodecs.bz2", "Bz2", "with/bz2"},
                        {"numcodecs.crc32", "Crc32", "with/deflate"},
                        {"numcodecs.delta", "Delta", "codec/array_to_array/delta"},
                        {"numcodecs.fixedscaleoffset", "FixedScaleOffset", "codec/array_to_array/scale_offset"},
                        {"numcodecs.fletcher32", "Fletcher32", "codec/bytes_to_bytes/hdf5_checksums"},
                        {"numcodecs.jenkins_lookup3", "JenkinsLookup3", "codec/bytes_to_bytes/hdf5_checksums"},
                        {"numcodecs.lz4", "Lz4", "with/lz4"},
                        {"numcodecs.lzma", "Lzma", "with/lzma"},
                        {"numcodecs.packbits", "PackedBooleans", "codec/array_to_array/packed_booleans"},
                        {"numcodecs.pcodec", "Pcodec", "codec/array_to_bytes/pcodec"},
                        {"numcodecs.quantize", "Quantize", "codec/array_to_array/rounding"},
                        {"numcodecs.shuffle", "Shuffle", "codec/bytes_to_bytes/shuffle"},
                        {"numcodecs.zfpy", "Zfpy", "with/zfp"},
                        {"numcodecs.zlib", "Zlib", "with/deflate"}};
  for (auto const& one : all)
    if (means(codec, one.codec)) {
      auto const header = one.header.empty() ? "" : to_text({"include <tessera/", one.header, ".hpp> and "});
      return to_text({"; ", header, "list codec::", one.type});
    }
  return "";
}

TESSERA_DECL std::string how_to_run(std::string_view codec, bool runs_on_host, SpaceName array, SpaceName bytes) {
  auto const type = [](SpaceName space) -> std::string_view {
    switch (space) {
      case SpaceName::host: return "space::Host";
      case SpaceName::pinned: return "space::Pinned";
      case SpaceName::managed: return "space::Managed";
      case SpaceName::device: return "space::Device";
      default: return "the space";
    }
  };
  auto const runs_in = runs_on_host ? SpaceName::host : SpaceName::device;
  auto const coded_in =
      array == bytes ? std::string{word_of(bytes)} : to_text({word_of(array), " or ", word_of(bytes)});
  auto const where = to_text({" is among this program's codecs, but runs in ", word_of(runs_in),
                              " memory only, and the chunks must be coded in ", coded_in, " memory"});
  // Either the list is too short, or the pipeline lacks a cast.
  if (array == SpaceName::host && bytes == SpaceName::host) {
    auto const how = how_to_list(codec);
    if (!how.empty()) return where + how;
    return to_text({where, "; list a codec of that name that runs there, or name the place of the copy, AnyPipeline<",
                    type(runs_in), ", space::Host, Codecs<...>>"});
  }
  return to_text({where, "; name the cast, AnyPipeline<", type(array), ", ", type(runs_in),
                  ", Codecs<...>>, over a store of ", word_of(runs_in), " bytes"});
}

}}}  // namespace tessera::v0::detail
