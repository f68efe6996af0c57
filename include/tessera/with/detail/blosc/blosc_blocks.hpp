// BloscBlocks: the blocks of a Blosc 1 buffer, each made a buffer of its own, which c-blosc decodes and checks like any
// other. (Its blosc_getitem checks less, and only knows whole elements.)
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <tessera/codec/bytes_to_bytes/detail/blosc_frame.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Kept by a queue for parts of chunks.
struct BloscScratch {
  std::vector<std::uint64_t> starts{};  ///< of all blocks, in ascending order
  std::vector<std::byte> buffer{};      ///< of one block
  std::vector<std::byte> decoded{};
};

class BloscBlocks {
 public:
  /// `from`: the whole buffer, of `size` bytes, or its beginning. Requires: it has a header.
  BloscBlocks(ByteView<space::Host> from, std::size_t size, BloscScratch& scratch)
      : from_{from}, scratch_{scratch}, frame_{BloscFrame::walk(from.data, size)} {
    auto const least = BloscFrame::header + frame_.blocks() * BloscFrame::number;
    if (frame_.problem != FrameProblem::none || from.size < least) return;
    auto& starts = scratch.starts;
    starts.clear();
    for (std::uint64_t i = 0; i < frame_.blocks(); ++i) starts.push_back(frame_.offset_of(from.data, i));
    if (!std::ranges::is_sorted(starts)) std::ranges::sort(starts);  // several threads wrote them
    bool const are_apart = std::ranges::adjacent_find(starts) == starts.end();  // so blocks share no bytes
    are_sound_ = starts.empty() || (are_apart && starts.front() >= least && starts.back() < frame_.size);
  }

  BloscFrame const& frame() const { return frame_; }
  /// Whether the other functions may be called. If not, the buffer is damaged, or older than the format of c-blosc 1,
  /// or `from` ends before the offsets do.
  bool are_sound() const { return are_sound_; }

  /// Where block i is in the buffer: it ends where the next one begins.
  struct Range {
    std::uint64_t begin, end;
  };
  Range range(std::uint64_t i) const {
    auto const begin = frame_.offset_of(from_.data, i);
    auto const next = std::ranges::upper_bound(scratch_.starts, begin);
    return {begin, next == scratch_.starts.end() ? frame_.size : *next};
  }
  /// A buffer of block i alone, until the next call. Requires: `from` has the block.
  ByteView<space::Host> alone(std::uint64_t i) const {
    if (frame_.blocks() == 1) return from_;
    constexpr auto first = BloscFrame::header + BloscFrame::number;
    constexpr std::byte is_one_stream{0x10};
    auto const [begin, end] = range(i);
    auto const size = static_cast<std::size_t>(end - begin);
    auto& buffer = scratch_.buffer;
    buffer.resize(first + size);
    std::memcpy(buffer.data(), from_.data, 4);
    if (i >= frame_.whole_blocks()) buffer[2] |= is_one_stream;  // as a last block is that is not whole
    auto const decoded = frame_.size_of(i);
    for (auto const& [at, number] : {Number{4, decoded}, {8, decoded}, {12, first + size}, {16, first}})
      for (std::size_t b = 0; b < BloscFrame::number; ++b)
        buffer[at + b] = static_cast<std::byte>(number >> 8 * b & 0xff);
    std::memcpy(buffer.data() + first, from_.data + begin, size);
    return {buffer.data(), buffer.size()};
  }

 private:
  struct Number {
    std::size_t at;
    std::uint64_t number;
  };

  ByteView<space::Host> from_;
  BloscScratch& scratch_;
  BloscFrame frame_;
  bool are_sound_ = false;
};

}}}  // namespace tessera::v0::detail
