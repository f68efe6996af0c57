// ComposedPipeline: codecs composed when a file is opened. The program's list is a table here, not a type, so all lists
// share this code.
#pragma once
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tessera/codec/detail/configuration.hpp>
#include <tessera/core/error.hpp>
#include <tessera/pipeline/detail/any_stage.hpp>
#include <tessera/pipeline/detail/cast_stage.hpp>
#include <tessera/pipeline/detail/composition.hpp>
#include <tessera/pipeline/detail/implementations.hpp>
#include <tessera/pipeline/detail/index_pipeline.hpp>
#include <tessera/pipeline/detail/listed_codecs.hpp>
#include <tessera/pipeline/detail/named_stages.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/pipeline/detail/stages.hpp>
#include <tessera/pipeline/detail/value_codecs.hpp>
#include <tessera/pipeline/sharding.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// AnyPipeline without its list of codecs; members mean the same. Copies share the codecs.
template <MemorySpace ArraySpace, MemorySpace BytesSpace>
class ComposedPipeline {
  using Stages = detail::Stages<ArraySpace, BytesSpace, crossing_queue<ArraySpace, BytesSpace>,
                                staging_t<BytesSpace, ArraySpace>, staging_t<ArraySpace, BytesSpace>>;
  struct Composed;

 public:
  using array_space = ArraySpace;
  using bytes_space = BytesSpace;
  static constexpr int crossings = !std::same_as<ArraySpace, BytesSpace>;
  using queue_type = crossing_queue<ArraySpace, BytesSpace>;
  using leaf_type = ComposedPipeline;
  static constexpr bool may_be_sharded = true;
  static constexpr bool may_encode_shards = std::same_as<BytesSpace, space::Host>;
  using bytes_staging = staging_t<ArraySpace, BytesSpace>;
  using array_staging = staging_t<BytesSpace, ArraySpace>;
  using Decoding = DecodeBuffers;
  using Encoding = EncodeBuffers;
  using Shard = codec::Sharding<ComposedPipeline, IndexPipeline>;

  ComposedPipeline();
  /// The pipeline that a document describes. Throws: MetadataError.
  ComposedPipeline(KnownCodecs known, std::span<Specification const> codecs);

  std::vector<Specification> const& codecs() const;  ///< as given
  Shard const* shard() const;                        ///< null: no codec is a shard
  ComposedPipeline const& leaf() const;
  StageList stages() const;  ///< those before a shard, or all
  ResolvedChunk resolve(ChunkSpecification const& chunk) const;
  /// Throws: CodecError, if a codec's implementation was chosen to decode only, or does not write as its configuration
  /// asks.
  void expect_encodes() const;
  static void check_encodes() {}  ///< as Pipeline's: known only when a document is read
  void decode(ResolvedChunk const& form, std::span<DecodeTask<BytesSpace, ArraySpace>> chunks, Decoding& work,
              queue_type& on) const;
  void encode(ResolvedChunk const& form, std::span<EncodeTask<BytesSpace, ArraySpace>> chunks, Encoding& work,
              queue_type& on) const;

 private:
  static constexpr auto end = crossings > 0 ? Side::elements : Side::bytes;  // of decoded chunks

  static std::shared_ptr<ValueCodecs const> stages_behind(std::span<Specification const> given, KnownCodecs known);

  std::shared_ptr<Composed const> made_;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/pipeline/detail/composed_pipeline.tpp>
#endif
