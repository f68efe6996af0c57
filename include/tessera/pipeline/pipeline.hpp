// Pipeline: codecs composed at compile time, from the array's memory to the store's bytes.
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/codec/detail/aliases.hpp>
#include <tessera/codec/detail/configuration.hpp>
#include <tessera/codec/detail/numcodecs.hpp>
#include <tessera/pipeline/detail/batch.hpp>
#include <tessera/pipeline/detail/composition.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/pipeline/detail/stage_holder.hpp>
#include <tessera/pipeline/detail/stages.hpp>
#include <tessera/pipeline/detail/value_codecs.hpp>

namespace tessera { inline namespace v0 {

/// A list of codecs and casts (CastTo<space>), in encoding order. Space is the memory space of the elements:
/// `Pipeline<space::Host, codec::Transpose, codec::Bytes, codec::Zstd>`.
template <MemorySpace Space, class... Stages>
class Pipeline {
  using end = decltype((detail::flow<Space>{} | ... | std::type_identity<Stages>{}));
  static_assert(end::refused || !end::is_array,
                "tessera: a pipeline needs one array-to-bytes codec, e.g. codec::Bytes");
  using Shard = typename detail::shard_among<Stages...>::type;
  using bottom = detail::leaf_of<Pipeline, end, Shard>;
  using List = std::tuple<Stages...>;
  template <std::size_t K>
  using stage = std::tuple_element_t<K, List>;
  static constexpr bool ends_in_shard = [] {
    bool is_last = false;
    ((is_last = detail::is_shard<Stages>), ...);
    return is_last;
  }();
  static_assert(end::refused || std::is_void_v<Shard> || !(detail::is_cast<Stages> || ...),
                "tessera: with a codec::Sharding, casts belong in the pipeline of its inner chunks: "
                "Pipeline<space::Device, codec::Sharding<Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>>>");
  static_assert(
      end::refused || std::is_void_v<Shard> || ends_in_shard || std::same_as<typename end::space, space::Host>,
      "tessera: codecs after a codec::Sharding run on the host only: end the pipeline of its inner chunks with "
      "CastTo<space::Host>");
  static constexpr bool changes_values = (detail::changes_values<Stages> || ...);
  static_assert(end::refused || std::is_void_v<Shard> || !changes_values,
                "tessera: a codec that changes values cannot come before a codec::Sharding, whose chunks are read one "
                "by one: put it into the pipeline of the inner chunks");
  static constexpr bool has_checked_bytes = detail::check_bytes<end, Stages...>();
  static_assert(has_checked_bytes || true);  // instantiates the check
  static constexpr std::size_t shard_place = [] {
    std::size_t place = 0, i = 0;
    ((place = detail::is_shard<Stages> ? i : place, ++i), ...);
    return place;
  }();
  // The stages that chunks pass: all, or those before the shard.
  static constexpr std::size_t passed = std::is_void_v<Shard> ? sizeof...(Stages) : shard_place;
  // The space of a chunk before stage K, or after the last.
  template <std::size_t K>
  using space_at = typename decltype(detail::flow_through<Space, List>(std::make_index_sequence<K>{}))::space;
  // The best space for bytes before stage K, or after the last: a cast may be next to them.
  template <std::size_t K>
  using staged_at = typename decltype(detail::staged<Space, List, K>())::type;
  template <class Ks = std::index_sequence_for<Stages...>>
  struct Held;
  template <std::size_t... K>
  struct Held<std::index_sequence<K...>> {
    using type = std::tuple<typename detail::held_stage<stage<K>, space_at<K>, space_at<K + 1>>::type...>;
  };
  struct HeldAsGiven {  // nothing is known of a codec whose header is missing
    using type = std::conditional_t<(detail::is_included<Stages> && ...), List, std::tuple<>>;
  };

 public:
  using array_space = Space;
  using bytes_space = typename end::space;
  /// How many times a chunk is copied to another memory space: `static_assert(P::crossings == 1)`.
  static constexpr int crossings = bottom::crossings;
  /// The type of the queue for its work: a device queue, if a chunk is outside host memory at any stage.
  using queue_type = typename bottom::queue;
  static constexpr bool refused = end::refused || end::is_array || !has_checked_bytes;  ///< a static_assert failed
  static constexpr bool is_sharded = !std::is_void_v<Shard>;
  static constexpr bool may_be_sharded = is_sharded;
  static constexpr bool may_encode_shards = is_sharded && !ends_in_shard;  ///< whether codecs follow the shard
  /// Whether the encoded size depends only on the decoded size.
  static constexpr bool has_fixed_size = (detail::has_fixed_size<Stages> && ...);
  /// The pipeline of the innermost chunks of shards.
  using leaf_type = typename bottom::type;
  /// The part that an array holds.
  using core_type = Pipeline;

  Pipeline() {}  // not defaulted: that would define it wherever the type is named
  explicit(sizeof...(Stages) == 1) Pipeline(Stages... stages) requires(sizeof...(Stages) > 0)
      : stages_{std::move(stages)...} {}

  /// "transpose | bytes | zstd": the codecs as the specification names them, without casts.
  static std::string codec_names() {
    std::string names;
    (
        [&] {
          if constexpr (!detail::is_cast<Stages>) names += (names.empty() ? "" : " | ") + std::string{Stages::name};
        }(),
        ...);
    return names;
  }

  /// The name of the codec that makes the stored bytes.
  static std::string_view last_codec() {
    std::string_view name;
    (
        [&] {
          if constexpr (!detail::is_cast<Stages>) name = Stages::name;
        }(),
        ...);
    return name;
  }

