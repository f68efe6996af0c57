// A stage of a pipeline whose type is not known where it is called: a codec, or a cast. Erased are whole mini-batches,
// never elements.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <tessera/codec/chunk.hpp>
#include <tessera/codec/encoded_sizes.hpp>
#include <tessera/pipeline/batch.hpp>
#include <tessera/pipeline/flow.hpp>
#include <tessera/pipeline/form.hpp>
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

/// In the order of encoding.
using StageList = std::span<AnyStage const* const>;

/// How chunks pass stages, one of which makes bytes of elements that vary in size: decoded chunks are of
/// ElementReferences. pipeline/varying_stages.hpp has it, so that programs without such codecs compile none of it.
struct VaryingStages {
  /// The elements that are decoded refer to the encoded bytes, or to `buffers`.
  void (*decode)(StageList, ResolvedChunk const&, DecodeBuffers&, StageQueues const&);
  /// What is encoded lies in `buffers`.
  void (*encode)(StageList, ResolvedChunk const&, EncodeBuffers&, StageQueues const&);
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

/// Between two stages that run: where bytes that stand there are best put.
inline TakeScratch scratch_between(AnyStage const& to_array, AnyStage const& to_bytes) {
  return to_bytes.traits().is_cast ? to_bytes.traits().array_side : to_array.traits().bytes_side;
}
}}}  // namespace tessera::v0::detail
