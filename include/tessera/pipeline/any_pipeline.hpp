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
#include <tessera/pipeline/batch.hpp>
#include <tessera/pipeline/flow.hpp>
#include <tessera/pipeline/form.hpp>

namespace tessera::inline v0 {

/// The codecs that a program names: `Codecs<codec::Transpose, codec::Bytes, codec::Zstd>`.
template <Codec... Cs>
struct Codecs {};

/// Those that need no library.
using BuiltInCodecs = Codecs<codec::Transpose, codec::Bytes>;

namespace detail {

// A codec of any type whose batches begin and end in S. Only the functions of its kind are called.
template <MemorySpace S>
struct AnyStage {
  virtual ~AnyStage() = default;
  virtual std::string_view name() const = 0;
  virtual bool reads_array() const = 0;
  virtual bool writes_array() const = 0;
  virtual bool is_view() const = 0;
  virtual ChunkSpecification encoded(ChunkSpecification const&) const = 0;
  virtual Layout decoded(Layout const&) const = 0;
  virtual Layout layout(ChunkSpecification const&) const = 0;
  virtual std::size_t encoded_bound(ChunkSpecification const&, std::size_t size) const = 0;
  virtual void decode(ChunkSpecification const&, std::span<CodecTask<S>>, queue_for<S>&) const = 0;
  virtual void encode(ChunkSpecification const&, std::span<CodecTask<S>>, queue_for<S>&) const = 0;
};

template <Codec C, MemorySpace S>
class StageOf final : public AnyStage<S> {
  using kind = typename C::kind;
  static constexpr bool to_array = std::same_as<kind, array_to_array>, to_bytes = std::same_as<kind, array_to_bytes>;

 public:
  explicit StageOf(C codec) : codec_{std::move(codec)} {}

  std::string_view name() const override { return C::name; }
  bool reads_array() const override { return kind::reads_array; }
  bool writes_array() const override { return kind::writes_array; }
  bool is_view() const override { return detail::is_view<C>; }
  ChunkSpecification encoded(ChunkSpecification const& chunk) const override {
    if constexpr (to_array)
      return codec_.encoded(chunk);
    else
      return chunk;
  }
  Layout decoded(Layout const& layout) const override {
    if constexpr (to_array)
      return codec_.decoded(layout);
    else
      return layout;
  }
  Layout layout([[maybe_unused]] ChunkSpecification const& chunk) const override {
    if constexpr (to_bytes)
      return codec_.layout(chunk);
    else
      return {};
  }
  std::size_t encoded_bound([[maybe_unused]] ChunkSpecification const& chunk, std::size_t size) const override {
    if constexpr (detail::is_view<C>)
      return size;
    else if constexpr (to_bytes)
      return codec_.encoded_bound(chunk);
    else
      return codec_.encoded_bound(size);
  }
  void decode([[maybe_unused]] ChunkSpecification const& chunk, [[maybe_unused]] std::span<CodecTask<S>> batch,
              [[maybe_unused]] queue_for<S>& on) const override {
    if constexpr (!detail::is_view<C>) decode_batch(codec_, chunk, batch, on);
  }
  void encode([[maybe_unused]] ChunkSpecification const& chunk, [[maybe_unused]] std::span<CodecTask<S>> batch,
              [[maybe_unused]] queue_for<S>& on) const override {
    if constexpr (!detail::is_view<C>) encode_batch(codec_, chunk, batch, on);
  }

 private:
  C codec_;
};

}  // namespace detail

template <MemorySpace ArraySpace, MemorySpace BytesSpace = ArraySpace, class List = BuiltInCodecs>
class AnyPipeline;

/// Codecs run in BytesSpace; where ArraySpace is another, decoded chunks cross once. Copies share the codecs.
template <MemorySpace ArraySpace, MemorySpace BytesSpace, Codec... Cs>
class AnyPipeline<ArraySpace, BytesSpace, Codecs<Cs...>> {
 public:
  using array_space = ArraySpace;
  using bytes_space = BytesSpace;
  static constexpr int crossings = !std::same_as<ArraySpace, BytesSpace>;
  using queue_type = crossing_queue<ArraySpace, BytesSpace>;

  /// "transpose, bytes, zstd": what this type knows.
  static std::string codec_names() {
    std::string names;
    ((names += (names.empty() ? "" : ", ") + std::string{Cs::name}), ...);
    return names;
  }

