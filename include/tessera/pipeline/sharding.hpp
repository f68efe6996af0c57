// codec::Sharding: sharding_indexed, a chunk made of smaller chunks, with an index (specification:
// codecs/sharding-indexed).
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/codec/array_to_bytes/bytes.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/detail/bounds.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/pipeline/detail/shard_index.hpp>
#include <tessera/pipeline/pipeline.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

TESSERA_DECL std::vector<Specification> specifications(MemberValue const& codecs);
TESSERA_DECL Value to_value(std::vector<Specification> const& codecs);

// A reader needs the size of the index to find it.
TESSERA_DECL void expect_fixed_size(MemberValue const& found);

}  // namespace detail

namespace codec {

/// Configuration: `chunk_shape`, of the inner chunks; `codecs`, of the inner chunks; `index_codecs`, of the index;
/// `index_location`, "end" or "start". The pipeline `Inner` reads and writes inner chunks like chunks of any array; a
/// shard is in the space that `Inner` ends in. The codec never runs: readers of chunks read inner chunks.
///
///   Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes, codec::Zstd>>>
///
/// Codecs after it run on the host and encode the shard's value as a whole: reading any part reads and decodes all of
/// it.
template <class Inner, class Index = Pipeline<space::Host, Bytes, Crc32c>>
struct Sharding {
  using kind = array_to_bytes;
  static constexpr std::string_view name = "sharding_indexed";
  template <class S>
  static constexpr bool runs_in = std::same_as<S, typename Inner::array_space>;
  template <class S>
  using encoded_space = typename Inner::bytes_space;
  using inner_type = Inner;
  using queue_type = typename Inner::queue_type;
  static constexpr int crossings = Inner::crossings;  ///< of its inner chunks: copies between host and device
  static_assert(std::same_as<typename Index::array_space, space::Host> &&
                    std::same_as<typename Index::bytes_space, space::Host>,
                "tessera: the index of a shard must be in host memory, wherever its chunks are: write "
                "Sharding<Pipeline<...>, Pipeline<space::Host, codecs...>>");
  static_assert(Index::has_fixed_size,
                "tessera: the index of a shard must have a fixed size: use codecs of fixed encoded size, such as "
                "codec::Bytes and codec::Crc32c, not compressors");

  Extents chunk_shape{};
  Inner inner{};
  Index index{};
  bool index_at_start = false;  ///< whether the index is before the chunks, not after them

  static Sharding from(ObjectReader& configuration) {
    return from(configuration, [](std::span<Specification const> codecs) { return Inner::from(codecs); });
  }
  /// The same; `inner_of` makes a pipeline of the inner codecs.
  static Sharding from(ObjectReader& configuration, auto const& inner_of) {
    Sharding codec;
    codec.chunk_shape = configuration.at("chunk_shape").extents(1);
    codec.inner = inner_of(detail::specifications(configuration.at("codecs")));
    auto const index_codecs = configuration.at("index_codecs");
    detail::expect_fixed_size(index_codecs);
    codec.index = Index::from(detail::specifications(index_codecs));
    if (auto const location = configuration.find("index_location"))
      codec.index_at_start = location->one_of({"end", "start"}) == "start";
    return codec;
  }
  Value configuration() const { return configuration(inner.specifications()); }
  /// The same, with the inner codecs as a document should name them.
  Value configuration(std::vector<Specification> const& inner_codecs) const {
    List shape;
    for (auto n : chunk_shape) shape.push_back(Value::integer(static_cast<long long>(n)));
    return Members{{"chunk_shape", std::move(shape)},
                   {"codecs", detail::to_value(inner_codecs)},
                   {"index_codecs", detail::to_value(index.specifications())},
                   {"index_location", index_at_start ? "start" : "end"}};
  }
  Sharding fitted(ChunkSpecification const& shard) const {
    return {chunk_shape, Inner::from(inner.specifications(inner_chunk(shard))), index, index_at_start};
  }
  ChunkSpecification inner_chunk(ChunkSpecification const& shard) const {
    return {chunk_shape, shard.type, shard.fill, shard.components};
  }

  /// The form of inner chunks, in this level of shards.
  ResolvedChunk resolve(ChunkSpecification const& shard) const {
    auto const rank = shard.shape.rank();
    if (chunk_shape.rank() != rank)
      throw MetadataError{to_text(
          {"member configuration.chunk_shape: found ", to_string(chunk_shape), ", expected ", rank, " dimensions"})};
    Extents grid;
    for (std::size_t d = 0; d < rank; ++d) {
      if (chunk_shape[d] == 0 || shard.shape[d] % chunk_shape[d] != 0)
        throw MetadataError{
            to_text({"member configuration.chunk_shape: found ", to_string(chunk_shape),
                     ", expected a divisor of the shard's shape ", to_string(shard.shape), " in each dimension"})};
      grid.push_back(shard.shape[d] / chunk_shape[d]);
    }
    constexpr auto most = bounds::inner_chunks;
    auto const entries = element_count(grid, "the inner chunks of a shard");
    if (entries > most)
      throw MetadataError{to_text({"a shard of ", entries, " inner chunks, expected at most ", most})};
    auto form = inner.resolve(inner_chunk(shard));
    if (!form.shards.empty() && form.shards.front().behind)
      throw MetadataError{to_text({"member configuration.codecs: ", describe(form.shards.front().behind->name()),
                                   " after sharding_indexed in a shard is not supported"})};
    if (form.shards.size() >= bounds::shards)
      throw MetadataError{to_text({"found too many shards within each other, expected at most ", bounds::shards})};
    detail::put_first(form.shards, {Layout::c_order(grid, 1), index_format(grid)});
    return form;
  }

 private:
  std::shared_ptr<ShardIndexFormat const> index_format(Extents grid) const try {
    grid.push_back(2);
    auto form = index.resolve({grid, data_type_of<std::uint64_t>()});
    auto const kept = std::make_shared<Index const>(index);
    auto const stages = kept->stages();
    return detail::index_format(index_at_start, index.last_codec() == Crc32c::name, kept, stages, std::move(form));
  } catch (Error& error) {
    throw MetadataError{to_text({"member configuration.index_codecs: ", error.what()})};
  }
};

}  // namespace codec

namespace detail {

template <class Stage>
inline constexpr bool is_sharding = false;
template <class Inner, class Index>
inline constexpr bool is_sharding<codec::Sharding<Inner, Index>> = true;

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/pipeline/detail/sharding.ipp>
#endif
