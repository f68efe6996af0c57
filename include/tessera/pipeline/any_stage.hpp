// A stage of a pipeline whose type is not known where it is called: a codec, or a cast. Erased are whole mini-batches,
// never elements; a stage knows the spaces of its two sides as types.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/codec/batch.hpp>
#include <tessera/codec/chunk.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/codec/encoded_sizes.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/pipeline/batch.hpp>
#include <tessera/pipeline/flow.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/pipeline/value_batch.hpp>
#include <tessera/view/layout.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A mini-batch at a stage.
struct StageRun {
  ChunkSpecification const& chunk;  ///< as it reaches a codec that changes values, or else the one that makes bytes
  ValueChange const* change;        ///< of a codec that changes values
  std::span<StageTask> tasks;
  std::size_t most;
  StageQueues on;
  bool apart = false, ahead = false;                  ///< as cross_batch's
  AnyPlacer<space::Device> const** placer = nullptr;  ///< if elements are placed next: to be set to who does that
  std::span<StageLink const> links{};                 ///< encoders behind it that take the sizes which it leaves
};

/// How chunks pass stages, one of which makes bytes of elements that vary in size: decoded chunks are of
/// ElementReferences. pipeline/varying_stages.hpp has it, so that programs without such codecs compile none of it.
struct VaryingStages {
  using List = std::span<AnyStage const* const>;
  /// The elements that are decoded refer to the encoded bytes, or to `buffers`.
  void (*decode)(List, ResolvedChunk const&, DecodeBuffers&, StageQueues const&);
  /// What is encoded lies in `buffers`.
  void (*encode)(List, ResolvedChunk const&, EncodeBuffers&, StageQueues const&);
  /// As placer<space::Host>::find_filled.
  void (*find_filled)(ByteView<space::Host> chunks, std::size_t size, ByteView<space::Host> element,
                      std::span<std::uint8_t> filled);
};
template <class C>
struct varying_stages;
/// A codec that makes bytes of elements that vary in size.
template <class C>
concept TakesVarying = requires {
  requires C::takes_varying;
};

/// What is the same for every stage of a type. What bytes on a side of it are best put into is mostly of their space:
/// but a cast may have them page-locked.
struct StageTraits {
  bool is_cast = false;
  bool is_view = false;  ///< read through, not run
  bool reads_array = false, writes_array = false;
  bool leaves_sizes = false, takes_sizes = false;  ///< encoding, in device memory
  TakeScratch array_side = nullptr, bytes_side = nullptr;
  VaryingStages const* varying = nullptr;  ///< of a codec that makes bytes of strings
};

/// Only the functions of a codec's kind are called: `decoded` where an array-to-array codec is read through, `decode`
/// and `encode` where it is not.
class AnyStage {
 public:
  virtual ~AnyStage() {}  // not `= default`: clang++ would instantiate all of a stage where its type is only named
  StageTraits const& traits() const { return *traits_; }
  virtual std::string_view name() const = 0;  ///< none: a cast
  virtual ChunkSpecification encoded(ChunkSpecification const&) const = 0;
  virtual Layout decoded(Layout const&) const = 0;
  virtual Layout layout(ChunkSpecification const&) const = 0;
  virtual std::size_t encoded_bound(ChunkSpecification const&, std::size_t size) const = 0;
  virtual std::size_t decoded_bound(ByteView<Somewhere> encoded) const = 0;
  virtual std::size_t decoding_memory(std::size_t decoded) const = 0;
  /// `lists` is the stage's from one mini-batch to the next.
  virtual void decode(StageRun const&, StageObject& lists) const = 0;
  virtual void encode(StageRun const&, StageObject& lists) const = 0;
  /// Of stages that leave or take sizes: begins to encode, and takes the size of chunk i when the host knows it.
  virtual void start(StageRun const&, StageObject& lists, EncodedSizes const&) const = 0;
  virtual void take_size(StageTask&, std::size_t i, std::size_t size, std::int32_t status) const = 0;

 protected:
  explicit AnyStage(StageTraits const& traits) : traits_{&traits} {}
  AnyStage(AnyStage const&) = default;
  AnyStage& operator=(AnyStage const&) = default;

 private:
  StageTraits const* traits_;
};

/// A codec of device memory alone that need not join what it decodes where the tasks say, if elements are placed next:
/// its `unjoined` places them from where it decoded them to.
template <class C>
concept LeavesUnjoined = requires {
  typename C::unjoined;
};

// What a stage keeps beside its tasks from one mini-batch to the next.
template <class C, MemorySpace S>
struct kept_beside_tasks {
  struct type {};
};
template <class C, MemorySpace S>
requires is_of_values<C>
struct kept_beside_tasks<C, S> {
  using type = ValueBatch<S>;
};
template <LeavesUnjoined C, MemorySpace S>
struct kept_beside_tasks<C, S> {
  using type = typename C::unjoined;
};

/// Between two stages that run: where bytes that stand there are best put.
inline TakeScratch scratch_between(AnyStage const& to_array, AnyStage const& to_bytes) {
  return to_bytes.traits().is_cast ? to_bytes.traits().array_side : to_array.traits().bytes_side;
}

/// A codec between its chunks in ArraySide, and what it makes of them in BytesSide.
template <Codec C, MemorySpace ArraySide, MemorySpace BytesSide = ArraySide>
class StageOf final : public AnyStage {
  using kind = typename C::kind;
  static constexpr bool to_array = std::same_as<kind, array_to_array>, to_bytes = std::same_as<kind, array_to_bytes>;
  static constexpr bool is_sound = detail::check_codec<C>();
  static constexpr bool runs = is_sound && !detail::is_view<C>;
  using EncodeQueue = crossing_queue<ArraySide, BytesSide>;
  static constexpr bool leaves_sizes = LeavesSizes<C, ArraySide, BytesSide, EncodeQueue>;
  static constexpr bool takes_sizes = detail::takes_sizes<C> && !ArraySide::host_accessible;
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
      return chunk;
  }
  Layout decoded(Layout const& layout) const override {
    if constexpr (to_array && detail::is_view<C>)
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
  void decode([[maybe_unused]] StageRun const& run, [[maybe_unused]] StageObject& lists) const override {
    if constexpr (runs)
      pass<BytesSide, ArraySide>(run, lists, [&](auto& values, auto tasks, auto& on) {
        if constexpr (to_array)
          values.decode(*run.change, tasks, run.most, on,
                        [&](auto dense) { decode_batch(codec_, run.chunk, dense, on); });
        else if constexpr (LeavesUnjoined<C>)
          run.placer ? decode_to_place(run, values, tasks, on) : decode_batch(codec_, run.chunk, tasks, on);
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

 private:
  // The tasks, of bytes whose spaces are known; and what a codec of values needs.
  template <MemorySpace From, MemorySpace To>
  struct Lists {
    std::vector<CodecTask<From, To>> tasks;
    [[no_unique_address]] typename kept_beside_tasks<C, From>::type values;
  };
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
