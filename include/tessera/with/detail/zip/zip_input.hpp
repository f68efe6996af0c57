// ZipInput: the bytes of a zip file: of an open file, or of a value in a store, such as one on a web server.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/store/get.hpp>
#include <tessera/with/detail/zip/zip_places.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Bytes of the file from an offset on.
struct ZipPiece {
  std::uint64_t from = 0;
  std::vector<std::byte> bytes{};
};

/// What a reader will ask for, and what was fetched for that.
struct ZipAhead {
  std::uint64_t wanted = 0;  ///< bytes from the next read's offset on; then 0
  std::uint64_t until = 0;   ///< the end of what was wanted
  ZipPiece piece{};          ///< the last one fetched by a read
  std::span<ZipPiece const> given{};  ///< fetched before
};

class ZipInput {
 public:
  ZipInput() = default;
  ZipInput(ZipInput const&) = delete;
  ZipInput& operator=(ZipInput const&) = delete;
  virtual ~ZipInput() = default;

  virtual std::uint64_t size() const = 0;
  /// Fills a part of `to` with the bytes from `offset` on, and returns its size; 0 at the end. Thread-safe once
  /// `opened` was called. Throws: StoreError.
  virtual std::size_t read(std::uint64_t offset, ByteSpan<space::Host> to, ZipAhead& ahead,
                           Queue<space::Host>& on) = 0;
  /// The file's directory was read. What was read until then is kept if reading it again is expensive.
  virtual void opened() {}

  /// Where an entry lies, by its number. Null: not known, or each read is as cheap as one of many.
  virtual ZipPlace const* place(std::uint64_t) const { return nullptr; }
  /// Fills pieces, whose sizes are set, by one call of the store below. Thread-safe, as `read`. Throws: StoreError.
  virtual void read_many(std::span<ZipPiece>, Queue<space::Host>&) {}
};

/// A zip file that is a value of a store. Its end, with the directory, is read once and kept.
class StoredZip final : public ZipInput {
  using Host = space::Host;
  static constexpr std::uint64_t end_bytes = 66000;                       // a file's end, with the longest comment
  static constexpr std::uint64_t most_at_once = std::uint64_t{16} << 20;  // of an entry that is read from the front

 public:
  /// Null: there is no such value. Throws: StoreError.
  static std::unique_ptr<StoredZip> find(AnyStore<HostBuffer> store, Key key) {
    Queue<Host> on;
    auto const size = store.size(key, on);
    if (!size) return nullptr;
    if (*size == 0)
      throw StoreError{"found an empty value, expected a zip file"}.in_key(key.path).in_store(store.name());
    return std::unique_ptr<StoredZip>{new StoredZip{std::move(store), std::move(key), *size}};
  }

  std::string name() const { return store_.name() + '/' + key_.path; }
  std::uint64_t size() const override { return size_; }

  std::size_t read(std::uint64_t offset, ByteSpan<Host> to, ZipAhead& ahead, Queue<Host>& on) override {
    to = to.sub(0, static_cast<std::size_t>(std::min<std::uint64_t>(to.size, size_ - std::min(offset, size_))));
    if (to.size == 0) return 0;
    if (auto const n = copy_kept(offset, to)) return n;
    if (is_opening_) return keep(offset, on), copy_kept(offset, to);
    if (ahead.wanted > 0) ahead.until = std::min(offset + std::exchange(ahead.wanted, 0), size_);
    for (auto const& piece : ahead.given)
      if (auto const n = copy(piece.bytes, piece.from, offset, to)) return n;
    if (auto const n = copy(ahead.piece.bytes, ahead.piece.from, offset, to)) return n;
    auto const end = std::min(ahead.until, offset + most_at_once);
    if (end <= offset + to.size) {
      Part const part{offset, to};
      return fetch({&part, 1}, on), to.size;
    }
    ahead.piece.bytes.resize(static_cast<std::size_t>(end - offset));
    ahead.piece.from = offset;
    read_many({&ahead.piece, 1}, on);
    return copy(ahead.piece.bytes, offset, offset, to);
  }
  void opened() override {
    is_opening_ = false;
    places_ = zip_places(size_, [&](std::uint64_t offset, ByteSpan<Host> to) {
      while (to.size > 0) {
        auto const n = copy_kept(offset, to);
        if (n == 0) return false;
        offset += n, to = to.sub(n, to.size - n);
      }
      return true;
    });
  }

  ZipPlace const* place(std::uint64_t entry) const override {
    return entry < places_.size() ? &places_[static_cast<std::size_t>(entry)] : nullptr;
  }
  void read_many(std::span<ZipPiece> pieces, Queue<Host>& on) override {
    std::vector<Part> parts;
    for (auto& piece : pieces) parts.push_back({piece.from, {piece.bytes.data(), piece.bytes.size()}});
    fetch(parts, on);
  }

 private:
  StoredZip(AnyStore<HostBuffer> store, Key key, std::uint64_t size)
      : store_{std::move(store)}, key_{std::move(key)}, size_{size} {}

  std::size_t copy_kept(std::uint64_t offset, ByteSpan<Host> to) const {
    auto const after = kept_.upper_bound(offset);
    return after == kept_.begin() ? 0 : copy(std::prev(after)->second, std::prev(after)->first, offset, to);
  }
  static std::size_t copy(std::vector<std::byte> const& bytes, std::uint64_t from, std::uint64_t offset,
                          ByteSpan<Host> to) {
    if (offset < from || offset - from >= bytes.size()) return 0;
    auto const n = std::min(to.size, bytes.size() - static_cast<std::size_t>(offset - from));
    std::memcpy(to.data, bytes.data() + (offset - from), n);
    return n;
  }

  // The file's end first. Of a larger directory, which is read from the front, pieces that become larger, because its
  // length is not trusted.
  void keep(std::uint64_t offset, Queue<Host>& on) {
    auto const tail = size_ - std::min(size_, end_bytes);
    if (kept_.empty()) keep(tail, size_, on);
    if (offset >= tail) return;
    keep(offset, std::min(kept_.upper_bound(offset)->first, offset + piece_), on);
    piece_ = std::min(2 * piece_, most_at_once);
  }
  void keep(std::uint64_t from, std::uint64_t end, Queue<Host>& on) {
    ZipPiece piece{from, std::vector<std::byte>(static_cast<std::size_t>(end - from))};
    read_many({&piece, 1}, on);
    kept_[from] = std::move(piece.bytes);
  }

  struct Part {
    std::uint64_t offset;
    ByteSpan<Host> to;
    ByteSpan<Host> operator()(std::size_t n) const {
      if (n != to.size) throw StoreError{to_text({"found ", n, " bytes, expected ", to.size})};
      return to;
    }
  };
  void fetch(std::span<Part const> parts, Queue<Host>& on) const {
    std::vector<ReadRequest<Host>> requests;
    for (auto const& part : parts) {
      auto& request = requests.emplace_back(
          ReadRequest<Host>{&key_, {part.offset, part.to.size}, {part, ReadLimits{part.to.size}}});
      request.value_size = size_;
    }
    store_.get_many(requests, on);
    for (auto const& request : requests)
      if (!request.size) throw StoreError{"the zip file has gone"}.in_key(key_.path).in_store(store_.name());
  }

  AnyStore<HostBuffer> store_;
  Key key_;
  std::uint64_t size_, piece_ = std::uint64_t{1} << 20;
  std::map<std::uint64_t, std::vector<std::byte>> kept_{};  // by their offsets
  std::vector<ZipPlace> places_{};
  bool is_opening_ = true;
};

}  // namespace detail
}}  // namespace tessera::v0
