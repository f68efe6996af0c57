// AnyStage: a codec or a cast as a stage of a pipeline. Types are erased for whole mini-batches, never for elements.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/encoded_sizes.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/key/key.hpp>
#include <tessera/pipeline/detail/batch.hpp>
#include <tessera/pipeline/detail/composition.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/view/detail/layout.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A mini-batch at a stage.
struct StageRun {
  ChunkSpecification const& chunk;  ///< before a codec that changes values; else before the array-to-bytes codec
  ValueChange const* change;        ///< of a codec that changes values
  std::span<StageTask> tasks;
  std::size_t most;
  StageQueues on;
  bool apart = false, ahead = false;                  ///< as for cross_batch
  AnyPlacer<space::Device> const** placer = nullptr;  ///< if elements are placed next: the stage may set a placer
  std::span<StageLink const> links{};                 ///< encoders behind it that use its sizes
  std::span<ChunkPart const> parts{};                 ///< of the chunks, if a stage decodes parts of some
  std::uint64_t* beside = nullptr;                    ///< if so, counts the bytes decoded beside the parts
};

/// What a stage needs to decode a part of a chunk alone. none: it cannot; all: all encoded bytes; in_order: likewise,
/// and a part begins at byte 0; range: `encoded_range` of the encoded bytes.
enum class PartsOf : std::uint8_t { none, all, in_order, range };

/// In the order of encoding.
using StageList = std::span<AnyStage const* const>;

/// The way of chunks through stages, one of which encodes elements that vary in size: decoded chunks consist of
/// ElementReferences. Defined in pipeline/detail/varying_stages.hpp, so programs without such codecs compile none of
/// it.
struct VaryingStages {
  /// Decoded elements refer to the encoded bytes, or to `buffers`.
  void (*decode)(StageList, ResolvedChunk const&, DecodeBuffers&, StageQueues const&);
  /// The encoded bytes are in `buffers`.
  void (*encode)(StageList, ResolvedChunk const&, EncodeBuffers&, StageQueues const&);
  /// As placer<space::Host>::find_filled.
  void (*find_filled)(ByteView<space::Host> chunks, std::size_t size, ByteView<space::Host> element,
                      std::span<std::uint8_t> filled);
};
template <class C>
struct varying_stages;
/// A codec that encodes elements that vary in size.
template <class C>
concept TakesVarying = requires {
  requires C::takes_varying;
};

/// Constants of a stage type. Buffers beside it are of its side's space, except that a cast may ask for page-locked
/// memory.
struct StageTraits {
  bool is_cast = false;
  bool is_view = false;  ///< read through, not run
  bool reads_array = false, writes_array = false;
  bool leaves_sizes = false, takes_sizes = false;  ///< encoding, in device memory
  TakeScratch array_side = nullptr, bytes_side = nullptr;
  VaryingStages const* varying = nullptr;  ///< of a codec that encodes strings
};

/// Only functions for a codec's kind are called: `decoded` if an array-to-array codec is read through, else `decode`
/// and `encode`.
class AnyStage {
 public:
  virtual ~AnyStage() {}  // not `= default`: clang++ would instantiate all of a stage where its type is only named
  StageTraits const& traits() const { return *traits_; }
  virtual std::string_view name() const = 0;  ///< empty: a cast
  virtual ChunkSpecification encoded(ChunkSpecification const&) const;  ///< by default the same
  virtual Layout decoded(Layout const&) const;                          ///< likewise
  virtual Layout layout(ChunkSpecification const&) const = 0;
  virtual std::size_t encoded_bound(ChunkSpecification const&, std::size_t size) const = 0;
  virtual std::size_t decoded_bound(ByteView<Somewhere> encoded) const = 0;
  virtual std::size_t decoding_memory(std::size_t decoded) const = 0;
  virtual PartsOf parts() const { return PartsOf::none; }
  virtual std::size_t part_memory(ChunkSpecification const&, std::size_t) const { return 0; }
  virtual ByteRange encoded_range(ChunkSpecification const&, ByteRange part) const { return part; }
  virtual std::size_t index_size(std::size_t) const { return 0; }  ///< with PartsOf::all; 0: none
  virtual ChunkPart encoded_part(ByteView<space::Host>, ChunkPart part) const { return part; }
  /// `lists` is the stage's own, and kept for the next mini-batch.
  virtual void decode(StageRun const&, StageObject& lists) const = 0;
  virtual void encode(StageRun const&, StageObject& lists) const = 0;
  /// For stages with `leaves_sizes` or `takes_sizes`: start begins to encode; take_size gets the size of chunk i when
  /// the host knows it.
  virtual void start(StageRun const&, StageObject& lists, EncodedSizes const&) const = 0;
  virtual void take_size(StageTask&, std::size_t i, std::size_t size, std::int32_t status) const = 0;
  /// Throws: CodecError, if this implementation does not write as the codec's configuration asks.
  virtual void expect_encodes() const {}

 protected:
  explicit AnyStage(StageTraits const& traits) : traits_{&traits} {}
  AnyStage(AnyStage const&) = default;
  AnyStage& operator=(AnyStage const&) = default;

 private:
  StageTraits const* traits_;
};

/// Runs a codec on one chunk in host memory; returns the size of the result.
using RunOnChunk = FunctionRef<std::size_t(ByteView<space::Host>, ByteSpan<space::Host>, Queue<space::Host>&)>;
/// Runs a codec on each chunk. Errors name the codec and the chunk.
TESSERA_DECL void run_each(std::string_view codec, StageRun const& run, RunOnChunk f);

/// Decodes a part of one chunk in host memory; returns how many bytes were decoded for it.
using RunOnPart =
    FunctionRef<std::size_t(ByteView<space::Host>, ByteSpan<space::Host>, ChunkPart, Queue<space::Host>&)>;
/// The same for the parts of the chunks.
TESSERA_DECL void run_each_part(std::string_view codec, StageRun const& run, RunOnPart f);

/// The best memory for bytes between two stages that run.
TESSERA_DECL TakeScratch scratch_between(AnyStage const& to_array, AnyStage const& to_bytes);
}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/pipeline/detail/any_stage.ipp>
#endif
