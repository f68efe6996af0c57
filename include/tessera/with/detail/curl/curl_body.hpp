// UnsizedBody: the wanted bytes of a body of unknown length, until it ends.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>

#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>

namespace tessera { inline namespace v0 {
namespace http {

/// Keeps the bytes of a range, in blocks. For a value's last bytes, keeps those that may turn out to be the last, and
/// at most one block more.
class UnsizedBody {
 public:
  static constexpr std::size_t block = std::size_t{16} << 10;  // bytes

  void begin(ByteRange range) {
    *this = {};
    range_ = range;
  }

  void add(std::span<char const> bytes) {
    while (!bytes.empty() && !is_complete()) {
      auto const at = size_;
      auto n = bytes.size();
      if (!range_.from_end && at < range_.offset)
        n = static_cast<std::size_t>(std::min<std::uint64_t>(n, range_.offset - at));
      else
        n = keep(bytes);
      size_ += n;
      bytes = bytes.subspan(n);
    }
  }

  /// All wanted bytes have arrived, whatever follows.
  bool is_complete() const { return !range_.from_end && range_.size <= size_ && range_.offset <= size_ - range_.size; }
  /// Bytes of the value so far.
  std::uint64_t size() const { return size_; }
  /// Bytes kept.
  std::uint64_t kept() const { return kept_; }

  /// Copies bytes of the value, from `offset` on. Requires: they are kept.
  void copy(std::uint64_t offset, ByteSpan<space::Host> to) const {
    auto skipped = offset - first_;
    for (auto const& one : blocks_) {
      if (to.size == 0) return;
      if (skipped >= block) {
        skipped -= block;
        continue;
      }
      auto const n = std::min(to.size, block - static_cast<std::size_t>(skipped));
      std::memcpy(to.data, one.get() + skipped, n);
      to = to.sub(n, to.size - n);
      skipped = 0;
    }
  }

 private:
  // Returns the number of bytes taken: at most what a block has room for.
  std::size_t keep(std::span<char const> bytes) {
    if (blocks_.empty()) first_ = size_;
    auto const used = static_cast<std::size_t>(kept_ % block);
    if (used == 0) blocks_.push_back(std::make_unique<char[]>(block));
    auto n = std::min(bytes.size(), block - used);
    if (!range_.from_end)
      n = static_cast<std::size_t>(std::min<std::uint64_t>(n, range_.size - (size_ - range_.offset)));
    std::memcpy(blocks_.back().get() + used, bytes.data(), n);
    kept_ += n;
    while (range_.from_end && blocks_.size() > 1 && kept_ - block >= range_.size) {
      blocks_.pop_front();
      kept_ -= block, first_ += block;
    }
    return n;
  }

  ByteRange range_{};
  std::deque<std::unique_ptr<char[]>> blocks_;
  std::uint64_t size_ = 0, first_ = 0, kept_ = 0;  // of the value; offset and number of the bytes kept
};

}  // namespace http
}}  // namespace tessera::v0
