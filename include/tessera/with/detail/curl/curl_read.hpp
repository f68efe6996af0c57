// http::ReadTask: requests a value, or ranges of it; its bytes are written to their destination as they arrive.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <tessera/core/detail/checked.hpp>
#include <tessera/core/error.hpp>
#include <tessera/store/detail/coalesce.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/with/detail/curl/curl_body.hpp>
#include <tessera/with/detail/curl/curl_response.hpp>
#include <tessera/with/detail/curl/curl_task.hpp>

namespace tessera { inline namespace v0 {
namespace http {

/// Ranges of one key that share a request, or one range of any kind.
struct Asked {
  std::span<ReadRequest<space::Host>> requests;  ///< all requests for the key
  std::span<WantedRange const> run;              ///< those in this request
  ByteRange range;                               ///< covers all of them
  std::uint64_t* total = nullptr;                ///< set to the bytes of the value, if given

  ReadRequest<space::Host>& first() const { return requests[run.front().request]; }
  Key const& key() const { return *first().key; }
};

class ReadTask : public Task {
 public:
  /// Bytes read and discarded, so that the connection can be used again.
  static constexpr std::uint64_t most_unread = std::uint64_t{64} << 10;
  /// Bytes of a value whose length the server does not tell, if the reader accepts as many.
  static constexpr std::uint64_t most_unsized = std::uint64_t{1} << 30;

  explicit ReadTask(Asked asked) : asked_{asked} {}

  Key const& key() const final { return asked_.key(); }
  bool may_hedge() const final { return true; }
  std::uint64_t most() const final {
    auto const limit = asked_.run.size() == 1 ? asked_.first().destination.limits().most : asked_.range.size;
    return std::min<std::uint64_t>(asked_.range.size, limit);
  }

  bool take(Response const& response, std::span<char const> bytes) override {
    if (!is_value(response.status)) return (unread_ += bytes.size()) <= most_unread;
    if (!is_open_) open(response);
    if (is_unsized_) {
      unsized_.add(bytes);
      expect_not_too_long();
      return !unsized_.is_complete() || has_value_size();
    }
    copy(bytes);
    return at_ < from_ + to_.size || (unread_ += bytes.size()) <= most_unread;
  }
  bool tell() final {
    if (told_ == asked_.run.size()) return false;
    auto const& request = asked_.requests[asked_.run[told_].request];
    if (!request.arrived || !(*request.arrived)(request.size)) ++told_;
    return told_ < asked_.run.size();
  }

 protected:
  Asked const& asked() const { return asked_; }

  void begin_body() {
    is_open_ = is_unsized_ = false;
    at_ = unread_ = 0;
    unsized_ = {};
  }
  /// Whether the answer had the value; then the requests' answers are filled in. Throws: StoreError; exceptions of a
  /// destination.
  bool end_value(Response const& response) {
    if (is_value(response.status)) return finish(response), tell_version(response), true;
    if (response.status == 416 && !asked_.range.is_whole() && response.range && response.range->total) {
      place(*response.range->total);
      if (to_.size == 0) return give(), tell_version(response), true;
    }
    return false;
  }
  /// There is no such key.
  void end_missing() {
    for (auto const& range : asked_.run) asked_.requests[range.request].size.reset();
  }

  // RFC 9110, 14.1.2. No range is empty: one byte is requested to get the value's size.
  std::string range_text() const {
    auto const& range = asked_.range;
    if (range.is_whole()) return {};
    if (range.size == 0) return "0-0";
    if (range.from_end) return to_text({"-", range.size});
    auto const last = range.offset + (range.size - 1);
    return last < range.offset ? to_text({range.offset, "-"}) : to_text({range.offset, "-", last});
  }

 private:
  // A weak ETag does not tell values apart byte by byte.
  void tell_version(Response const& response) {
    for (auto const& range : asked_.run)
      if (auto* const version = asked_.requests[range.request].version)
        *version = response.etag.starts_with("W/") ? std::string{} : response.etag;
  }

  static bool is_value(long status) { return status == 200 || status == 206; }

