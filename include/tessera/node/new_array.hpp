// What a new array is to be, as a program says it.
#pragma once
#include <concepts>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/value.hpp>
#include <tessera/key/chunk_key.hpp>
#include <tessera/metadata/dimension_names.hpp>
#include <tessera/metadata/format.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

// What zarr-python says for chunk_shape: a line of its own.
struct NamedChunks {
  NamedChunks() = default;
  template <class... A>
  requires(sizeof...(A) > 0 && !(std::same_as<A, NamedChunks> && ...)) NamedChunks(A const&...) {
    static_assert(sizeof...(A) == 0,
                  "tessera: a new array has a .chunk_shape, and no .chunks; name what you give: "
                  "{.shape = {100, 200}, .chunk_shape = {10, 20}, .fill = 1}");
  }
};
// The same, for what the codecs say.
struct NamedShards {
  NamedShards() = default;
  template <class... A>
  requires(sizeof...(A) > 0 && !(std::same_as<A, NamedShards> && ...)) NamedShards(A const&...) {
    static_assert(
        sizeof...(A) == 0,
        "tessera: a new array has no .shards: .chunk_shape is the shape of its shards, and the codec has that of the "
        "chunks in them: Pipeline<space::Host, codec::Sharding<Inner>>{codec::Sharding<Inner>{{25, 25}}}");
  }
};

}  // namespace detail

/// Describes a new array. The codecs come from the pipeline.
template <class T>
struct NewArray {
  Extents shape;
  Extents chunk_shape{};
  detail::NamedChunks chunks{};  ///< not to be named
  detail::NamedShards shards{};  ///< likewise
  T fill{};
  Members attributes{};
  DimensionNames dimension_names{};  ///< none, or one for each dimension
  ChunkKeyEncoding key_encoding{};
  ZarrFormat format = ZarrFormat::v3;
  bool overwrite = false;  ///< erase what is at the path; else it is an error if there is something
};

}}  // namespace tessera::v0
