// StageOf: a codec as a stage of a pipeline, with the spaces of its two sides as types.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/batch.hpp>
#include <tessera/codec/detail/check_codec.hpp>
#include <tessera/codec/detail/codec_calls.hpp>
#include <tessera/codec/detail/encoded_sizes.hpp>
#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/pipeline/detail/any_stage.hpp>
#include <tessera/pipeline/detail/batch.hpp>
#include <tessera/pipeline/detail/composition.hpp>
#include <tessera/pipeline/detail/value_batch.hpp>
#include <tessera/view/detail/layout.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A codec for device memory only that need not join decoded bytes at the tasks' destinations if elements are placed
/// next: its `unjoined` places them from where it decoded them to.
template <class C>
concept LeavesUnjoined = requires {
  typename C::unjoined;
};

/// A codec of elements that vary in size and refer to decoded bytes. It gets a place for these, one per chunk, which
/// stays unchanged until the elements are placed.
template <class C>
concept KeepsDecoded = requires {
  typename C::kept;
};

// State beside the tasks, kept for the next mini-batch.
template <class C, MemorySpace S>
struct kept_beside_tasks {
  struct type {};
};
template <class C, MemorySpace S>
requires is_of_values<C>
struct kept_beside_tasks<C, S> {
  using type = ValueBatch<S>;
};
template <KeepsDecoded C, MemorySpace S>
struct kept_beside_tasks<C, S> {
  using type = std::vector<typename C::kept>;
};
template <LeavesUnjoined C, MemorySpace S>
struct kept_beside_tasks<C, S> {
  using type = typename C::unjoined;
};

/// A codec for host memory that decodes or encodes one chunk at a time: it needs no lists, and most of its stage is
/// compiled once.
template <class Call, class C, class From, class To>
concept RunsOnEach = std::same_as<From, space::Host> && std::same_as<To, space::Host> && !LeavesUnjoined<C> &&
    !KeepsDecoded<C> && AskedForChunk<Call, C> &&
    !AskedForBatch<Call, C, std::span<CodecTask<From, To>>, Queue<space::Host>>;

/// Chunks are in ArraySide, and encoded in BytesSide.
template <Codec C, MemorySpace ArraySide, MemorySpace BytesSide = ArraySide>
class StageOf final : public AnyStage {
  using kind = typename C::kind;
  static constexpr bool to_array = std::same_as<kind, array_to_array>, to_bytes = std::same_as<kind, array_to_bytes>;
  static constexpr bool is_sound = detail::check_codec<C>();
  static constexpr bool runs = is_sound && !detail::is_view<C>;
  using EncodeQueue = crossing_queue<ArraySide, BytesSide>;
  static constexpr bool leaves_sizes = LeavesSizes<C, ArraySide, BytesSide, EncodeQueue>;
  static constexpr bool takes_sizes = detail::takes_sizes<C> && !ArraySide::host_accessible;
  template <class Call, class From, class To>
  static constexpr bool runs_each = !to_array && RunsOnEach<Call, C, From, To>;
  static constexpr bool decodes_parts =
      runs && DecodesParts<C> && std::same_as<ArraySide, space::Host> && std::same_as<BytesSide, space::Host>;
  static constexpr bool has_index = decodes_parts && !kind::reads_array && HasIndex<C>;
  template <class Call>
  void run_on_each(StageRun const& run) const {
    run_each(C::name, run, [&](ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) {
      return Call{}(codec_, run.chunk, from, to, on);
    });
  }
  static constexpr StageTraits traits_of_all = [] {
    StageTraits traits{
        .is_view = detail::is_view<C>, .reads_array = kind::reads_array, .writes_array = kind::writes_array};
    if constexpr (runs) traits.array_side = &take_scratch<ArraySide>, traits.bytes_side = &take_scratch<BytesSide>;
    traits.leaves_sizes = leaves_sizes, traits.takes_sizes = takes_sizes;
    if constexpr (TakesVarying<C>) traits.varying = &varying_stages<C>::value;
    return traits;
  }();

 public:
  StageOf() requires std::default_initializable<C> : AnyStage{traits_of_all} {}
  explicit StageOf(C codec) : AnyStage{traits_of_all}, codec_{std::move(codec)} {}

  C& codec() { return codec_; }
  C const& codec() const { return codec_; }

