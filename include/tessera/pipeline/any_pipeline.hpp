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
#include <tessera/pipeline/batch.hpp>
#include <tessera/pipeline/codec_headers.hpp>
#include <tessera/pipeline/flow.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/pipeline/sharding.hpp>
#include <tessera/pipeline/value_batch.hpp>
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
    bool is_array = true;
    auto const expect = [](Specification const& codec, bool in_order) {
      if (in_order) return;
      throw MetadataError{text({"member codecs: ", codec.name,
                                " is out of order; expected any array-to-array codecs, then one array-to-bytes codec, "
                                "then any bytes-to-bytes codecs"})};
    };
    for (auto const& codec : codecs) {
      if (codec.name == Shard::name) {
        expect(codec, is_array);
        for (auto const& stage : made->stages)
          if (!stage->is_view())
            throw MetadataError{text({"member codecs: ", describe(std::string{stage->name()}),
                                      " changes values, so it is not supported before sharding_indexed, whose chunks "
                                      "are read one by one"})};
        made->shard = std::make_shared<Shard const>(make_codec<Shard>(codec));
        is_array = false;
        continue;
      }
      if (made->shard && !may_encode_shards)
        throw MetadataError{text({"member codecs: ", describe(codec.name),
                                  " after sharding_indexed is the host's work; open the array over a store of host "
                                  "bytes"})};
      auto stage = make_stage(codec);
      expect(codec, stage->reads_array() == is_array);
      is_array = stage->writes_array();
      if constexpr (may_encode_shards) {
        if (made->shard) {
          behind.push_back(std::move(stage));
          continue;
        }
      }
      made->stages.push_back(std::move(stage));
    }
    if (is_array) throw MetadataError{"member codecs: no array-to-bytes codec among them, e.g. bytes"};
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
        (void)((Cs::name == given.name && (list.push_back(specification_of(make_codec<Cs>(given), type...)), true)) ||
               ...);
    return list;
  }

  /// As a Pipeline's.
  AnyPipeline const& leaf() const { return made_->shard ? made_->shard->inner.leaf() : *this; }

  ResolvedChunk resolve(ChunkSpecification chunk) const {
    ResolvedChunk form;
    std::vector<ChunkSpecification> before, after;  // the codecs that change values
    Stage const* at = nullptr;
    try {
      for (auto const& stage : made_->stages) {
        at = stage.get();
        if (at->writes_array()) {
          auto encoded = at->encoded(chunk);
          if (!at->is_view()) {
            if (form.bounds.empty()) form.bounds.assign(1 + crossings, chunk.size_in_bytes());
            form.bounds.push_back(encoded.size_in_bytes());
            before.push_back(std::move(chunk));
            after.push_back(encoded);
          }
          chunk = std::move(encoded);
          continue;
        }
        if (at->reads_array()) {
          form.decoded_size = chunk.size_in_bytes();  // first: it checks what the layout multiplies
          form.layout = at->layout(chunk);
          form.chunk = chunk;
          if (form.bounds.empty()) form.bounds.assign(1 + crossings, form.decoded_size);
        }
        if (!at->is_view()) form.bounds.push_back(at->encoded_bound(chunk, form.bounds.back()));
      }
      at = nullptr;
      if (made_->shard) form = made_->shard->resolve(chunk), form.shards.front().behind = made_->behind;
      for (auto stage = made_->stages.rbegin(); stage != made_->stages.rend(); ++stage) {
        at = stage->get();
        if (at->writes_array() && !at->is_view()) {
          form.change(before.back(), std::move(after.back()));
          before.pop_back(), after.pop_back();
        } else {
          form.see_through(*at);
        }
      }
    } catch (Error& error) {
      error.in_codec(at ? at->name() : Shard::name);
      throw;
    }
    return form;
  }

  /// As a Pipeline's.
  using bytes_staging = staging_t<ArraySpace, BytesSpace>;
  using array_staging = staging_t<BytesSpace, ArraySpace>;

 private:
  // Stages take turns: what one has written is what the next one reads.
  class PingPong {
    using Batch = detail::StageBatch<BytesSpace, BytesSpace, bytes_staging>;

   public:
    PingPong() = default;
    PingPong(PingPong const&) = delete;
    PingPong& operator=(PingPong const&) = delete;

    void begin() {
      from_ = &a_, to_ = &b_;
      from_->results.clear();
    }
    std::vector<ByteView<BytesSpace>>& from() { return from_->results; }
    Batch& next() { return *to_; }
    void turn() {
      to_->collect();
      std::swap(from_, to_);
    }

   private:
    Batch a_, b_;
    Batch *from_ = nullptr, *to_ = nullptr;
  };

 public:
  struct Decoding {
    std::size_t most = 0;
    bool apart = false;  ///< encoded bytes are in allocations of their own
    bool ahead = false;  ///< the queue was given nothing that uses this, or what chunks are decoded into
    PingPong turns;
    detail::ValueBatch<BytesSpace> values;
    detail::StageBatch<BytesSpace, ArraySpace> crossing;
  };
  struct Encoding {
    std::size_t most = 0;
    PingPong turns;
    detail::ValueBatch<BytesSpace> values;
    detail::StageBatch<ArraySpace, BytesSpace, bytes_staging> crossing;
    std::vector<ByteView<ArraySpace>> plain;
  };

  /// Decodes a mini-batch in the queue's order; `work` is in use until that is done. Throws: CodecError.
  void decode(ResolvedChunk const& form, std::span<DecodeTask<BytesSpace, ArraySpace>> chunks, Decoding& work,
              queue_type& on) const {
    auto& turns = work.turns;
    turns.begin();
    for (auto const& chunk : chunks) turns.from().push_back(chunk.encoded);
    auto& queue = queue_in<BytesSpace>(on);
    auto changed = form.changes.size();
    auto place = form.bounds.size() - 1;  // in form.bounds, of what stands after the stage at hand
    for (auto stage = made_->stages.rbegin(); stage != made_->stages.rend(); ++stage) {
      if ((*stage)->is_view()) continue;
      auto& batch = turns.next();
      if (--place > 0)
        batch.keep(turns.from(), form.bounds[place], work.most, on);
      else if constexpr (crossings == 0)
        batch.send(turns.from(), [&](std::size_t i) { return chunks[i].to.sub(0, form.decoded_size); });
      if ((*stage)->writes_array()) {
        auto const& change = form.changes[--changed];
        work.values.decode(change, batch.tasks, work.most, queue,
                           [&](auto dense) { (*stage)->decode(change.decoded, dense, queue); });
      } else {
        (*stage)->decode(form.stored_chunk(), batch.tasks, queue);
      }
      turns.turn();
    }
    for (std::size_t i = 0; i < chunks.size(); ++i) detail::expect_size(turns.from()[i].size, form.decoded_size, i);
    if constexpr (crossings == 0) {
      for (std::size_t i = 0; i < chunks.size(); ++i) chunks[i].decoded = turns.from()[i];
    } else {
      auto& crossing = work.crossing;
      crossing.send(turns.from(), [&](std::size_t i) { return chunks[i].to.sub(0, form.decoded_size); });
      bool const is_first = form.bounds.size() == 1 + crossings;
      detail::cross_batch(std::span{crossing.tasks}, on, is_first && work.apart, work.ahead);
      for (std::size_t i = 0; i < chunks.size(); ++i) chunks[i].decoded = crossing.tasks[i].to;
    }
  }
  void decode(ResolvedChunk const& form, std::span<DecodeTask<BytesSpace, ArraySpace>> chunks, queue_type& on) const {
    decode(form, chunks, *on.template lease<Decoding>(), on);
  }

  /// Encodes a mini-batch, in the same way.
  void encode(ResolvedChunk const& form, std::span<EncodeTask<BytesSpace, ArraySpace>> chunks, Encoding& work,
              queue_type& on) const {
    auto& queue = queue_in<BytesSpace>(on);
    auto& turns = work.turns;
    turns.begin();
    auto const last = form.bounds.size() - 1;
    if constexpr (crossings == 0) {
      for (auto const& chunk : chunks) turns.from().push_back(chunk.from);
    } else {
      auto& crossing = work.crossing;
      work.plain.clear();
      for (auto const& chunk : chunks) work.plain.push_back(chunk.from);
      if (last > 1)
        crossing.keep(work.plain, form.decoded_size, work.most, on);
      else
        crossing.send(work.plain, [&](std::size_t i) { return chunks[i].to; });
      detail::cross_batch(std::span{crossing.tasks}, on);
      auto const results = crossing.collect();
      turns.from().assign(results.begin(), results.end());
    }
    std::size_t place = crossings, changed = 0;
    for (auto const& stage : made_->stages) {
      if (stage->is_view()) continue;
      auto& batch = turns.next();
      if (++place < last)
        batch.keep(turns.from(), form.bounds[place], work.most, on);
      else
        batch.send(turns.from(), [&](std::size_t i) { return chunks[i].to; });
      if (stage->writes_array()) {
        auto const& change = form.changes[changed++];
        work.values.encode(change, stage->name(), batch.tasks, work.most, queue,
                           [&](auto dense) { stage->encode(change.decoded, dense, queue); });
      } else {
        stage->encode(form.stored_chunk(), batch.tasks, queue);
      }
      turns.turn();
    }
    for (std::size_t i = 0; i < chunks.size(); ++i) chunks[i].encoded = turns.from()[i];
  }
  void encode(ResolvedChunk const& form, std::span<EncodeTask<BytesSpace, ArraySpace>> chunks, queue_type& on) const {
    encode(form, chunks, *on.template lease<Encoding>(), on);
  }

 private:
  using Stage = detail::AnyStage<BytesSpace>;
  using Shard = codec::Sharding<AnyPipeline, AnyPipeline<space::Host, space::Host, BuiltInCodecs>>;
  struct Composed {
    std::vector<Specification> codecs{};  // as they were given
    std::vector<std::unique_ptr<Stage const>> stages{};
    std::shared_ptr<Shard const> shard{};         // behind the stages, if it is what makes bytes
    std::shared_ptr<ValueCodecs const> behind{};  // behind the shard
  };

  static std::unique_ptr<Stage const> make_stage(Specification const& specification) {
    std::unique_ptr<Stage const> stage;
    auto const try_one = [&]<class C>(std::type_identity<C>) {
      if constexpr (RunsIn<C, BytesSpace>)
        if (!stage && C::name == specification.name)
          stage.reset(new detail::StageOf<C, BytesSpace>{make_codec<C>(specification)});
    };
    (try_one(std::type_identity<Cs>{}), ...);
    if (stage) return stage;
    std::string elsewhere;
    (void)((Cs::name == specification.name && (elsewhere = detail::how_to_run<Cs, ArraySpace, BytesSpace>(), true)) ||
           ...);
    throw MetadataError{text({"codec ", describe(specification.name)}),
                        text({"member codecs: ", describe(specification.name),
                              elsewhere.empty() ? text({" is not among this program's codecs (", codec_names(), ")",
                                                        detail::how_to_know(specification.name)})
                                                : elsewhere})};
  }

  std::shared_ptr<Composed const> made_ = std::make_shared<Composed const>();
};

}}  // namespace tessera::v0
