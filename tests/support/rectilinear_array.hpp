// Documents of arrays of int32 whose chunks have different lengths.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include <support/document.hpp>
#include <support/random.hpp>
#include <support/store_conformance.hpp>

namespace test {

inline constexpr char const* plain_codecs = R"([{"name": "bytes", "configuration": {"endian": "little"}}])";

/// Puts the document of an array at "a". `lengths`: a list for each dimension, as in the document.
template <class S>
void put_rectilinear(S const& store, Extents const& shape, std::string const& lengths,
                     std::string const& codecs = plain_codecs) {
  put(store, "a/zarr.json",
      array_document()
          .set("shape", to_string(shape))
          .set("data_type", "\"int32\"")
          .set("fill_value", "-1")
          .set("chunk_grid", R"({"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": )" +
                                 lengths + "}}")
          .set("codecs", codecs)
          .text());
}

/// Lengths that reach beyond `shape`, some of them runs, all multiples of `inner`.
inline std::string random_lengths(Random& random, Extents const& shape, Extents const& inner) {
  std::string all = "[";
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    all += d == 0 ? "[" : ", [";
    for (std::uint64_t sum = 0; sum < shape[d];) {
      auto const length = inner[d] * random(1, 4), count = random.one_in(3) ? random(1, 3) : 1;
      all += (sum == 0 ? "[" : ", [") + std::to_string(length) + ", " + std::to_string(count) + "]";
      sum += length * count;
    }
    all += "]";
  }
  return all + "]";
}

/// Codecs of shards of such inner chunks.
inline std::string sharded_codecs(Extents const& inner) {
  return R"([{"name": "sharding_indexed", "configuration": {"chunk_shape": )" + to_string(inner) +
         R"(, "codecs": [{"name": "bytes", "configuration": {"endian": "big"}}, {"name": "crc32c"}],
             "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]}}])";
}

}  // namespace test
