// A random pipeline as a type, its document, and its encoding of elements, computed element by element.
#pragma once
#include <bit>
#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

#include <support/codec_run.hpp>
#include <support/document.hpp>
#include <support/random.hpp>
#include <support/reference.hpp>
#include <tessera/pipeline/pipeline.hpp>
#include <tessera/with/all.hpp>

namespace test {

inline constexpr auto other_endian =
    std::endian::native == std::endian::little ? std::endian::big : std::endian::little;

/// The codec as a document writes it.
inline std::string json(tessera::codec::Transpose const& codec) {
  return R"({"name": "transpose", "configuration": {"order": )" + to_string(codec.order) + "}}";
}
inline std::string json(tessera::codec::Bytes const& codec) {
  if (!codec.endian) return R"({"name": "bytes"})";
  return R"({"name": "bytes", "configuration": {"endian": ")" +
         std::string{*codec.endian == std::endian::little ? "little" : "big"} + "\"}}";
}
inline std::string json(tessera::codec::Zstd const& codec) {
  return R"({"name": "zstd", "configuration": {"level": )" + std::to_string(codec.level) + R"(, "checksum": )" +
         (codec.checksum ? "true" : "false") + "}}";
}
inline std::string json(tessera::codec::Blosc const& codec) {
  return R"({"name": "blosc", "configuration": {"typesize": )" +
         std::to_string(codec.typesize == 0 ? 1 : codec.typesize) + R"(, "cname": ")" + codec.cname +
         R"(", "clevel": )" + std::to_string(codec.clevel) + R"(, "shuffle": ")" + codec.shuffle +
         R"(", "blocksize": )" + std::to_string(codec.blocksize) + "}}";
}

inline std::string json(tessera::codec::Gzip const& codec) {
  return R"({"name": "gzip", "configuration": {"level": )" + std::to_string(codec.level) + "}}";
}
inline std::string json(tessera::codec::Crc32c const&) { return R"({"name": "crc32c"})"; }

template <class... Codecs>
std::string json_list(Codecs const&... codecs) {
  std::string list;
  ((list += (list.empty() ? "" : ", ") + json(codecs)), ...);
  return "[" + list + "]";
}

/// The stored bytes of a chunk's elements (C order, the machine's byte order).
struct Stored {
  Bytes bytes;
  Extents shape;
  tessera::DataType type;

  void apply(tessera::codec::Transpose const& codec) {
    auto [after, after_shape] = transposed(bytes, shape, codec.order, type.size);
    bytes = after, shape = after_shape;
  }
  void apply(tessera::codec::Bytes const& codec) {
    if (codec.endian == other_endian) bytes = swapped(bytes, type.component());
  }
  template <class C>
  void apply(C const& codec) {
    bytes = encoded(codec, bytes);
  }
};

template <class... Codecs>
Bytes stored(Bytes const& elements, Extents const& shape, tessera::DataType type, Codecs const&... codecs) {
  Stored chunk{elements, shape, type};
  (chunk.apply(codecs), ...);
  return chunk.bytes;
}

/// A codec of type C with a random configuration, for chunks of that rank.
template <class C>
C random_codec(Random& random, std::size_t rank) {
  if constexpr (std::is_same_v<C, tessera::codec::Transpose>)
    return {random.permutation(rank)};
  else if constexpr (std::is_same_v<C, tessera::codec::Bytes>)
    return {random.one_in(2) ? std::endian::little : std::endian::big};
  else if constexpr (std::is_same_v<C, tessera::codec::Zstd>)
    return {static_cast<int>(random(0, 5)), random.one_in(2)};
  else if constexpr (std::is_same_v<C, tessera::codec::Gzip>)
    return {static_cast<int>(random(0, 9))};
  else if constexpr (std::is_same_v<C, tessera::codec::Crc32c>)
    return {};
  else
    return {"lz4", static_cast<int>(random(0, 9)), random.one_in(2) ? "shuffle" : "bitshuffle", random(1, 8), 0};
}

/// Any data type, raw ones of three bytes too.
inline tessera::DataType random_type(Random& random) {
  auto const i = random(0, std::size(tessera::data_types));
  return i < std::size(tessera::data_types) ? tessera::data_types[i] : tessera::DataType{tessera::DataKind::raw, 3};
}

}  // namespace test
