// Codecs of an AnyPipeline in their order, and how mini-batches pass them. Erased are whole batches, never elements;
// spaces stay static.
#pragma once
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/core/function_ref.hpp>
#include <tessera/core/text.hpp>
#include <tessera/pipeline/any_stage.hpp>
#include <tessera/pipeline/batch.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/pipeline/value_batch.hpp>
#include <tessera/pipeline/value_codecs.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// What names in a document follow each other. Throws: MetadataError.
class StageOrder {
 public:
  void add(std::string_view codec, bool reads_array, bool writes_array) {
    if (reads_array != is_array_)
      throw MetadataError{text({"member codecs: ", codec,
                                " is out of order; expected any array-to-array codecs, then one array-to-bytes codec, "
                                "then any bytes-to-bytes codecs"})};
    is_array_ = writes_array;
  }
  void end() const {
    if (is_array_) throw MetadataError{"member codecs: no array-to-bytes codec among them, e.g. bytes"};
  }

 private:
  bool is_array_ = true;
};

/// One of those codecs, as a stage; null: none has that name, or it cannot run there. Throws: MetadataError.
template <MemorySpace S, class... Cs>
std::unique_ptr<AnyStage<S> const> stage_among(Specification const& specification) {
  std::unique_ptr<AnyStage<S> const> stage;
  auto const try_one = [&]<class C>(std::type_identity<C>) {
    if constexpr (RunsIn<C, S>)
      if (!stage && C::name == specification.name) stage.reset(new StageOf<C, S>{make_codec<C>(specification)});
  };
  (try_one(std::type_identity<Cs>{}), ...);
  return stage;
}

/// The entry of a codec in a document, complete, if it is among these.
template <class... Cs, class... Type>
void add_complete(std::vector<Specification>& list, Specification const& given, Type... type) {
  (void)((Cs::name == given.name && (list.push_back(specification_of(make_codec<Cs>(given), type...)), true)) || ...);
}

/// They run in BytesSpace; where ArraySpace is another, decoded chunks cross once.
template <MemorySpace ArraySpace, MemorySpace BytesSpace>
class Stages {
  using Stage = AnyStage<BytesSpace>;

 public:
  using queue_type = crossing_queue<ArraySpace, BytesSpace>;
  static constexpr int crossings = !std::same_as<ArraySpace, BytesSpace>;
  using bytes_staging = staging_t<ArraySpace, BytesSpace>;
  /// What becomes of a chunk in the shard behind the stages.
  using ResolveShard = FunctionRef<ResolvedChunk(ChunkSpecification const&)>;

  void add(std::unique_ptr<Stage const> stage) { list_.push_back(std::move(stage)); }
  std::vector<std::unique_ptr<Stage const>> const& list() const { return list_; }

  /// Throws: MetadataError, if damaged bytes could come to a codec whose behaviour they make undefined.
  void expect_checked_bytes() const {
    for (std::size_t i = 0; i < list_.size(); ++i)
      if (list_[i]->needs_checked_bytes() && (i + 1 == list_.size() || !list_[i + 1]->checks_bytes()))
        throw MetadataError{text({"member codecs: the behaviour of this program's ", list_[i]->name(),
                                  " is undefined where its bytes are damaged, and no crc32c right behind it checks "
                                  "them; list it as nvcomp::Trusted<...> to take the bytes on trust"})};
  }

  /// Null `shard`: there is none. Throws: MetadataError, CodecError, with the codec.
  ResolvedChunk resolve(ChunkSpecification chunk, ResolveShard const* shard) const;

 private:
  // Stages take turns: what one has written is what the next one reads.
  class PingPong {
    using Batch = StageBatch<BytesSpace, BytesSpace, bytes_staging>;

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
    ValueBatch<BytesSpace> values;
    StageBatch<BytesSpace, ArraySpace> crossing;
  };
  struct Encoding {
    std::size_t most = 0;
    PingPong turns;
    ValueBatch<BytesSpace> values;
    StageBatch<ArraySpace, BytesSpace, bytes_staging> crossing;
    std::vector<ByteView<ArraySpace>> plain;
  };

  /// Decodes a mini-batch in the queue's order; `work` is in use until that is done. Throws: CodecError.
  void decode(ResolvedChunk const& form, std::span<DecodeTask<BytesSpace, ArraySpace>> chunks, Decoding& work,
              queue_type& on) const;

  /// Encodes a mini-batch, likewise.
  void encode(ResolvedChunk const& form, std::span<EncodeTask<BytesSpace, ArraySpace>> chunks, Encoding& work,
              queue_type& on) const;

 private:
  std::vector<std::unique_ptr<Stage const>> list_;
};

// Outside of the class they are not inline: a unit whose stages are in a library compiles none of them.

template <MemorySpace ArraySpace, MemorySpace BytesSpace>
ResolvedChunk Stages<ArraySpace, BytesSpace>::resolve(ChunkSpecification chunk, ResolveShard const* shard) const {
  ResolvedChunk form;
  std::vector<ChunkSpecification> before, after;  // the codecs that change values
  Stage const* at = nullptr;
  try {
    for (auto const& stage : list_) {
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
    if (shard) form = (*shard)(chunk);
    for (auto stage = list_.rbegin(); stage != list_.rend(); ++stage) {
      at = stage->get();
      if (at->writes_array() && !at->is_view()) {
        form.change(before.back(), std::move(after.back()));
        before.pop_back(), after.pop_back();
      } else {
        form.see_through(*at);
      }
    }
  } catch (Error& error) {
    error.in_codec(at ? at->name() : "sharding_indexed");
    throw;
  }
  return form;
}

template <MemorySpace ArraySpace, MemorySpace BytesSpace>
void Stages<ArraySpace, BytesSpace>::decode(ResolvedChunk const& form,
                                            std::span<DecodeTask<BytesSpace, ArraySpace>> chunks, Decoding& work,
                                            queue_type& on) const {
  auto& turns = work.turns;
  turns.begin();
  for (auto const& chunk : chunks) turns.from().push_back(chunk.encoded);
  auto& queue = queue_in<BytesSpace>(on);
  auto changed = form.changes.size();
  auto place = form.bounds.size() - 1;  // in form.bounds, of what stands after the stage at hand
  for (auto stage = list_.rbegin(); stage != list_.rend(); ++stage) {
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
  for (std::size_t i = 0; i < chunks.size(); ++i) expect_size(turns.from()[i].size, form.decoded_size, i);
  if constexpr (crossings == 0) {
    for (std::size_t i = 0; i < chunks.size(); ++i) chunks[i].decoded = turns.from()[i];
  } else {
    auto& crossing = work.crossing;
    crossing.send(turns.from(), [&](std::size_t i) { return chunks[i].to.sub(0, form.decoded_size); });
    bool const is_first = form.bounds.size() == 1 + crossings;
    cross_batch(std::span{crossing.tasks}, on, is_first && work.apart, work.ahead);
    for (std::size_t i = 0; i < chunks.size(); ++i) chunks[i].decoded = crossing.tasks[i].to;
  }
}

template <MemorySpace ArraySpace, MemorySpace BytesSpace>
void Stages<ArraySpace, BytesSpace>::encode(ResolvedChunk const& form,
                                            std::span<EncodeTask<BytesSpace, ArraySpace>> chunks, Encoding& work,
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
    cross_batch(std::span{crossing.tasks}, on);
    auto const results = crossing.collect();
    turns.from().assign(results.begin(), results.end());
  }
  std::size_t place = crossings, changed = 0;
  for (auto const& stage : list_) {
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

}}}  // namespace tessera::v0::detail
