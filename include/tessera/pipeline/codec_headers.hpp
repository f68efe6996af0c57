// What a program lacks that does not know a codec of tessera's, or knows one where it cannot run.
#pragma once
#include <concepts>
#include <string>
#include <string_view>

#include <tessera/codec/aliases.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/core/text.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// "; include <tessera/with/zstd.hpp> and list codec::Zstd": for a message; nothing, if tessera has no such codec.
inline std::string how_to_list(std::string_view codec) {
  struct Known {
    std::string_view codec, type, header;
  };
  constexpr Known all[]{{"blosc", "Blosc", "with/blosc"},
                        {"gzip", "Gzip", "with/deflate"},
                        {"zstd", "Zstd", "with/zstd"},
                        {"bytes", "Bytes", ""},
                        {"crc32c", "Crc32c", ""},
                        {"transpose", "Transpose", ""},
                        {"bitround", "BitRound", "codec/array_to_array/bit_round"},
                        {"cast_value", "CastValue", "codec/array_to_array/cast_value"},
                        {"packbits", "PackBits", "codec/array_to_bytes/pack_bits"},
                        {"reshape", "Reshape", "codec/array_to_array/reshape"},
                        {"scale_offset", "ScaleOffset", "codec/array_to_array/scale_offset"},
                        {"vlen-bytes", "VlenBytes", "array/strings"},
                        {"vlen-utf8", "VlenUtf8", "array/strings"},
                        {"zfp", "Zfp", "with/zfp"},
                        {"numcodecs.adler32", "Adler32", "with/deflate"},
                        {"numcodecs.astype", "AsType", "codec/array_to_array/as_type"},
                        {"numcodecs.bz2", "Bz2", "with/bz2"},
                        {"numcodecs.crc32", "Crc32", "with/deflate"},
                        {"numcodecs.delta", "Delta", "codec/array_to_array/delta"},
                        {"numcodecs.fixedscaleoffset", "FixedScaleOffset", "codec/array_to_array/fixed_scale_offset"},
                        {"numcodecs.fletcher32", "Fletcher32", "codec/bytes_to_bytes/fletcher32"},
                        {"numcodecs.jenkins_lookup3", "JenkinsLookup3", "codec/bytes_to_bytes/jenkins_lookup3"},
                        {"numcodecs.lz4", "Lz4", "with/lz4"},
                        {"numcodecs.lzma", "Lzma", "with/lzma"},
                        {"numcodecs.packbits", "PackedBooleans", "codec/array_to_array/packed_booleans"},
                        {"numcodecs.quantize", "Quantize", "codec/array_to_array/quantize"},
                        {"numcodecs.shuffle", "Shuffle", "codec/bytes_to_bytes/shuffle"},
                        {"numcodecs.zfpy", "Zfpy", "with/zfp"},
                        {"numcodecs.zlib", "Zlib", "with/deflate"}};
  for (auto const& one : all)
    if (means(codec, one.codec)) {
      auto const header = one.header.empty() ? "" : text({"include <tessera/", one.header, ".hpp> and "});
      return text({"; ", header, "list codec::", one.type});
    }
  return "";
}

template <MemorySpace S>
constexpr std::string_view space_name() {
  if (std::same_as<S, space::Host>) return "host";
  if (std::same_as<S, space::Pinned>) return "pinned";
  if (std::same_as<S, space::Managed>) return "managed";
  return std::same_as<S, space::Device> ? "device" : "another";
}
template <MemorySpace S>
constexpr std::string_view space_type() {
  if (std::same_as<S, space::Host>) return "space::Host";
  if (std::same_as<S, space::Pinned>) return "space::Pinned";
  if (std::same_as<S, space::Managed>) return "space::Managed";
  return std::same_as<S, space::Device> ? "space::Device" : "the space";
}

/// "device", or "host or device": where codecs between these two may run.
template <MemorySpace ArraySpace, MemorySpace BytesSpace>
std::string space_names() {
  if constexpr (std::same_as<ArraySpace, BytesSpace>)
    return std::string{space_name<BytesSpace>()};
  else
    return text({space_name<ArraySpace>(), " or ", space_name<BytesSpace>()});
}

/// What a listed codec says that runs in neither space, but on the host or else on the device, and the pipeline that
/// lets it run.
template <bool RunsOnHost, MemorySpace ArraySpace, MemorySpace BytesSpace>
std::string how_to_run(std::string_view codec) {
  std::string_view const name = RunsOnHost ? space_name<space::Host>() : space_name<space::Device>();
  std::string_view const type = RunsOnHost ? space_type<space::Host>() : space_type<space::Device>();
  auto const where =
      text({" is among this program's codecs, but runs in ", name,
            " memory only, where the chunks are to be coded in ", space_names<ArraySpace, BytesSpace>(), " memory"});
  // Where it comes from: an array's elements on the other side, or a list that is too short.
  if (std::same_as<ArraySpace, space::Host> && std::same_as<BytesSpace, space::Host>) {
    auto const how = how_to_list(codec);
    if (!how.empty()) return where + how;
    return text({where, "; list one of that name that runs there, or name where chunks cross, AnyPipeline<", type,
                 ", space::Host, Codecs<...>>"});
  }
  return text({where, "; name the cast, AnyPipeline<", space_type<ArraySpace>(), ", ", type,
               ", Codecs<...>>, over a store of ", name, " bytes"});
}

}}}  // namespace tessera::v0::detail
