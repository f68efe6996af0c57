// What a pipeline makes of an array's chunks, worked out once from metadata alone.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/codec/chunk.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/view/layout.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

// Lists of some stages: std::vector::insert is five times as much to compile.
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

/// What is in a shard: one level of an array's shards, which may be nested.
struct ShardLevel {
  Layout entries;  ///< the index, seen by the array's dimensions; strides count entries
  std::shared_ptr<ShardIndexFormat const> index;
  std::shared_ptr<ValueCodecs const> behind{};  ///< what its value passes as a whole; mostly null: nothing
};

/// An array-to-array codec that changes values, among a chunk's.
struct ValueChange {
  ChunkSpecification decoded;  ///< the chunk as it reaches the codec
  ChunkSpecification encoded;  ///< and as it leaves it
  Layout layout;               ///< the latter's elements, seen through the bytes that the next stage which runs takes
  bool is_dense;               ///< they lie there as the codec gives them

  std::size_t encoded_size() const { return encoded.size_in_bytes(); }
};

struct ResolvedChunk {
  ChunkSpecification chunk;           ///< as it reaches the first codec that changes values, or makes bytes
  Layout layout;                      ///< the chunk's elements, seen through its decoded bytes
  std::size_t decoded_size = 0;       ///< bytes; always exactly so many
  std::vector<std::size_t> bounds{};  ///< the most bytes that can stand before each stage that runs, and after the last
  std::vector<ShardLevel> shards{};   ///< that the chunk is in, the outermost first; none: it is a value of its own
  std::vector<ValueChange> changes{};  ///< in the order of encoding
  std::size_t decoders = 0;            ///< bytes of memory that codecs use while they decode a chunk
  bool stores_elements = true;         ///< no codec runs: the stored bytes are the elements, which may have to cross

  /// The chunk as it reaches the array-to-bytes codec.
  ChunkSpecification const& stored_chunk() const { return changes.empty() ? chunk : changes.back().encoded; }

  /// Puts an array-to-array codec that does not run in front.
  template <class C>
  void see_through(C const& codec) {
    layout = codec.decoded(std::move(layout));
    for (auto& level : shards) level.entries = codec.decoded(std::move(level.entries));
  }

  /// Puts a codec that changes values in front: what it decodes are elements in C order. The caller sets `bounds`.
  void change(ChunkSpecification const& before, ChunkSpecification after) {
    auto dense = Layout::c_order(after.shape, after.type.size);
    bool const is_dense = layout == dense;
    detail::put_first(changes, {before, std::move(after), std::move(layout), is_dense});
    stores_elements = false;
    chunk = before;
    decoded_size = before.size_in_bytes();  // first: it checks what the layout multiplies
    layout = Layout::c_order(before.shape, before.type.size);
  }

  bool is_view() const { return bounds.size() <= 1; }  ///< no stage runs: the stored bytes are the elements
  std::size_t encoded_bound() const { return bounds.back(); }

  /// The bytes that a chunk takes while it is under way: its elements, what stands between stages, what decoders use,
  /// and the stored value, at the largest size that this program's encoders make. One that `is_changed` was decoded
  /// before it is encoded: it also holds what that took between stages, or its old value if no stage runs.
  std::uint64_t memory(bool is_changed = false) const {
    std::uint64_t sum = 0;
    auto const add = [&](std::size_t bound) {
      sum = std::min(sum, most_bytes) + std::min(std::uint64_t{bound}, most_bytes);
    };
    add(decoders);
    for (auto bound : bounds) add(bound);
    for (auto const& change : changes) add(change.encoded_size() * (is_changed ? 2 : 1));
    if (!is_changed) return sum;
    if (is_view()) add(decoded_size);
    for (std::size_t i = 1; i + 1 < bounds.size(); ++i) add(bounds[i]);
    return sum;
  }

 private:
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;  // sums of two do not wrap
};

/// One chunk to be decoded. If a stage runs, `to` has room for decoded_size bytes and becomes `decoded`; if none does,
/// `encoded` becomes `decoded` and `to` is not used. Where elements are stored and cross, a smaller `to` takes as many
/// bytes of them, and `encoded` is those.
template <MemorySpace BytesSpace, MemorySpace ArraySpace>
struct DecodeTask {
  ByteView<BytesSpace> encoded;
  ByteSpan<ArraySpace> to{};
  ByteView<ArraySpace> decoded{};
};

/// One chunk to be encoded: `from` has decoded_size bytes in the form's layout, `to` room for encoded_bound().
/// `encoded` is in `to`, or is `from` where no stage runs.
template <MemorySpace BytesSpace, MemorySpace ArraySpace>
struct EncodeTask {
  ByteView<ArraySpace> from;
  ByteSpan<BytesSpace> to{};
  ByteView<BytesSpace> encoded{};
};

namespace detail {

/// The largest size of a chunk's value that is worth reading. Other programs' encoders may make larger values than
/// ours, within a bound.
inline std::uint64_t most_encoded(ResolvedChunk const& form) {
  auto const bound = std::min(std::uint64_t{form.encoded_bound()}, std::uint64_t{1} << 62);
  return form.is_view() ? bound : 2 * bound + (1 << 20);
}

/// Throws: CodecError, if a chunk's value is larger than that.
inline void expect_at_most(std::uint64_t found, std::uint64_t most) {
  if (found > most)
    throw CodecError{"a chunk of " + std::to_string(found) + " bytes; expected at most " + std::to_string(most)};
}

/// Throws: CodecError naming the chunk, if the sizes differ.
inline void expect_size(std::size_t found, std::size_t expected, std::size_t chunk) {
  if (found == expected) return;
  CodecError error{"found " + std::to_string(found) + " bytes of elements, expected " + std::to_string(expected)};
  error.in_chunk(chunk);
  throw error;
}

}  // namespace detail
}}  // namespace tessera::v0
