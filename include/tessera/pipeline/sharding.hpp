// sharding_indexed: a chunk made of smaller chunks, with an index (specification: codecs/sharding-indexed).
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/codec/array_to_array/transpose.hpp>
#include <tessera/codec/array_to_bytes/bytes.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/pipeline/pipeline.hpp>
#include <tessera/pipeline/shard_index.hpp>
#include <tessera/pipeline/value_codecs.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

inline std::vector<Specification> specifications(MemberValue const& codecs) {
  std::vector<Specification> list;
  for (std::size_t i = 0; i < codecs.list().size(); ++i) list.push_back(specification(codecs.item(i)));
  return list;
}

inline Value to_value(std::vector<Specification> const& codecs) {
  List list;
  for (auto const& codec : codecs) list.push_back(tessera::to_value(codec));
  return list;
}

// The index is found by its size, which must be known before it is read.
inline void expect_fixed_size(MemberValue const& found) {
  for (auto const& codec : specifications(found))
    if (codec.name != codec::Transpose::name && codec.name != codec::Bytes::name && codec.name != codec::Crc32c::name)
      throw MetadataError{text({"codec ", describe(codec.name), " in index_codecs"}),
                          text({"member ", found.where(), ": found ", describe(codec.name),
                                ", expected codecs that always make as many bytes: transpose, bytes, crc32c"})};
}

}  // namespace detail

namespace codec {

/// Configuration: `chunk_shape`, of the inner chunks; `codecs`, which they pass; `index_codecs`, which the index
/// passes; `index_location`, "end" or "start". The pipeline `Inner` reads and writes inner chunks as it does chunks of
/// any array, and a shard is in the space that `Inner` ends in. It never runs: whoever reads chunks reads inner chunks.
///
///   Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes, codec::Zstd>>>
///
/// Codecs behind it run on the host and take its value as a whole: all of it is read and decoded for any part.
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
  static constexpr int crossings = Inner::crossings;
  static_assert(std::same_as<typename Index::array_space, space::Host> &&
                    std::same_as<typename Index::bytes_space, space::Host>,
                "tessera: the index of a shard is the host's, wherever its chunks are: give Sharding<Pipeline<...>, "
                "Pipeline<space::Host, codecs...>>");
  static_assert(Index::has_fixed_size,
                "tessera: the index of a shard is found by its size: its codecs make always as many bytes, as "
                "codec::Bytes and codec::Crc32c do, and compressors do not");

  Extents chunk_shape{};
  Inner inner{};
  Index index{};
  bool index_at_start = false;

  static Sharding from(ObjectReader& configuration) {
    return from(configuration, [](std::span<Specification const> codecs) { return Inner::from(codecs); });
  }
  /// Likewise, of inner codecs that `inner_of` makes a pipeline of.
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
  /// Likewise, of inner codecs as a document is to say them.
  Value configuration(std::vector<Specification> const& inner_codecs) const {
    List shape;
    for (auto n : chunk_shape) shape.push_back(Value::integer(static_cast<long long>(n)));
    return Members{{"chunk_shape", std::move(shape)},
                   {"codecs", detail::to_value(inner_codecs)},
                   {"index_codecs", detail::to_value(index.specifications())},
                   {"index_location", index_at_start ? "start" : "end"}};
  }
  Sharding fitted(DataType type) const {
    return {chunk_shape, Inner::from(inner.specifications(type)), index, index_at_start};
  }

  /// Of the inner chunks, in this level of shards.
  ResolvedChunk resolve(ChunkSpecification const& shard) const {
    auto const rank = shard.shape.rank();
    if (chunk_shape.rank() != rank)
      throw MetadataError{text(
          {"member configuration.chunk_shape: found ", to_string(chunk_shape), ", expected ", rank, " dimensions"})};
    Extents grid;
    for (std::size_t d = 0; d < rank; ++d) {
      if (chunk_shape[d] == 0 || shard.shape[d] % chunk_shape[d] != 0)
        throw MetadataError{
            text({"member configuration.chunk_shape: found ", to_string(chunk_shape),
                  ", expected a divisor of the shard's shape ", to_string(shard.shape), " in each dimension"})};
      grid.push_back(shard.shape[d] / chunk_shape[d]);
    }
    constexpr auto most = std::uint64_t{1} << 30;  // entries: 16 GiB
    auto const entries = element_count(grid, "the inner chunks of a shard");
    if (entries > most) throw MetadataError{text({"a shard of ", entries, " inner chunks, expected at most ", most})};
    auto form = inner.resolve({chunk_shape, shard.type, shard.fill, shard.components});
    if (!form.shards.empty() && form.shards.front().behind)
      throw MetadataError{text({"member configuration.codecs: ", describe(form.shards.front().behind->name()),
                                " after sharding_indexed in a shard is not supported"})};
    detail::put_first(form.shards, {Layout::c_order(grid, 1), index_format(grid)});
    return form;
  }

 private:
  std::shared_ptr<ShardIndexFormat const> index_format(Extents grid) const try {
    grid.push_back(2);
    auto form = index.resolve({grid, data_type_of<std::uint64_t>()});
    return std::make_shared<detail::IndexFormatOf<Index>>(index_at_start, index, std::move(form));
  } catch (Error& error) {
    throw MetadataError{text({"member configuration.index_codecs: ", error.what()})};
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
