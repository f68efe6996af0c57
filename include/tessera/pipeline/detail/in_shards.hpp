// in_shards: a pipeline's codecs inside shards. A document may name a Pipeline's codecs alone or as those of the inner
// chunks; a handle's type is the same.
#pragma once
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/aliases.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/pipeline/detail/index_pipeline.hpp>
#include <tessera/pipeline/sharding.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <class P>
using in_shards = Pipeline<typename P::array_space, codec::Sharding<typename P::core_type, IndexPipeline>>;

/// Calls f(type_identity<P>), or, where the document has shards and P has none, f(type_identity<in_shards<P>>).
template <class P, class F>
decltype(auto) with_shards(std::span<Specification const> codecs, F&& f) {
  if constexpr (!P::may_be_sharded) {
    auto const name = in_shards<P>::last_codec();
    if (codecs.size() == 1 && means(codecs[0].name, name) && P::last_codec() != name)
      return f(std::type_identity<in_shards<P>>{});
  }
  return f(std::type_identity<P>{});
}

template <class P>
bool has_shards(P const& pipeline) {
  if constexpr (requires { pipeline.shard(); })
    return pipeline.shard() != nullptr;
  else
    return P::is_sharded;
}

/// The codecs of a new array with such shards. Throws: MetadataError, if the shape of their inner chunks is missing, or
/// given beside a pipeline that has one.
template <class P>
std::vector<Specification> specifications_in_shards(P const& pipeline, Extents const& inner_chunks,
                                                    ChunkSpecification const& in_shard) {
  if (has_shards(pipeline)) {
    if (inner_chunks.rank() > 0)
      throw MetadataError{
          "found .chunks beside a pipeline with codec::Sharding, which has the shape of the chunks in a shard: give "
          ".shards alone"};
    return pipeline.specifications(in_shard);
  }
  if (inner_chunks.rank() == 0) throw MetadataError{"found .shards, expected .chunks too, the chunks in a shard"};
  codec::Sharding<P> const shard{.chunk_shape = inner_chunks};
  return {{std::string{shard.name}, shard.configuration(pipeline.specifications(shard.inner_chunk(in_shard)))}};
}

}}}  // namespace tessera::v0::detail