  /// The pipeline that a document describes. Throws: MetadataError, if its codecs are not those of this type.
  static Pipeline from(std::span<Specification const> codecs) {
    Pipeline pipeline;
    std::size_t count = 0;
    bool are_same = true;
    pipeline.for_each_codec([&]<class C>(C&) {
      are_same = are_same && count < codecs.size() && detail::means(codecs[count].name, C::name);
      ++count;
    });
    if (!are_same || count != codecs.size()) {
      std::string found;
      for (auto const& codec : codecs) found += (found.empty() ? "" : " | ") + codec.name;
      throw MetadataError{"member codecs: found " + found + ", expected this program's pipeline " + codec_names()};
    }
    auto next = codecs.begin();
    pipeline.for_each_codec([&]<class C>(C& codec) {
      codec = make_codec<C>(next->name == C::name ? *next : detail::in_usual_words(*next)), ++next;
    });
    return pipeline;
  }

  /// The entries of its codecs in a document; with a chunk, for a new array of such chunks. Throws: MetadataError,
  /// CodecError, if a codec does not accept them.
  template <class... Chunk>
  requires(std::same_as<Chunk, ChunkSpecification>&&...) std::vector<Specification> specifications(Chunk... chunk)
  const {
    std::vector<Specification> list;
    for_each_codec([&](auto const& codec) { list.push_back(specification_of(codec, chunk...)); });
    return list;
  }

  /// The stages that a chunk passes: before a shard, or all.
  std::array<detail::AnyStage const*, passed> stages() const {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      return std::array<detail::AnyStage const*, passed>{&std::get<K>(stages_)...};
    }
    (std::make_index_sequence<passed>{});
  }
  /// The pipeline of the innermost chunks of shards; without shards, this one.
  leaf_type const& leaf() const {
    if constexpr (is_sharded)
      return std::get<detail::ShardStage<Shard>>(stages_).codec().inner.leaf();
    else
      return *this;
  }

  /// The form of an array's chunks, or of the innermost chunks of its shards.
  ResolvedChunk resolve(ChunkSpecification const& chunk) const {
    if constexpr (is_sharded) {
      auto const in_shard = [&](ChunkSpecification const& shard) {
        auto form = std::get<detail::ShardStage<Shard>>(stages_).codec().resolve(shard);
        if constexpr (may_encode_shards) form.shards.front().behind = codecs_behind();
        return form;
      };
      detail::ResolveShard const resolve_shard{in_shard};
      return Executor{stages()}.resolve(chunk, &resolve_shard);
    } else {
      return Executor{stages()}.resolve(chunk, nullptr);
    }
  }

  /// The best memory for the bytes and the elements of a mini-batch: page-locked memory, if they are in host memory
  /// beside a copy to another space.
  using bytes_staging = staged_at<sizeof...(Stages)>;
  using array_staging = staged_at<0>;

  /// Scratch and lists, kept for the next mini-batch. Scratch has room for `most` chunks from the start.
  using Decoding = detail::DecodeBuffers;
  using Encoding = detail::EncodeBuffers;

  /// Decodes a mini-batch in the queue's order; `work` is in use until that is done. Throws: CodecError, MetadataError.
  void decode(ResolvedChunk const& form, std::span<DecodeTask<bytes_space, array_space>> chunks, Decoding& work,
              queue_type& on) const {
    Executor{stages()}.decode(form, chunks, work, on);
  }
  void decode(ResolvedChunk const& form, std::span<DecodeTask<bytes_space, array_space>> chunks, queue_type& on) const {
    decode(form, chunks, *on.template lease<Decoding>(), on);
  }

  /// Encodes a mini-batch in the same way.
  void encode(ResolvedChunk const& form, std::span<EncodeTask<bytes_space, array_space>> chunks, Encoding& work,
              queue_type& on) const {
    check_encodes();
    Executor{stages()}.encode(form, chunks, work, on);
  }
  void encode(ResolvedChunk const& form, std::span<EncodeTask<bytes_space, array_space>> chunks, queue_type& on) const {
    encode(form, chunks, *on.template lease<Encoding>(), on);
  }

  /// Gives a compile error, if a codec of a chunk only decodes.
  static void check_encodes() { detail::check_encodes(std::type_identity<typename Held<>::type>{}); }

  /// Throws: CodecError, if the implementation of a codec cannot write its configuration.
  void expect_encodes() const {
    for (auto const* one : stages()) one->expect_encodes();
    if constexpr (!std::is_void_v<Shard>) std::get<detail::ShardStage<Shard>>(stages_).codec().inner.expect_encodes();
  }

 private:
  using Executor = detail::Stages<Space, typename end::space, typename bottom::queue, array_staging, bytes_staging>;
  std::shared_ptr<ValueCodecs const> codecs_behind() const {
    ValueCodecs::Stages behind;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (behind.push_back(std::make_unique<std::tuple_element_t<passed + 1 + I, typename Held<>::type>>(
           std::get<passed + 1 + I>(stages_))),
       ...);
    }
    (std::make_index_sequence<sizeof...(Stages) - passed - 1>{});
    return std::make_shared<ValueCodecs const>(std::move(behind));
  }

  template <class Self, class F>
  static void each_codec(Self& self, F& f) {
    auto const call = [&](auto& stage) {
      if constexpr (requires { stage.codec(); }) f(stage.codec());
    };
    std::apply([&](auto&... stage) { (call(stage), ...); }, self.stages_);
  }
  template <class F>
  void for_each_codec(F&& f) {
    each_codec(*this, f);
  }
  template <class F>
  void for_each_codec(F&& f) const {
    each_codec(*this, f);
  }

  // Stages that gave a compile error are not instantiated.
  typename std::conditional_t<refused, HeldAsGiven, Held<>>::type stages_;
};

}}  // namespace tessera::v0
