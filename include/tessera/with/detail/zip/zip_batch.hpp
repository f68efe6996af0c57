// ZipBatch: the entries that many requests need, fetched together from the store that has the zip file.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/key/key.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/with/detail/zip/zip_file.hpp>
#include <tessera/with/detail/zip/zip_input.hpp>
#include <tessera/with/detail/zip/zip_places.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Whether one of a value's requests needs all of it.
inline bool is_any_whole(std::span<ReadRequest<space::Host> const> requests, std::uint64_t size) {
  return std::ranges::any_of(requests, [&](auto const& one) {
    return one.range.size >= size && (one.range.from_end || one.range.offset == 0);
  });
}

/// Runs of requests of one key, some at a time. The file and the requests must outlive it.
class ZipBatch {
  using Host = space::Host;
  static constexpr std::uint64_t most_at_once = std::uint64_t{64} << 20;   // bytes that are kept
  static constexpr std::uint64_t most_of_entry = std::uint64_t{16} << 20;  // of one that is read from the front

 public:
  struct Run {
    std::span<ReadRequest<Host>> requests;  ///< for one key
    std::span<ZipPiece const> pieces;       ///< of the file
  };

  ZipBatch(ZipFile& file, std::span<ReadRequest<Host>> requests) : file_{file} {
    for (auto const of_key : runs_of_key(requests)) left_.push_back({of_key, {}});
  }

  /// Fetches what the next runs need. False: all runs were had. Throws: StoreError.
  bool next(Queue<Host>& on) {
    begin_ = end_;
    pieces_.clear();
    std::vector<std::size_t> ends;
    for (bytes_ = 0; end_ < left_.size() && (end_ == begin_ || bytes_ < most_at_once); ++end_) {
      auto const all = left_[end_].requests;
      auto const some = add_pieces(all);
      if (some < all.size()) {  // the others are the next run
        left_[end_].requests = all.first(some);
        left_.insert(left_.begin() + static_cast<std::ptrdiff_t>(end_ + 1), Run{all.subspan(some), {}});
      }
      ends.push_back(pieces_.size());
    }
    if (!pieces_.empty()) file_.input().read_many(pieces_, on);
    for (std::size_t i = 0, from = 0; i < ends.size(); from = ends[i++])
      left_[begin_ + i].pieces = std::span{pieces_}.subspan(from, ends[i] - from);
    return end_ > begin_;
  }
  /// Those of the last call of `next`.
  std::span<Run const> runs() const { return std::span{left_}.subspan(begin_, end_ - begin_); }

 private:
  // Returns the number of requests whose pieces were added: of one value, too, there may be many.
  std::size_t add_pieces(std::span<ReadRequest<Host> const> requests) {
    auto const* const value = file_.find(requests.front().key->path);
    auto const* const place = value ? file_.input().place(value->entry) : nullptr;
    if (!place) return requests.size();
    auto const begin = place->least_begin();
    if (!place->is_plain || is_any_whole(requests, value->size)) {
      add(place->header, begin - place->header + ZipPlace::usual_extra + std::min(place->stored, most_of_entry));
      return requests.size();
    }
    add(place->header, ZipPlace::header_bytes);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (i > 0 && bytes_ >= most_at_once) return i;
      auto const& range = requests[i].range;
      auto const offset = range.from_end ? value->size - std::min(range.size, value->size) : range.offset;
      if (offset >= value->size || range.size == 0) continue;  // nothing, or an error that the read reports
      auto const size = std::min(range.size, value->size - offset);
      add(begin + offset, ZipPlace::usual_extra + std::min(size, most_of_entry));
    }
    return requests.size();
  }
  void add(std::uint64_t from, std::uint64_t size) {
    auto const whole = file_.input().size();
    if (from >= whole) return;
    pieces_.push_back({from, std::vector<std::byte>(static_cast<std::size_t>(std::min(size, whole - from)))});
    bytes_ += pieces_.back().bytes.size();
  }

  ZipFile& file_;
  std::vector<Run> left_;
  std::size_t begin_ = 0, end_ = 0;
  std::vector<ZipPiece> pieces_;
  std::uint64_t bytes_ = 0;  // of the pieces
};

}}}  // namespace tessera::v0::detail