  std::string_view name() const override { return C::name; }
  ChunkSpecification encoded(ChunkSpecification const& chunk) const override {
    if constexpr (to_array && is_sound)
      return detail::encoded_chunk(codec_, chunk);
    else
      return AnyStage::encoded(chunk);
  }
  Layout decoded(Layout const& layout) const override {
    if constexpr (to_array && detail::is_view<C>)
      return codec_.decoded(layout);
    else
      return AnyStage::decoded(layout);
  }
  Layout layout([[maybe_unused]] ChunkSpecification const& chunk) const override {
    if constexpr (to_bytes)
      return codec_.layout(chunk);
    else
      return {};
  }
  std::size_t encoded_bound([[maybe_unused]] ChunkSpecification const& chunk, std::size_t size) const override {
    if constexpr (to_array || detail::is_view<C>)
      return size;
    else if constexpr (to_bytes)
      return codec_.encoded_bound(chunk);
    else
      return codec_.encoded_bound(size);
  }
  std::size_t decoded_bound([[maybe_unused]] ByteView<Somewhere> encoded) const override {
    if constexpr (std::same_as<BytesSide, space::Host>)
      if constexpr (requires { codec_.decoded_bound(known_in<BytesSide>(encoded)); })
        return codec_.decoded_bound(known_in<BytesSide>(encoded));
    return unbounded;
  }
  std::size_t decoding_memory([[maybe_unused]] std::size_t decoded) const override {
    if constexpr (requires { codec_.decoding_memory(decoded); })
      return codec_.decoding_memory(decoded);
    else
      return 0;
  }
  PartsOf parts() const override {
    if constexpr (decodes_parts) {
      bool does = true;
      if constexpr (SaysWhetherParts<C>) does = codec_.decodes_parts();
      return !does                ? PartsOf::none
             : SaysEncodedRange<C> ? PartsOf::range
             : DecodesInOrder<C>   ? PartsOf::in_order
                                   : PartsOf::all;
    }
    return PartsOf::none;
  }
  std::size_t part_memory([[maybe_unused]] ChunkSpecification const& chunk,
                          [[maybe_unused]] std::size_t decoded) const override {
    if constexpr (decodes_parts && SaysPartMemory<C>)
      return parts() == PartsOf::none ? 0 : MemoryOfParts{}(codec_, chunk, decoded);
    return 0;
  }
  ByteRange encoded_range([[maybe_unused]] ChunkSpecification const& chunk, ByteRange part) const override {
    if constexpr (decodes_parts && SaysEncodedRange<C>)
      return EncodedRange{}(codec_, chunk, part);
    else
      return part;
  }
  std::size_t index_size([[maybe_unused]] std::size_t decoded) const override {
    if constexpr (has_index) return codec_.index_size(decoded);
    return 0;
  }
  ChunkPart encoded_part([[maybe_unused]] ByteView<space::Host> index, ChunkPart part) const override {
    if constexpr (has_index)
      return codec_.encoded_part(index, part);
    else
      return part;
  }
  void decode([[maybe_unused]] StageRun const& run, [[maybe_unused]] StageObject& lists) const override {
    if constexpr (decodes_parts)
      if (!run.parts.empty()) return decode_parts(run, lists);
    if constexpr (runs && runs_each<Decode, BytesSide, ArraySide>)
      run_on_each<Decode>(run);
    else if constexpr (runs)
      pass<BytesSide, ArraySide>(run, lists, [&](auto& values, auto tasks, auto& on) {
        if constexpr (to_array)
          values.decode(*run.change, tasks, run.most, on,
                        [&](auto dense) { decode_batch(codec_, run.chunk, dense, on); });
        else if constexpr (LeavesUnjoined<C>)
          run.placer ? decode_to_place(run, values, tasks, on) : decode_batch(codec_, run.chunk, tasks, on);
        else if constexpr (KeepsDecoded<C>)
          decode_kept(run, values, tasks, on);
        else
          decode_batch(codec_, run.chunk, tasks, on);
      });
  }
  void encode([[maybe_unused]] StageRun const& run, [[maybe_unused]] StageObject& lists) const override {
    if constexpr (leaves_sizes)
      encode_in_turn<ArraySide>(
          run.tasks.size(), 1 + run.links.size(), run.on.between<ArraySide>(),
          [&](std::size_t k, EncodedSizes const& sizes) {
            if (k == 0) return start(run, lists, sizes);
            auto const& link = run.links[k - 1];
            link.stage->start({run.chunk, nullptr, link.tasks, run.most, run.on}, *link.lists, sizes);
          },
          [&](std::size_t k, std::size_t i, std::size_t size, std::int32_t status) {
            if (k == 0) return take_size(run.tasks[i], i, size, status);
            auto& task = run.links[k - 1].tasks[i];
            task.from.size = (k == 1 ? run.tasks[i] : run.links[k - 2].tasks[i]).size;
            run.links[k - 1].stage->take_size(task, i, size, status);
          });
    else if constexpr (runs && runs_each<Encode, ArraySide, BytesSide>)
      run_on_each<Encode>(run);
    else if constexpr (RunsBatch<Encode, C, ArraySide, BytesSide, EncodeQueue>)
      pass<ArraySide, BytesSide>(run, lists, [&](auto& values, auto tasks, auto& on) {
        if constexpr (to_array)
          values.encode(*run.change, C::name, tasks, run.most, on,
                        [&](auto dense) { encode_batch(codec_, run.chunk, dense, on); });
        else
          encode_batch(codec_, run.chunk, tasks, on);
      });
    else if constexpr (runs)
      throw CodecError{"this program's implementation decodes only"};
  }
  void start([[maybe_unused]] StageRun const& run, [[maybe_unused]] StageObject& lists,
             [[maybe_unused]] EncodedSizes const& sizes) const override {
    if constexpr (leaves_sizes || takes_sizes)
      start_encoding(codec_, known<ArraySide, BytesSide>(run, lists), sizes, run.on.between<ArraySide, BytesSide>());
  }
  void take_size([[maybe_unused]] StageTask& task, [[maybe_unused]] std::size_t i, [[maybe_unused]] std::size_t size,
                 [[maybe_unused]] std::int32_t status) const override {
    if constexpr (leaves_sizes || takes_sizes) {
      CodecTask<ArraySide, BytesSide> known{known_in<ArraySide>(task.from), known_in<BytesSide>(task.to)};
      detail::take_size(codec_, known, i, size, status);
      task.size = known.size;
    }
  }
  void expect_encodes() const override {
    if constexpr (requires { codec_.expect_encodes(); }) {
      try {
        codec_.expect_encodes();
      } catch (CodecError& error) {
        error.in_codec(C::name);
        throw;
      }
    }
  }

