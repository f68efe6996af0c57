// ResolvedChunk: the form of an array's chunks in a pipeline, computed once from metadata alone.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/codec/concept.hpp>
#include <tessera/core/config.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/view/detail/layout.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

// std::vector::insert compiles five times as slowly.
template <class T>
void put_first(std::vector<T>& list, std::type_identity_t<T> first) {
  std::vector<T> all;
  all.push_back(std::move(first));
  for (auto& one : list) all.push_back(std::move(one));
  list = std::move(all);
}

}  // namespace detail

class ShardIndexFormat;
class ValueCodecs;
namespace detail {
struct VaryingStages;
}

/// One level of an array's shards, which may be nested.
struct ShardLevel {
  Layout entries;  ///< the index, by the array's dimensions; strides count entries
  std::shared_ptr<ShardIndexFormat const> index;
  std::shared_ptr<ValueCodecs const> behind{};  ///< codecs for its whole value; usually null
};

/// A codec of a chunk that changes values.
struct ValueChange {
  ChunkSpecification decoded;  ///< the chunk before the codec
  ChunkSpecification encoded;  ///< and after it
  Layout layout;               ///< of the encoded elements, in the bytes at the next stage that runs
  bool is_dense;               ///< C order, as the codec gives elements

  std::size_t encoded_size() const { return encoded.size_in_bytes(); }
};

struct ResolvedChunk {
  ChunkSpecification chunk;            ///< before the first codec that changes values, or the array-to-bytes codec
  Layout layout;                       ///< of the chunk's elements in its decoded bytes
  std::size_t decoded_size = 0;        ///< bytes, exactly
  std::vector<std::size_t> bounds{};   ///< the most bytes before each stage that runs, and after the last
  std::vector<ShardLevel> shards{};    ///< around the chunk, the outermost first; empty: it is a value of its own
  std::vector<ValueChange> changes{};  ///< in the order of encoding
  std::size_t decoders = 0;            ///< bytes of memory that codecs use to decode a chunk
  std::size_t part_memory = 0;         ///< bytes of memory that codecs use to decode a part of one chunk
  bool stores_elements = true;         ///< no codec runs: the stored bytes are the elements, which may have to cross
  std::size_t part_stages = 0;         ///< as many running stages, from the elements on, can decode a part alone
  bool decodes_in_order = false;       ///< one of these stages can only stop early: a part begins at byte 0
  bool stores_ranges = true;           ///< all can, and say which range of the stored bytes it needs
  std::size_t index_size = 0;          ///< bytes of a stored chunk that say where its parts are; 0: none
  /// For elements that vary in size: their way through the stages. Elements are references, and `bounds` estimates.
  detail::VaryingStages const* varying = nullptr;

  /// The chunk before the array-to-bytes codec.
  ChunkSpecification const& stored_chunk() const { return changes.empty() ? chunk : changes.back().encoded; }

  /// Puts an array-to-array codec that is read through in front.
  template <class C>
  void see_through(C const& codec) {
    layout = codec.decoded(std::move(layout));
    for (auto& level : shards) level.entries = codec.decoded(std::move(level.entries));
  }

  /// Puts a codec that changes values in front; its decoded elements are in C order. The caller sets `bounds`.
  void change(ChunkSpecification const& before, ChunkSpecification after);

  bool is_view() const { return bounds.size() <= 1; }  ///< no stage runs: the stored bytes are the elements
  bool decodes_parts() const { return stores_ranges || part_stages > 0; }
  std::size_t encoded_bound() const { return bounds.back(); }

  /// The bytes of memory for a chunk in progress: its elements, the bytes between stages, those of decoders, and the
  /// stored value at the largest size that this program's encoders produce. A chunk that `is_changed` is decoded before
  /// it is encoded: it also needs the bytes between stages of decoding, or its old value if no stage runs.
  std::uint64_t memory(bool is_changed = false) const;

 private:
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;  // sums of two do not wrap
};

/// One chunk to decode. If a stage runs, `to` has room for its part, or for decoded_size bytes, and becomes `decoded`.
/// If none runs, `encoded` becomes `decoded`, and `to` is not used.
template <MemorySpace BytesSpace, MemorySpace ArraySpace>
struct DecodeTask {
  ByteView<BytesSpace> encoded;
  ByteSpan<ArraySpace> to{};
  ByteView<ArraySpace> decoded{};
  ByteRange part{};  ///< of the decoded bytes; whole unless the form `decodes_parts()`
};

/// One chunk to encode: `from` has decoded_size bytes in the form's layout, `to` room for encoded_bound(). `encoded` is
/// in `to`, or is `from` if no stage runs.
template <MemorySpace BytesSpace, MemorySpace ArraySpace>
struct EncodeTask {
  ByteView<ArraySpace> from;
  ByteSpan<BytesSpace> to{};
  ByteView<BytesSpace> encoded{};
};

namespace detail {

/// The most bytes of a chunk of strings at any stage, if no budget is given.
inline constexpr auto most_varying = std::uint64_t{1} << 32;

/// The largest value of a chunk that is worth reading. Encoders of other programs may produce larger values than ours,
/// within a bound.
inline std::uint64_t most_encoded(ResolvedChunk const& form) {
  if (form.varying) return most_varying;
  auto const bound = std::min(std::uint64_t{form.encoded_bound()}, std::uint64_t{1} << 62);
  return form.is_view() ? bound : 2 * bound + (1 << 20);
}

/// Throws: CodecError, if a chunk's value is too large.
TESSERA_DECL void expect_at_most(std::uint64_t found, std::uint64_t most);

/// Throws: CodecError naming the chunk, if the sizes differ.
TESSERA_DECL void expect_size(std::size_t found, std::size_t expected, std::size_t chunk);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/pipeline/detail/resolved_chunk.ipp>
#endif