  // For a body of unknown length. The reader's limit bounds the bytes kept of a whole value; of a range, only the range
  // is kept, and bytes around it are skipped.
  void expect_not_too_long() const {
    auto const& first = asked_.first();
    bool const is_whole = asked_.range.is_whole();
    auto const reader = is_whole ? first.destination.limits().most : ~std::uint64_t{0};
    auto const most = std::min({reader, first.value_size.value_or(most_unsized), most_unsized});
    if (unsized_.size() <= most) return;
    if (most == reader) {
      try {
        detail::refuse_size(first.destination, most + 1);
      } catch (Error& error) {
        error.in_work("a response body of unknown length");
        throw;
      }
    }
    throw StoreError{to_text({"the server sent more than ", most, " bytes without announcing their number"})};
  }
  bool has_value_size() const {
    return std::ranges::any_of(
        asked_.run, [&](auto const& range) { return asked_.requests[range.request].value_size.has_value(); });
  }

  // Copies the wanted part of the incoming bytes.
  void copy(std::span<char const> bytes) {
    auto const begin = std::max(at_, from_), end = std::min(at_ + bytes.size(), from_ + to_.size);
    if (begin < end) std::memcpy(to_.data + (begin - from_), bytes.data() + (begin - at_), end - begin);
    at_ += bytes.size();
  }

  // Called once the header is complete. A server without ranges sends the whole value.
  void open(Response const& response) {
    is_open_ = true;
    response.expect_plain();
    if (response.status == 200) {
      is_unsized_ = !response.length;
      if (is_unsized_) unsized_.begin(asked_.range);
      if (!is_unsized_) place(*response.length);
      return;
    }
    auto const& part = response.range;
    if (!part || part->count == 0 || !part->total)
      throw StoreError{to_text({"the server sent a part with Content-Range \"", response.range_text,
                                "\", expected \"bytes FIRST-LAST/TOTAL\""})};
    at_ = part->first;
    place(*part->total);
    if (to_.size > 0 && (part->first > from_ || part->first + part->count < from_ + to_.size))
      throw StoreError{to_text(
          {"the server sent \"", response.range_text, "\", expected ", to_.size, " bytes from byte ", from_, " on"})};
  }

  // Gets memory for the wanted bytes of a value of `total` bytes. A destination is asked once, however often a server
  // is.
  void place(std::uint64_t total) {
    bool const is_one = asked_.run.size() == 1;
    auto const [from, size] = is_one ? asked_.first().resolve(total) : asked_.range.resolve(total);
    if (is_placed_ && (total != total_ || from != from_ || size != to_.size))
      throw StoreError{"the value changed while it was read"};
    if (is_placed_) return;
    auto const room = checked_size(size, "the value");
    if (is_one) detail::expect_taken(asked_.first().destination, room);
    if (!is_one) joined_.resize(room);
    to_ = is_one ? asked_.first().destination(room) : ByteSpan<space::Host>{joined_.data(), room};
    from_ = from;
    total_ = total;
    is_placed_ = true;
  }

  void finish(Response const& response) {
    if (!is_open_) open(response);  // no body
    if (is_unsized_) {
      place(unsized_.size());
      if (to_.size > 0) unsized_.copy(from_, to_);
      at_ = unsized_.size();
    }
    if (to_.size > 0 && at_ < from_ + to_.size)
      throw StoreError{to_text({"the server sent ", from_ + to_.size - at_, " bytes fewer than it announced"})};
    give();
  }

  void give() {
    unsized_ = {};
    if (asked_.total) *asked_.total = total_;
    if (asked_.run.size() == 1) {
      asked_.first().size = to_.size;
      return;
    }
    for (auto const& range : asked_.run) {
      auto& request = asked_.requests[range.request];
      auto const [offset, size] = request.resolve(total_);
      auto const to = request.destination(checked_size(size, "the value"));
      if (to.size > 0) std::memcpy(to.data, joined_.data() + (offset - from_), to.size);
      request.size = to.size;
    }
    joined_ = {};  // only connections are kept
  }

  Asked asked_;

  std::size_t told_ = 0;  // ranges that the reader has used
  bool is_placed_ = false;
  std::uint64_t total_ = 0, from_ = 0;  // bytes of the value; offset of the first wanted one
  ByteSpan<space::Host> to_{};
  std::vector<std::byte> joined_;  // bytes of several ranges

  bool is_open_ = false, is_unsized_ = false;
  std::uint64_t at_ = 0;      // offset of the body's next byte in the value
  std::uint64_t unread_ = 0;  // unwanted bytes
  UnsizedBody unsized_;
};

}  // namespace http
}}  // namespace tessera::v0
