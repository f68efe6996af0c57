// Codecs composed when a file is opened. What a program can decode is in the type, as a list: what it includes never
// changes what a name means. Erased are whole batches, never elements; spaces stay static.
#pragma once
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/codec/array_to_array/transpose.hpp>
#include <tessera/codec/array_to_bytes/bytes.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.hpp>
#include <tessera/pipeline/any_stage.hpp>
#include <tessera/pipeline/codec_headers.hpp>
#include <tessera/pipeline/flow.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/pipeline/index_pipeline.hpp>
#include <tessera/pipeline/sharding.hpp>
#include <tessera/pipeline/stages.hpp>
#include <tessera/pipeline/value_codecs.hpp>

namespace tessera { inline namespace v0 {

/// The codecs that a program names: `Codecs<codec::Transpose, codec::Bytes, codec::Zstd>`.
template <class... Cs>
struct Codecs {};

/// Those that need no library.
using BuiltInCodecs = Codecs<codec::Transpose, codec::Bytes, codec::Crc32c>;

template <MemorySpace ArraySpace, MemorySpace BytesSpace = ArraySpace, class List = BuiltInCodecs>
class AnyPipeline;

/// Codecs run in BytesSpace. If ArraySpace is another, decoded chunks cross once. Copies share the codecs. Shards need
/// no place in the list: their inner chunks pass the same codecs.
template <MemorySpace ArraySpace, MemorySpace BytesSpace, class... Cs>
class AnyPipeline<ArraySpace, BytesSpace, Codecs<Cs...>> {
  using Stages = detail::Stages<ArraySpace, BytesSpace>;

 public:
  using array_space = ArraySpace;
  using bytes_space = BytesSpace;
  static constexpr int crossings = !std::same_as<ArraySpace, BytesSpace>;
  using queue_type = crossing_queue<ArraySpace, BytesSpace>;
  static constexpr bool has_fixed_size = (detail::has_fixed_size<Cs> && ...);
  using leaf_type = AnyPipeline;
  static constexpr bool may_be_sharded = true;  ///< the document says so
  static constexpr bool may_encode_shards = std::same_as<BytesSpace, space::Host>;

  /// The codecs that this type knows: "transpose, bytes, zstd".
  static std::string codec_names() {
    std::string names;
    ((names += (names.empty() ? "" : ", ") + std::string{Cs::name}), ...);
    return names;
  }

  /// The pipeline that a document describes. Throws: MetadataError naming the codec that this type does not know, or
  /// what is wrong with their order.
  static AnyPipeline from(std::span<Specification const> codecs) {
    auto made = std::make_shared<Composed>();
    ValueCodecs::Stages behind;  // the shard
    made->codecs.assign(codecs.begin(), codecs.end());
    if constexpr (crossings > 0) made->stages.add(std::make_unique<detail::CastStage<ArraySpace, BytesSpace>>());
    detail::StageOrder order;
    for (auto const& codec : codecs) {
      if (codec.name == Shard::name) {
        order.add(codec.name, true, false);
        for (auto const& stage : made->stages.list())
          if (!stage->traits().is_view && !stage->traits().is_cast)
            throw MetadataError{text({"member codecs: ", describe(std::string{stage->name()}),
                                      " changes values, so it is not supported before sharding_indexed, whose chunks "
                                      "are read one by one"})};
        made->shard = std::make_shared<Shard const>(make_codec<Shard>(codec));
        continue;
      }
      if (made->shard && !may_encode_shards)
        throw MetadataError{text({"member codecs: ", describe(codec.name),
                                  " after sharding_indexed is the host's work; open the array over a store of host "
                                  "bytes"})};
      auto stage = make_stage(codec);
      order.add(codec.name, stage->traits().reads_array, stage->traits().writes_array);
      if constexpr (may_encode_shards) {
        if (made->shard) {
          behind.push_back(std::move(stage));
          continue;
        }
      }
      made->stages.add(std::move(stage));
    }
    order.end();
    detail::expect_checked_bytes(made->stages.list());
    if (!behind.empty()) made->behind = std::make_shared<ValueCodecs const>(std::move(behind));
    AnyPipeline pipeline;
    pipeline.made_ = std::move(made);
    return pipeline;
  }

