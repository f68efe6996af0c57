#pragma once
#include <tessera/pipeline/detail/shard_index.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/pipeline/detail/stages.hpp>
#include <tessera/place/detail/placer.hpp>
#include <tessera/view/detail/layout.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL bool ShardEntry::is_within(std::uint64_t total) const {
  return is_missing() || (offset != none && size != none && offset <= total && size <= total - offset);
}

TESSERA_DECL void ShardEntry::expect_within(std::uint64_t total) const {
  if (is_within(total)) return;
  auto const found = to_text({"the shard's index: found ", size, " bytes from byte ", offset, " on, "});
  if (total == none - 1) throw CodecError{found + "expected a range that ends within 64 bits"};
  throw CodecError{to_text({found, "expected bytes below ", total})};
}

TESSERA_DECL ByteRange ShardIndexFormat::range() const {
  return at_start_ ? ByteRange{0, size_} : ByteRange::suffix(size_);
}

namespace detail {

TESSERA_DECL std::vector<ShardEntry> room_for_index(ShardIndexFormat const& index, std::size_t bytes) {
  return std::vector<ShardEntry>(std::max(bytes / sizeof(ShardEntry) + 1, std::size_t{index.entries()}));
}

TESSERA_DECL ByteSpan<space::Host> bytes_in(std::vector<ShardEntry>& room, std::size_t bytes) {
  return {reinterpret_cast<std::byte*>(room.data()), bytes};
}

TESSERA_DECL void decode_in_place(ShardIndexFormat const& index, std::vector<ShardEntry>& room, std::size_t bytes,
                                  Queue<space::Host>& on) {
  index.decode(bytes_in(room, bytes), std::span{room}.first(index.entries()), on);
  room.resize(index.entries());
}

class IndexOfStages final : public ShardIndexFormat {
  using Host = space::Host;

 public:
  IndexOfStages(bool at_start, bool has_checksum, std::shared_ptr<void const> pipeline, StageList stages,
                ResolvedChunk form)
      : ShardIndexFormat{at_start, has_checksum, form.decoded_size / sizeof(ShardEntry), form.encoded_bound()},
        pipeline_{std::move(pipeline)},
        stages_{stages.begin(), stages.end()},
        form_{std::move(form)},
        dense_{Layout::c_order(form_.layout.shape, sizeof(std::uint64_t))},
        is_plain_{form_.layout == dense_} {}

  void decode(ByteView<Host> encoded, std::span<ShardEntry> entries, Queue<Host>& on) const override try {
    ByteSpan<Host> const own{reinterpret_cast<std::byte*>(entries.data()), form_.decoded_size};
    std::vector<std::byte> words(is_plain_ ? 0 : form_.decoded_size);
    auto const to = is_plain_ ? own : ByteSpan<Host>{words.data(), words.size()};
    DecodeTask<Host, Host> task{encoded, to};
    Stages<Host, Host>{stages_}.decode(form_, std::span{&task, 1}, *on.lease<DecodeBuffers>(), on);
    if (task.decoded.data != to.data) std::memcpy(to.data, task.decoded.data, to.size);
    if (!is_plain_) place(to.data, form_.layout, own.data, dense_, on);
  } catch (CodecError const& error) {
    throw CodecError{to_text({"the shard's index: ", error.what()})};
  }

  void encode(std::span<ShardEntry const> entries, ByteSpan<Host> encoded, Queue<Host>& on) const override {
    ByteView<Host> words{reinterpret_cast<std::byte const*>(entries.data()), form_.decoded_size};
    std::vector<std::byte> placed(is_plain_ ? 0 : form_.decoded_size);
    if (!is_plain_) {
      place(words.data, dense_, placed.data(), form_.layout, on);
      words.data = placed.data();
    }
    EncodeTask<Host, Host> task{words, encoded};
    Stages<Host, Host>{stages_}.encode(form_, std::span{&task, 1}, *on.lease<EncodeBuffers>(), on);
    if (task.encoded.data != encoded.data) std::memcpy(encoded.data, task.encoded.data, task.encoded.size);
  }

 private:
  void place(std::byte const* from, Layout const& source, std::byte* to, Layout const& target, Queue<Host>& on) const {
    Placement<Host> const all_words{from, to, source.shape};
    PlacementForm const words{sizeof(std::uint64_t), form_.layout.swapped, {}, source.strides, target.strides};
    placer<Host>::place(std::span{&all_words, 1}, words, on);
  }

  std::shared_ptr<void const> const pipeline_;
  std::vector<AnyStage const*> const stages_;
  ResolvedChunk const form_;
  Layout const dense_;
  bool const is_plain_;  // decoded words are the entries, in order
};

TESSERA_DECL std::shared_ptr<ShardIndexFormat const> index_format(bool at_start, bool has_checksum,
                                                                  std::shared_ptr<void const> pipeline,
                                                                  StageList stages, ResolvedChunk form) {
  return std::make_shared<IndexOfStages>(at_start, has_checksum, std::move(pipeline), stages, std::move(form));
}

}  // namespace detail

}}  // namespace tessera::v0
