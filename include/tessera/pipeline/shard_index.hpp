// The index of a shard: where each of its inner chunks lies (specification: codecs/sharding-indexed, "Binary shard
// format"). It is host data, wherever the chunks are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <tessera/codec/bytes_to_bytes/crc32c.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/key/byte_range.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/place/copy.hpp>

namespace tessera { inline namespace v0 {

/// Where an inner chunk lies, in bytes from the beginning of its shard's value. Two words of all ones mean that it is
/// missing.
struct ShardEntry {
  std::uint64_t offset = none, size = none;

  static constexpr std::uint64_t none = ~std::uint64_t{0};
  bool is_missing() const { return offset == none && size == none; }
  friend bool operator==(ShardEntry const&, ShardEntry const&) = default;

  /// Whether a shard of `total` bytes can have it.
  bool is_within(std::uint64_t total) const {
    return is_missing() || (offset != none && size != none && offset <= total && size <= total - offset);
  }
  /// Throws: CodecError, if it cannot. A total of `none - 1` means that the size of the shard is unknown.
  void expect_within(std::uint64_t total) const {
    if (is_within(total)) return;
    auto const found = text({"the shard's index: found ", size, " bytes from byte ", offset, " on, "});
    if (total == none - 1) throw CodecError{found + "expected bytes that a shard can have"};
    throw CodecError{text({found, "expected bytes below ", total})};
  }
};

/// How an index is written: a fixed number of entries, by codecs whose encoded size depends only on the decoded size.
class ShardIndexFormat {
 public:
  ShardIndexFormat(bool at_start, bool has_checksum, std::uint64_t entries, std::size_t size)
      : at_start_{at_start}, has_checksum_{has_checksum}, entries_{entries}, size_{size} {}
  virtual ~ShardIndexFormat() = default;

  bool at_start() const { return at_start_; }
  bool has_checksum() const { return has_checksum_; }  ///< crc32c, behind all else
  std::uint64_t entries() const { return entries_; }
  std::size_t size() const { return size_; }  ///< in bytes, encoded
  /// Where it is in a value.
  ByteRange range() const { return at_start_ ? ByteRange{0, size_} : ByteRange::suffix(size_); }

  /// Throws: CodecError, if a checksum or the size is wrong.
  virtual void decode(ByteView<space::Host> encoded, std::span<ShardEntry> entries, Queue<space::Host>& on) const = 0;
  virtual void encode(std::span<ShardEntry const> entries, ByteSpan<space::Host> encoded,
                      Queue<space::Host>& on) const = 0;

 private:
  bool at_start_, has_checksum_;
  std::uint64_t entries_;
  std::size_t size_;
};

namespace detail {

template <class P>
class IndexFormatOf final : public ShardIndexFormat {
  using Host = space::Host;

 public:
  /// `form` is what the pipeline makes of the index as an array of unsigned integers.
  IndexFormatOf(bool at_start, P pipeline, ResolvedChunk form)
      : ShardIndexFormat{at_start, ends_in_checksum(pipeline), form.decoded_size / sizeof(ShardEntry),
                         form.encoded_bound()},
        pipeline_{std::move(pipeline)},
        form_{std::move(form)},
        dense_{Layout::c_order(form_.layout.shape, sizeof(std::uint64_t))} {}

  void decode(ByteView<Host> encoded, std::span<ShardEntry> entries, Queue<Host>& on) const override;
  void encode(std::span<ShardEntry const> entries, ByteSpan<Host> encoded, Queue<Host>& on) const override;

 private:
  static bool ends_in_checksum(P const& pipeline) { return pipeline.last_codec() == codec::Crc32c::name; }

  void place(std::byte const* from, Layout const& source, std::byte* to, Layout const& target, Queue<Host>& on) const {
    Placement<Host> const all_words{from, to, source.shape};
    PlacementForm const words{sizeof(std::uint64_t), form_.layout.swapped, {}, source.strides, target.strides};
    placer<Host>::place(std::span{&all_words, 1}, words, on);
  }

  P pipeline_;
  ResolvedChunk form_;
  Layout dense_;
};

// Outside of the class, as the members of Stages.

template <class P>
void IndexFormatOf<P>::decode(ByteView<Host> encoded, std::span<ShardEntry> entries, Queue<Host>& on) const try {
  std::vector<std::byte> destination(form_.is_view() ? 0 : form_.decoded_size);
  DecodeTask<Host, Host> task{encoded, {destination.data(), destination.size()}};
  pipeline_.decode(form_, std::span{&task, 1}, on);
  place(task.decoded.data, form_.layout, reinterpret_cast<std::byte*>(entries.data()), dense_, on);
} catch (CodecError const& error) {
  throw CodecError{text({"the shard's index: ", error.what()})};
}

template <class P>
void IndexFormatOf<P>::encode(std::span<ShardEntry const> entries, ByteSpan<Host> encoded, Queue<Host>& on) const {
  std::vector<std::byte> words(form_.decoded_size);
  place(reinterpret_cast<std::byte const*>(entries.data()), dense_, words.data(), form_.layout, on);
  EncodeTask<Host, Host> task{{words.data(), words.size()}, encoded};
  pipeline_.encode(form_, std::span{&task, 1}, on);
  if (task.encoded.data != encoded.data) std::memcpy(encoded.data, task.encoded.data, task.encoded.size);
}

}  // namespace detail
}}  // namespace tessera::v0