  /// The pipeline that a document describes. Throws: MetadataError naming the codec that this type does not know, or
  /// what is wrong with their order.
  static AnyPipeline from(std::span<Specification const> codecs) {
    AnyPipeline pipeline;
    bool is_array = true;
    for (auto const& codec : codecs) {
      auto stage = make_stage(codec);
      if (stage->reads_array() != is_array)
        throw MetadataError{"member codecs: " + codec.name +
                            " is out of order; expected any array-to-array codecs, then "
                            "one array-to-bytes codec, then any bytes-to-bytes codecs"};
      is_array = stage->writes_array();
      pipeline.stages_.push_back(std::move(stage));
    }
    if (is_array) throw MetadataError{"member codecs: no array-to-bytes codec among them, e.g. bytes"};
    return pipeline;
  }

  ChunkForm resolve(ChunkSpecification chunk) const {
    ChunkForm form;
    Stage const* at = nullptr;
    try {
      for (auto const& stage : stages_) {
        at = stage.get();
        if (at->writes_array()) {
          chunk = at->encoded(chunk);
          continue;
        }
        if (at->reads_array()) {
          form.decoded_size = chunk.size_in_bytes();  // first: it checks what the layout multiplies
          form.layout = at->layout(chunk);
          form.chunk = chunk;
          form.bounds.assign(1 + crossings, form.decoded_size);
        }
        if (!at->is_view()) form.bounds.push_back(at->encoded_bound(chunk, form.bounds.back()));
      }
      for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
        at = stage->get();
        form.layout = at->decoded(form.layout);
      }
    } catch (Error& error) {
      error.in_codec(at->name());
      throw;
    }
    return form;
  }

  /// Decodes a mini-batch in the queue's order. Throws: CodecError.
  void decode(ChunkForm const& form, std::span<DecodeTask<BytesSpace, ArraySpace>> chunks, queue_type& on) const {
    auto& queue = queue_in<BytesSpace>(on);
    auto const here = on.template lease<Batch>(), there = on.template lease<Batch>();
    auto *in = &*here, *out = &*there;
    in->results.clear();
    for (auto const& chunk : chunks) in->results.push_back(chunk.encoded);
    auto place = form.bounds.size() - 1;  // of the stage at hand, among those that run
    for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
      if ((*stage)->is_view()) continue;
      --place;
      if constexpr (crossings == 0) {
        if (place == 0) give(*out, in->results, chunks, form.decoded_size);
      }
      if (place > 0) out->prepare(in->results, form.bounds[place], queue);
      (*stage)->decode(form.chunk, out->tasks, queue);
      out->collect();
      std::swap(in, out);
    }
    finish(form, chunks, in->results, on);
  }

 private:
  using Stage = detail::AnyStage<BytesSpace>;
  using Batch = detail::StageBatch<BytesSpace, BytesSpace>;

  static std::shared_ptr<Stage const> make_stage(Specification const& specification) {
    std::shared_ptr<Stage const> stage;
    auto const try_one = [&]<class C>(std::type_identity<C>) {
      if constexpr (RunsIn<C, BytesSpace>)
        if (!stage && C::name == specification.name)
          stage = std::make_shared<detail::StageOf<C, BytesSpace>>(make_codec<C>(specification));
    };
    (try_one(std::type_identity<Cs>{}), ...);
    if (!stage)
      throw MetadataError{"member codecs: " + describe(specification.name) + " is not among this program's codecs (" +
                          codec_names() +
                          "); if tessera has it, name it in the Codecs<...> that the array is opened with"};
    return stage;
  }

  // The last stage that runs writes where the caller wants the elements.
  static void give(Batch& batch, std::span<ByteView<BytesSpace> const> from,
                   std::span<DecodeTask<BytesSpace, ArraySpace>> chunks, std::size_t size) {
    batch.tasks.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) batch.tasks[i] = {from[i], chunks[i].to.sub(0, size)};
  }

  static void finish(ChunkForm const& form, std::span<DecodeTask<BytesSpace, ArraySpace>> chunks,
                     std::span<ByteView<BytesSpace> const> from, [[maybe_unused]] queue_type& on) {
    for (std::size_t i = 0; i < chunks.size(); ++i) detail::expect_size(from[i].size, form.decoded_size, i);
    if constexpr (crossings == 0) {
      for (std::size_t i = 0; i < chunks.size(); ++i) chunks[i].decoded = from[i];
    } else {
      auto const batch = on.template lease<detail::StageBatch<BytesSpace, ArraySpace>>();
      batch->tasks.clear();
      for (std::size_t i = 0; i < chunks.size(); ++i)
        batch->tasks.push_back({from[i], chunks[i].to.sub(0, form.decoded_size)});
      detail::cross_batch(std::span{batch->tasks}, on);
      for (std::size_t i = 0; i < chunks.size(); ++i) chunks[i].decoded = batch->tasks[i].to;
    }
  }

  std::vector<std::shared_ptr<Stage const>> stages_;
};

}  // namespace tessera::inline v0
