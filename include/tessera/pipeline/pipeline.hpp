// Codecs composed at compile time, from the array's memory to the store's bytes.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/pipeline/batch.hpp>
#include <tessera/pipeline/flow.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/pipeline/value_batch.hpp>
#include <tessera/pipeline/value_codecs.hpp>

namespace tessera { inline namespace v0 {

/// Stages are codecs and CastTo<space>, in encoding order:
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
                "tessera: where there is a codec::Sharding, casts are in the pipeline of its inner chunks: "
                "Pipeline<space::Device, codec::Sharding<Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>>>");
  static_assert(
      end::refused || std::is_void_v<Shard> || ends_in_shard || std::same_as<typename end::space, space::Host>,
      "tessera: codecs behind a codec::Sharding are the host's work: let the pipeline of its inner chunks end "
      "with CastTo<space::Host>");
  static constexpr bool changes_values = (detail::changes_values<Stages> || ...);
  static_assert(end::refused || std::is_void_v<Shard> || !changes_values,
                "tessera: a codec that changes values may not stand before a codec::Sharding, whose chunks are read "
                "one by one: put it into the pipeline of the inner chunks");
  static constexpr bool has_checked_bytes = detail::check_bytes<end, Stages...>();
  // The space of a chunk before stage K, or after the last.
  template <std::size_t K>
  using space_at = typename decltype(detail::flow_through<Space, List>(std::make_index_sequence<K>{}))::space;
  template <std::size_t K>
  static constexpr bool runs = !detail::is_view<stage<K>>;
  // What bytes that stand before stage K, or after the last, are best put into: a cast may be next to them.
  template <std::size_t K>
  using staged_at = typename decltype(detail::staged<Space, List, K>())::type;
  // The stages at work on a mini-batch.
  template <class Batch, class Within>
  struct ValueStation : Batch {
    detail::ValueBatch<Within> values;
  };
  template <std::size_t K, class Batch>
  using station =
      std::conditional_t<!runs<K>, char,
                         std::conditional_t<detail::changes_values<stage<K>>, ValueStation<Batch, space_at<K>>, Batch>>;
  struct StageBuffers {
    template <std::size_t... K>
    static auto list(std::index_sequence<K...>)
        -> std::pair<std::tuple<station<K, detail::StageBatch<space_at<K + 1>, space_at<K>, staged_at<K>>>...>,
                     std::tuple<station<K, detail::StageBatch<space_at<K>, space_at<K + 1>, staged_at<K + 1>>>...>>;
    using lists = decltype(list(std::index_sequence_for<Stages...>{}));
    using decoding = typename lists::first_type;
    using encoding = typename lists::second_type;
  };

 public:
  using array_space = Space;
  using bytes_space = typename end::space;
  /// The number of times that a chunk changes space: `static_assert(P::crossings == 1)`.
  static constexpr int crossings = bottom::crossings;
  /// The queue that orders its work: a device queue, if a chunk is ever outside of the host's memory.
  using queue_type = typename bottom::queue;
  static constexpr bool refused = end::refused || end::is_array || !has_checked_bytes;  ///< a message was given
  static constexpr bool is_sharded = !std::is_void_v<Shard>;
  static constexpr bool may_be_sharded = is_sharded;
  static constexpr bool may_encode_shards = is_sharded && !ends_in_shard;  ///< codecs stand behind them
  /// The encoded size depends only on the decoded size.
  static constexpr bool has_fixed_size = (detail::has_fixed_size<Stages> && ...);
  /// The pipeline of the chunks that are not made of smaller ones: those at the bottom of shards.
  using leaf_type = typename bottom::type;

  Pipeline() = default;
  explicit(sizeof...(Stages) == 1) Pipeline(Stages... stages) requires(sizeof...(Stages) > 0)
      : stages_{std::move(stages)...} {}

  /// "transpose | bytes | zstd": the codecs as the specification names them; casts are not part of it.
  static std::string codec_names() {
    std::string names;
    (
        [&] {
          if constexpr (!detail::is_cast<Stages>) names += (names.empty() ? "" : " | ") + std::string{Stages::name};
        }(),
        ...);
    return names;
  }

