// NewArray: describes an array to be made.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/value.hpp>
#include <tessera/key/chunk_key.hpp>
#include <tessera/metadata/dimension_names.hpp>
#include <tessera/metadata/format.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

// The name of .chunks before 0.2, until 0.3.
struct OldChunkShape : Extents {
  OldChunkShape() = default;
  [[deprecated("NewArray::chunk_shape was renamed chunks")]] OldChunkShape(
      std::initializer_list<Entry<std::uint64_t>> given)
      : Extents(given) {}
  template <class R>
  requires std::constructible_from<Extents, R const&>
  [[deprecated("NewArray::chunk_shape was renamed chunks")]] OldChunkShape(R const& given) : Extents(given) {}
};

// Names that programs use in place of a member's.
struct NamedOtherwise {
  NamedOtherwise() = default;
  template <class... A>
  requires(sizeof...(A) > 0 && !(std::same_as<A, NamedOtherwise> && ...)) NamedOtherwise(A const&...) {
    static_assert(sizeof...(A) == 0,
                  "tessera: a new array has no member of this name; its members are, in order, .shape, .shards, "
                  ".chunks, .fill, .attributes, .dimension_names, .key_encoding, .format, .overwrite and .structured");
  }
};

}  // namespace detail

/// Describes a new array. The codecs come from the pipeline.
template <class T>
struct NewArray {
  Extents shape;                        ///< in elements
  detail::OldChunkShape chunk_shape{};  ///< not to be named
  /// Of the shards, in elements: the values of the store, each with many chunks. Empty: each chunk is a value.
  Extents shards{};
  /// Of the chunks, in elements: the parts that are encoded and decoded. They divide a shard. A pipeline with its own
  /// codec::Sharding has their shape; then give `.shards` alone.
  Extents chunks{};
  detail::NamedOtherwise chunk_size{}, dtype{}, fill_value{};  ///< not to be named
  T fill{};                                                    ///< the value of elements that were never written
  detail::NamedOtherwise attrs{};                              ///< not to be named
  Members attributes{};                         ///< of the array: `{{"unit", "mm"}}`
  detail::NamedOtherwise dims{}, dimensions{};  ///< not to be named
  DimensionNames dimension_names{};             ///< none, or one for each dimension
  ChunkKeyEncoding key_encoding{};              ///< how the keys of chunks are made
  ZarrFormat format = ZarrFormat::v3;           ///< of the array's document
  bool overwrite = false;  ///< erase the node at the path; if false, an existing node is an error
  /// For structs in v3: uses the data type "structured", which zarr-python 3.1 reads, in place of "struct". Otherwise
  /// ignored.
  bool structured = false;
};

}}  // namespace tessera::v0