 private:
  // Tasks in known spaces, and the state of the codec.
  template <MemorySpace From, MemorySpace To>
  struct Lists {
    std::vector<CodecTask<From, To>> tasks;
    [[no_unique_address]] typename kept_beside_tasks<C, From>::type values;
  };
  template <class Tasks, class AnyQueue>
  void decode_kept(StageRun const& run, typename kept_beside_tasks<C, BytesSide>::type& kept, Tasks tasks,
                   AnyQueue& on) const {
    if (kept.size() < tasks.size()) kept.resize(tasks.size());
    std::size_t i = 0;
    try {
      for (; i < tasks.size(); ++i)
        tasks[i].size = codec_.decode(run.chunk, tasks[i].from, tasks[i].to, on, kept[i]);
    } catch (Error& error) {
      error.in_chunk(i).in_codec(C::name);
      throw;
    }
  }
  void decode_parts([[maybe_unused]] StageRun const& run, [[maybe_unused]] StageObject& lists) const {
    using Host = space::Host;
    using HostLists = Lists<BytesSide, ArraySide>;  // by these names: clang++ 14 crashes on Lists<Host, Host>
    if constexpr (decodes_parts)
      run_each_part(C::name, run, [&](ByteView<Host> from, ByteSpan<Host> to, ChunkPart part, Queue<Host>& on) {
        if constexpr (to_array) from = lists.of<HostLists>().values.aligned(*run.change, from, on);
        return DecodePart{}(codec_, run.chunk, from, to, part, on);
      });
  }
  template <class Unjoined, class Tasks, class AnyQueue>
  void decode_to_place(StageRun const& run, Unjoined& kept, Tasks tasks, AnyQueue& on) const {
    auto const leave = [&](auto& codec, auto&, auto batch, auto& queue) -> void {
      codec.decode_to_place(batch, kept, queue);
    };
    run_batch(leave, codec_, run.chunk, tasks, on);
    *run.placer = &kept;
  }
  template <MemorySpace From, MemorySpace To>
  std::span<CodecTask<From, To>> known(StageRun const& run, StageObject& lists) const {
    auto& tasks = lists.of<Lists<From, To>>().tasks;
    tasks.resize(run.tasks.size());
    for (std::size_t i = 0; i < run.tasks.size(); ++i)
      tasks[i] = {known_in<From>(run.tasks[i].from), known_in<To>(run.tasks[i].to)};
    return tasks;
  }
  template <MemorySpace From, MemorySpace To, class F>
  void pass(StageRun const& run, StageObject& lists, F&& f) const {
    auto const tasks = known<From, To>(run, lists);
    f(lists.of<Lists<From, To>>().values, tasks, run.on.between<ArraySide, BytesSide>());
    for (std::size_t i = 0; i < run.tasks.size(); ++i) run.tasks[i].size = tasks[i].size;
  }

  C codec_{};
};

}}}  // namespace tessera::v0::detail