  /// The entries of its codecs in a document, complete, as zarr-python writes them; with a type, those of a new array
  /// of such elements.
  template <class... Type>
  requires(std::same_as<Type, DataType>&&...) std::vector<Specification> specifications(Type... type)
  const {
    std::vector<Specification> list;
    for (auto const& given : made_->codecs)
      if (given.name == Shard::name)
        list.push_back(specification_of(*made_->shard, type...));
      else
        detail::add_complete<Cs...>(list, given, type...);
    return list;
  }

  /// As a Pipeline's.
  AnyPipeline const& leaf() const { return made_->shard ? made_->shard->inner.leaf() : *this; }

  ResolvedChunk resolve(ChunkSpecification const& chunk) const {
    auto const& made = *made_;
    auto const in_shard = [&](ChunkSpecification const& shard) {
      auto form = made.shard->resolve(shard);
      form.shards.front().behind = made.behind;
      return form;
    };
    typename Stages::ResolveShard const resolve_shard{in_shard};
    return Stages{made.stages.list()}.resolve(chunk, made.shard ? &resolve_shard : nullptr);
  }

  /// As a Pipeline's.
  using bytes_staging = staging_t<ArraySpace, BytesSpace>;
  using array_staging = staging_t<BytesSpace, ArraySpace>;
  using Decoding = detail::DecodeBuffers;
  using Encoding = detail::EncodeBuffers;

  /// Decodes a mini-batch in the queue's order; `work` is in use until that is done. Throws: CodecError.
  void decode(ResolvedChunk const& form, std::span<DecodeTask<BytesSpace, ArraySpace>> chunks, Decoding& work,
              queue_type& on) const {
    Stages{made_->stages.list()}.decode(form, chunks, work, on);
  }
  void decode(ResolvedChunk const& form, std::span<DecodeTask<BytesSpace, ArraySpace>> chunks, queue_type& on) const {
    decode(form, chunks, *on.template lease<Decoding>(), on);
  }

  /// Encodes a mini-batch, in the same way.
  void encode(ResolvedChunk const& form, std::span<EncodeTask<BytesSpace, ArraySpace>> chunks, Encoding& work,
              queue_type& on) const {
    Stages{made_->stages.list()}.encode(form, chunks, work, on);
  }
  void encode(ResolvedChunk const& form, std::span<EncodeTask<BytesSpace, ArraySpace>> chunks, queue_type& on) const {
    encode(form, chunks, *on.template lease<Encoding>(), on);
  }

 private:
  using Stage = detail::AnyStage;
  using Shard = codec::Sharding<AnyPipeline, detail::IndexPipeline>;
  struct Composed {
    std::vector<Specification> codecs{};  // as they were given
    detail::OwnedStages stages{};
    std::shared_ptr<Shard const> shard{};         // behind the stages, if it is what makes bytes
    std::shared_ptr<ValueCodecs const> behind{};  // behind the shard
  };

  static std::unique_ptr<Stage const> make_stage(Specification const& specification) {
    if (auto stage = detail::stage_among<BytesSpace, Cs...>(specification)) return stage;
    std::string elsewhere;
    (void)((Cs::name == specification.name && (elsewhere = detail::how_to_run<Cs, ArraySpace, BytesSpace>(), true)) ||
           ...);
    throw MetadataError{text({"codec ", describe(specification.name)}),
                        text({"member codecs: ", describe(specification.name),
                              elsewhere.empty() ? text({" is not among this program's codecs (", codec_names(), ")",
                                                        detail::how_to_know(specification.name)})
                                                : elsewhere})};
  }

  std::shared_ptr<Composed const> made_ = std::make_shared<Composed>();
};

}}  // namespace tessera::v0