  /// The name of the one that makes the stored bytes.
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
    std::string found;
    for (auto const& codec : codecs) found += (found.empty() ? "" : " | ") + codec.name;
    if (found != codec_names())
      throw MetadataError{"member codecs: found " + found + ", expected this program's pipeline " + codec_names()};
    Pipeline pipeline;
    auto next = codecs.begin();
    auto make = [&]<class Stage>(Stage& stage) {
      if constexpr (!detail::is_cast<Stage>) stage = make_codec<Stage>(*next++);
    };
    std::apply([&](auto&... stage) { (make(stage), ...); }, pipeline.stages_);
    return pipeline;
  }

  /// The entries of its codecs in a document; with a type, in that of a new array of such elements.
  template <class... Type>
  requires(std::same_as<Type, DataType>&&...) std::vector<Specification> specifications(Type... type)
  const {
    std::vector<Specification> list;
    auto const add = [&]<class Stage>(Stage const& codec) {
      if constexpr (!detail::is_cast<Stage>) list.push_back(specification_of(codec, type...));
    };
    std::apply([&](auto const&... codecs) { (add(codecs), ...); }, stages_);
    return list;
  }

  leaf_type const& leaf() const {
    if constexpr (is_sharded)
      return std::get<Shard>(stages_).inner.leaf();
    else
      return *this;
  }

  /// For the chunks of an array, or for those at the bottom of its shards.
  ResolvedChunk resolve(ChunkSpecification const& chunk) const {
    ResolvedChunk form;
    resolve_from<0>(chunk, form);
    return form;
  }

  /// Where a mini-batch's bytes and elements are best put at the two ends: page-locked memory, if they are the host's
  /// and are about to cross or have crossed.
  using bytes_staging = staged_at<sizeof...(Stages)>;
  using array_staging = staged_at<0>;

  /// What a mini-batch needs on its way: scratch and lists, which the next one uses again. Scratch has room for `most`
  /// chunks from the beginning, if there are fewer.
  struct Decoding {
    std::size_t most = 0;
    bool apart = false;  ///< encoded bytes are in allocations of their own
    bool ahead = false;  ///< the queue was given nothing that uses this, or what chunks are decoded into
    typename StageBuffers::decoding stations;
    std::vector<ByteView<bytes_space>> encoded;
  };
  struct Encoding {
    std::size_t most = 0;
    typename StageBuffers::encoding stations;
    std::vector<ByteView<array_space>> plain;
  };

  /// Decodes a mini-batch in the queue's order; `work` is in use until that is done. Throws: CodecError, MetadataError.
  void decode(ResolvedChunk const& form, std::span<DecodeTask<bytes_space, array_space>> chunks, Decoding& work,
              queue_type& on) const {
    work.encoded.clear();
    for (auto const& chunk : chunks) work.encoded.push_back(chunk.encoded);
    undo<sizeof...(Stages)>(form, chunks, std::span<ByteView<bytes_space> const>{work.encoded}, work, on);
  }
  void decode(ResolvedChunk const& form, std::span<DecodeTask<bytes_space, array_space>> chunks, queue_type& on) const {
    decode(form, chunks, *on.template lease<Decoding>(), on);
  }

  /// Encodes a mini-batch, in the same way.
  void encode(ResolvedChunk const& form, std::span<EncodeTask<bytes_space, array_space>> chunks, Encoding& work,
              queue_type& on) const {
    work.plain.clear();
    for (auto const& chunk : chunks) work.plain.push_back(chunk.from);
    apply<0>(form, chunks, std::span<ByteView<array_space> const>{work.plain}, work, on);
  }
  void encode(ResolvedChunk const& form, std::span<EncodeTask<bytes_space, array_space>> chunks, queue_type& on) const {
    encode(form, chunks, *on.template lease<Encoding>(), on);
  }

 private:
  // How many of the first K stages run: the place of stage K in form.bounds.
  template <std::size_t K>
  static constexpr std::size_t running_before() {
    return []<std::size_t... I>(std::index_sequence<I...>) { return (std::size_t{0} + ... + runs<I>); }
    (std::make_index_sequence<K>{});
  }

  // How many of the first K stages change values: the place of stage K in form.changes.
  template <std::size_t K>
  static constexpr std::size_t changing_before() {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (std::size_t{0} + ... + detail::changes_values<stage<I>>);
    }
    (std::make_index_sequence<K>{});
  }

  template <std::size_t K>
  void resolve_from(ChunkSpecification const& chunk, ResolvedChunk& form) const {
    if constexpr (K == sizeof...(Stages)) {
      return;
    } else if constexpr (detail::is_cast<stage<K>>) {
      if (form.bounds.empty()) {  // before the array-to-bytes codec: elements cross
        resolve_from<K + 1>(chunk, form);
        form.bounds.insert(form.bounds.begin(), form.bounds.front());
      } else {
        form.bounds.push_back(form.bounds.back());
        resolve_from<K + 1>(chunk, form);
      }
    } else {
      auto const& codec = std::get<K>(stages_);
      try {
        if constexpr (detail::changes_values<stage<K>>) {
          auto encoded = detail::encoded_chunk(codec, chunk);
          resolve_from<K + 1>(encoded, form);
          form.change(chunk, std::move(encoded));
          form.bounds.insert(form.bounds.begin(), form.decoded_size);
        } else if constexpr (detail::is_kind<stage<K>, array_to_array>) {
          resolve_from<K + 1>(detail::encoded_chunk(codec, chunk), form);
          form.see_through(codec);
        } else if constexpr (detail::is_shard<stage<K>>) {
          form = codec.resolve(chunk);
          if constexpr (may_encode_shards) form.shards.front().behind = codecs_behind<K>();
        } else if constexpr (detail::is_kind<stage<K>, array_to_bytes>) {
          form.decoded_size = chunk.size_in_bytes();  // first: it checks what the layout multiplies
          form.layout = codec.layout(chunk);
          form.chunk = chunk;
          form.bounds = {form.decoded_size};
          if constexpr (runs<K>) form.bounds.push_back(codec.encoded_bound(chunk));
          resolve_from<K + 1>(chunk, form);
        } else {
          form.bounds.push_back(codec.encoded_bound(form.bounds.back()));
          resolve_from<K + 1>(chunk, form);
        }
      } catch (Error& error) {
        error.in_codec(stage<K>::name);
        throw;
      }
    }
  }

  // Behind a shard, stage K.
  template <std::size_t K>
  std::shared_ptr<ValueCodecs const> codecs_behind() const {
    ValueCodecs::Stages behind;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (behind.push_back(std::make_unique<detail::StageOf<stage<K + 1 + I>, space::Host>>(std::get<K + 1 + I>(stages_))),
       ...);
    }
    (std::make_index_sequence<sizeof...(Stages) - K - 1>{});
    return std::make_shared<ValueCodecs const>(std::move(behind));
  }

  // Takes back the first K stages; `from` is what stands after them.
  template <std::size_t K>
  void undo(ResolvedChunk const& form, std::span<DecodeTask<bytes_space, array_space>> chunks,
            std::span<ByteView<space_at<K>> const> from, Decoding& work, queue_type& on) const {
    if constexpr (K == 0) {
      for (std::size_t i = 0; i < chunks.size(); ++i) {
        chunks[i].decoded = from[i];
        detail::expect_size(from[i].size, form.decoded_size, i);
      }
    } else if constexpr (!runs<K - 1>) {
      undo<K - 1>(form, chunks, from, work, on);
    } else {
      constexpr auto place = running_before<K - 1>();
      auto& batch = std::get<K - 1>(work.stations);
      if constexpr (place == 0) {
        batch.send(from, [&](std::size_t i) { return chunks[i].to.sub(0, form.decoded_size); });
      } else {
        batch.keep(from, form.bounds[place], work.most, on);
      }
      constexpr bool is_first = running_before<K>() == running_before<sizeof...(Stages)>();
      auto const decode_all = [&](auto const& codec, auto tasks, auto& queue) {
        if constexpr (detail::changes_values<stage<K - 1>>) {
          auto const& change = form.changes[changing_before<K - 1>()];
          batch.values.decode(change, tasks, work.most, queue,
                              [&](auto dense) { decode_batch(codec, change.decoded, dense, queue); });
        } else {
          decode_batch(codec, form.stored_chunk(), tasks, queue);
        }
      };
      run<K - 1>(std::span{batch.tasks}, on, is_first && work.apart, work.ahead, decode_all);
      undo<K - 1>(form, chunks, batch.collect(), work, on);
    }
  }

  // Applies the stages from K on; `from` is what stands before them.
  template <std::size_t K>
  void apply(ResolvedChunk const& form, std::span<EncodeTask<bytes_space, array_space>> chunks,
             std::span<ByteView<space_at<K>> const> from, Encoding& work, queue_type& on) const {
    if constexpr (K == sizeof...(Stages)) {
      for (std::size_t i = 0; i < chunks.size(); ++i) chunks[i].encoded = from[i];
    } else if constexpr (!runs<K>) {
      apply<K + 1>(form, chunks, from, work, on);
    } else {
      constexpr auto place = running_before<K + 1>();
      auto& batch = std::get<K>(work.stations);
      if constexpr (place == running_before<sizeof...(Stages)>()) {
        batch.send(from, [&](std::size_t i) { return chunks[i].to; });
      } else {
        batch.keep(from, form.bounds[place], work.most, on);
      }
      auto const encode_all = [&](auto const& codec, auto tasks, auto& queue) {
        if constexpr (detail::changes_values<stage<K>>) {
          auto const& change = form.changes[changing_before<K>()];
          batch.values.encode(change, stage<K>::name, tasks, work.most, queue,
                              [&](auto dense) { encode_batch(codec, change.decoded, dense, queue); });
        } else {
          encode_batch(codec, form.stored_chunk(), tasks, queue);
        }
      };
      run<K>(std::span{batch.tasks}, on, false, false, encode_all);
      apply<K + 1>(form, chunks, batch.collect(), work, on);
    }
  }

  // Stage K at work: a cast copies, a codec does what `code` asks of it, on the queue that the two spaces need.
  template <std::size_t K, class From, class To, class Code>
  void run(std::span<CodecTask<From, To>> tasks, queue_type& on, bool apart, bool ahead, Code&& code) const {
    auto& queue = queue_between<From, To>(on);
    if constexpr (detail::is_cast<stage<K>>)
      detail::cross_batch(tasks, queue, apart, ahead);
    else
      code(std::get<K>(stages_), tasks, queue);
  }

  // Nothing is known of a codec whose header is missing.
  std::conditional_t<(detail::is_included<Stages> && ...), std::tuple<Stages...>, std::tuple<>> stages_;
};

}}  // namespace tessera::v0
