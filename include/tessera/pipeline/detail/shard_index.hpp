// ShardIndexFormat: the index of a shard, with the place of each inner chunk (specification: codecs/sharding-indexed,
// "Binary shard format"). It is in host memory, wherever the chunks are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/pipeline/detail/any_stage.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>

namespace tessera { inline namespace v0 {

/// Where an inner chunk lies, in bytes from the beginning of its shard's value. Two words of all ones: it is missing.
struct ShardEntry {
  std::uint64_t offset = none, size = none;

  static constexpr std::uint64_t none = ~std::uint64_t{0};
  bool is_missing() const { return offset == none && size == none; }
  friend bool operator==(ShardEntry const&, ShardEntry const&) = default;

  /// Whether it lies in a shard of `total` bytes.
  bool is_within(std::uint64_t total) const;
  /// Throws: CodecError, if it does not. A total of `none - 1` means an unknown size.
  void expect_within(std::uint64_t total) const;
};

/// A fixed number of entries, and codecs whose encoded size depends only on the decoded size.
class ShardIndexFormat {
 public:
  ShardIndexFormat(bool at_start, bool has_checksum, std::uint64_t entries, std::size_t size)
      : at_start_{at_start}, has_checksum_{has_checksum}, entries_{entries}, size_{size} {}
  virtual ~ShardIndexFormat() = default;

  bool at_start() const { return at_start_; }
  bool has_checksum() const { return has_checksum_; }  ///< crc32c, as the last codec
  std::uint64_t entries() const { return entries_; }
  std::size_t size() const { return size_; }  ///< in bytes, encoded
  /// Where it is in a shard's value.
  ByteRange range() const;

  /// `encoded` may be the beginning of the memory of `entries`: most indexes are then decoded in place, as the index of
  /// a large shard may need a good part of the memory. Throws: CodecError, if a checksum or the size is wrong.
  virtual void decode(ByteView<space::Host> encoded, std::span<ShardEntry> entries, Queue<space::Host>& on) const = 0;
  virtual void encode(std::span<ShardEntry const> entries, ByteSpan<space::Host> encoded,
                      Queue<space::Host>& on) const = 0;

 private:
  bool at_start_, has_checksum_;
  std::uint64_t entries_;
  std::size_t size_;
};

namespace detail {

/// Memory shared by `bytes` bytes of a stored index and by its entries.
TESSERA_DECL std::vector<ShardEntry> room_for_index(ShardIndexFormat const& index, std::size_t bytes);
TESSERA_DECL ByteSpan<space::Host> bytes_in(std::vector<ShardEntry>& room, std::size_t bytes);
/// Decodes the bytes at the beginning of the room in place.
TESSERA_DECL void decode_in_place(ShardIndexFormat const& index, std::vector<ShardEntry>& room, std::size_t bytes,
                            Queue<space::Host>& on);

/// `pipeline` owns the stages; `form` is that of the index as an array of unsigned integers.
TESSERA_DECL std::shared_ptr<ShardIndexFormat const> index_format(bool at_start, bool has_checksum,
                                                                  std::shared_ptr<void const> pipeline,
                                                                  StageList stages, ResolvedChunk form);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/pipeline/detail/shard_index.ipp>
#endif
