// http::Transfer: one request to a server; a value's bytes are written to their destination as they arrive.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include <tessera/core/detail/checked.hpp>
#include <tessera/core/error.hpp>
#include <tessera/store/detail/coalesce.hpp>
#include <tessera/store/read_request.hpp>
#include <tessera/with/curl_site.hpp>
#include <tessera/with/detail/curl/curl_body.hpp>
#include <tessera/with/detail/curl/curl_response.hpp>

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

enum class TransferEnd { done, again };

class Transfer {
 public:
  /// Bytes read and discarded, so that the connection can be used again.
  static constexpr std::uint64_t most_unread = std::uint64_t{64} << 10;
  /// Bytes of a value whose length the server does not tell, if the reader accepts as many.
  static constexpr std::uint64_t most_unsized = std::uint64_t{1} << 30;

  Transfer() : easy_{::curl_easy_init()} {
    if (!easy_) throw std::bad_alloc{};
  }

  CURL* handle() const { return easy_.get(); }
  Asked const& asked() const { return *asked_; }
  unsigned tries() const { return tries_; }

  Answered heard(CURLcode how) const {
    curl_off_t connected = 0, found = 0;  // microseconds
    ::curl_easy_getinfo(handle(), CURLINFO_CONNECT_TIME_T, &connected);
    ::curl_easy_getinfo(handle(), CURLINFO_NAMELOOKUP_TIME_T, &found);
    constexpr curl_off_t first_pause = 900'000;  // then TCP tries a second time
    auto const status = this->status();
    bool const is_answered = how == CURLE_OK || is_stopped_;
    bool const refuses = is_answered ? status == 429 || status == 503 : may_pass(how);
    if (refuses || connected - found > first_pause) return Answered::too_much;
    return is_answered && how == CURLE_OK && response_.keeps_connection ? Answered::keeps_connection
                                                                        : Answered::closes_connection;
  }

  /// Then the caller gives the handle to cURL.
  void begin(Site const& site, Asked const& asked) {
    asked_ = &asked;
    tries_ = 0;
    is_placed_ = false;
    begin_again(site);
  }
  void begin_again(Site const& site) {
    ++tries_;
    response_ = {};
    is_open_ = is_unsized_ = is_stopped_ = false;
    at_ = unread_ = 0;
    unsized_ = {};
    thrown_ = nullptr;
    failure_.front() = '\0';

    ::curl_easy_reset(handle());
    set(CURLOPT_URL, site.url.of(asked_->key()).c_str());
    set(CURLOPT_ERRORBUFFER, failure_.data());
    set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    set(CURLOPT_HEADERDATA, static_cast<void*>(this));
    set(CURLOPT_WRITEFUNCTION, &Transfer::on_body);
    set(CURLOPT_WRITEDATA, static_cast<void*>(this));
    set(CURLOPT_HTTPHEADER, site.headers.get());
    set(CURLOPT_USERAGENT, "tessera");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, 10L);
#if LIBCURL_VERSION_NUM >= 0x075500  // the other option is deprecated there
    set(CURLOPT_REDIR_PROTOCOLS_STR, site.url.is_secure() ? "https" : "http,https");
#else
    set(CURLOPT_REDIR_PROTOCOLS, static_cast<long>((site.url.is_secure() ? 0 : CURLPROTO_HTTP) | CURLPROTO_HTTPS));
#endif
    auto const patience = static_cast<long>(site.options.patience.count());
    set(CURLOPT_CONNECTTIMEOUT, patience);
    set(CURLOPT_LOW_SPEED_TIME, patience);
    set(CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(site.options.least_rate));
    if (!site.options.certificates.empty()) set(CURLOPT_CAINFO, site.options.certificates.c_str());
    auto const range = range_text();
    if (!range.empty()) set(CURLOPT_RANGE, range.c_str());
  }

  /// Called when cURL has ended the transfer. Fills in the requests' answers, or returns `again` for a retry. Throws:
  /// StoreError; exceptions of a destination.
  TransferEnd end(CURLcode how, HttpOptions const& options) {
    if (thrown_) std::rethrow_exception(thrown_);
    if (how == CURLE_OK && !response_.is_whole) how = CURLE_GOT_NOTHING;  // the header is incomplete
    bool const is_answered = how == CURLE_OK || is_stopped_;
    auto const status = this->status();
    if (is_answered && is_value(status)) return finish(), TransferEnd::done;
    if (is_answered && std::ranges::find(options.missing, status) != options.missing.end()) {
      for (auto const& range : asked_->run) asked_->requests[range.request].size.reset();
      return TransferEnd::done;
    }
    if (is_answered && status == 416 && !asked_->range.is_whole() && response_.range && response_.range->total) {
      place(*response_.range->total);
      if (to_.size == 0) return give(), TransferEnd::done;
    }
    if (tries_ <= options.retries && (is_answered ? may_pass(status) : may_pass(how))) return TransferEnd::again;
    auto const problem = is_answered ? to_text({"the server answered ", status})
                                     : std::string{failure_.front() ? failure_.data() : ::curl_easy_strerror(how)};
    throw StoreError{tries_ == 1 ? problem : to_text({problem, ", at the last of ", tries_, " requests"})};
  }

 private:
  struct FreeEasy {
    void operator()(CURL* easy) const { ::curl_easy_cleanup(easy); }
  };

  template <class T>
  void set(CURLoption option, T value) {
    if (auto const failed = ::curl_easy_setopt(handle(), option, value); failed != CURLE_OK)
      throw StoreError{to_text({"cURL: ", ::curl_easy_strerror(failed)})};
  }

  // RFC 9110, 14.1.2. No range is empty: one byte is requested to get the value's size.
  std::string range_text() const {
    auto const& range = asked_->range;
    if (range.is_whole()) return {};
    if (range.size == 0) return "0-0";
    if (range.from_end) return to_text({"-", range.size});
    auto const last = range.offset + (range.size - 1);
    return last < range.offset ? to_text({range.offset, "-"}) : to_text({range.offset, "-", last});
  }

  long status() const {
    long result = 0;
    ::curl_easy_getinfo(handle(), CURLINFO_RESPONSE_CODE, &result);
    return result;
  }
  static bool is_value(long status) { return status == 200 || status == 206; }
  static bool may_pass(long status) {
    return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
  }
  static bool may_pass(CURLcode how) {
    switch (how) {
      case CURLE_COULDNT_RESOLVE_HOST:
      case CURLE_COULDNT_CONNECT:
      case CURLE_SSL_CONNECT_ERROR:
      case CURLE_OPERATION_TIMEDOUT:
      case CURLE_SEND_ERROR:
      case CURLE_RECV_ERROR:
      case CURLE_GOT_NOTHING:
      case CURLE_PARTIAL_FILE:
      case CURLE_HTTP2:
      case CURLE_HTTP2_STREAM:
        return true;
      default:
        return false;
    }
  }

  static std::size_t on_header(char* line, std::size_t, std::size_t size, void* self) noexcept {
    return static_cast<Transfer*>(self)->guarded([&](Transfer& transfer) {
      transfer.response_.take({line, size});
      return size;
    });
  }
  static std::size_t on_body(char* bytes, std::size_t, std::size_t size, void* self) noexcept {
    return static_cast<Transfer*>(self)->guarded([&](Transfer& transfer) { return transfer.take({bytes, size}); });
  }
  // cURL ends a transfer whose callback does not take all bytes.
  template <class F>
  std::size_t guarded(F f) noexcept {
    try {
      return f(*this);
    } catch (...) {
      thrown_ = std::current_exception();
      return 0;
    }
  }

  std::size_t take(std::span<char const> bytes) {
    auto const stop_if = [&](bool stops) { return is_stopped_ = stops, stops ? 0 : bytes.size(); };
    if (!is_value(status())) return stop_if((unread_ += bytes.size()) > most_unread);
    if (!is_open_) open();
    if (is_unsized_) {
      unsized_.add(bytes);
      expect_not_too_long();
      return stop_if(unsized_.is_complete() && !has_value_size());
    }
    copy(bytes);
    return stop_if(at_ >= from_ + to_.size && (unread_ += bytes.size()) > most_unread);
  }

  // For a body of unknown length. The reader's limit bounds the bytes kept of a whole value; of a range, only the range
  // is kept, and bytes around it are skipped.
  void expect_not_too_long() const {
    auto const& first = asked_->first();
    bool const is_whole = asked_->range.is_whole();
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
        asked_->run, [&](auto const& range) { return asked_->requests[range.request].value_size.has_value(); });
  }

  // Copies the wanted part of the incoming bytes.
  void copy(std::span<char const> bytes) {
    auto const begin = std::max(at_, from_), end = std::min(at_ + bytes.size(), from_ + to_.size);
    if (begin < end) std::memcpy(to_.data + (begin - from_), bytes.data() + (begin - at_), end - begin);
    at_ += bytes.size();
  }

  // Called once the header is complete. A server without ranges sends the whole value.
  void open() {
    is_open_ = true;
    response_.expect_plain();
    if (status() == 200) {
      curl_off_t length = -1;
      ::curl_easy_getinfo(handle(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
      is_unsized_ = length < 0;
      if (is_unsized_) unsized_.begin(asked_->range);
      if (!is_unsized_) place(static_cast<std::uint64_t>(length));
      return;
    }
    auto const& part = response_.range;
    if (!part || part->count == 0 || !part->total)
      throw StoreError{to_text({"the server sent a part with Content-Range \"", response_.range_text,
                                "\", expected \"bytes FIRST-LAST/TOTAL\""})};
    at_ = part->first;
    place(*part->total);
    if (to_.size > 0 && (part->first > from_ || part->first + part->count < from_ + to_.size))
      throw StoreError{to_text(
          {"the server sent \"", response_.range_text, "\", expected ", to_.size, " bytes from byte ", from_, " on"})};
  }

  // Gets memory for the wanted bytes of a value of `total` bytes. A destination is asked once, however often a server
  // is.
  void place(std::uint64_t total) {
    bool const is_one = asked_->run.size() == 1;
    auto const [from, size] = is_one ? asked_->first().resolve(total) : asked_->range.resolve(total);
    if (is_placed_ && (total != total_ || from != from_ || size != to_.size))
      throw StoreError{"the value changed while it was read"};
    if (is_placed_) return;
    auto const room = checked_size(size, "the value");
    if (is_one) detail::expect_taken(asked_->first().destination, room);
    if (!is_one) joined_.resize(room);
    to_ = is_one ? asked_->first().destination(room) : ByteSpan<space::Host>{joined_.data(), room};
    from_ = from;
    total_ = total;
    is_placed_ = true;
  }

  void finish() {
    if (!is_open_) open();  // no body
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
    if (asked_->total) *asked_->total = total_;
    if (asked_->run.size() == 1) {
      asked_->first().size = to_.size;
      return;
    }
    for (auto const& range : asked_->run) {
      auto& request = asked_->requests[range.request];
      auto const [offset, size] = request.resolve(total_);
      auto const to = request.destination(checked_size(size, "the value"));
      if (to.size > 0) std::memcpy(to.data, joined_.data() + (offset - from_), to.size);
      request.size = to.size;
    }
    joined_ = {};  // only connections are kept
  }

  std::unique_ptr<CURL, FreeEasy> easy_;
  Asked const* asked_ = nullptr;
  unsigned tries_ = 0;

  bool is_placed_ = false;
  std::uint64_t total_ = 0, from_ = 0;  // bytes of the value; offset of the first wanted one
  ByteSpan<space::Host> to_{};
  std::vector<std::byte> joined_;  // bytes of several ranges

  Response response_;
  bool is_open_ = false, is_unsized_ = false, is_stopped_ = false;
  std::uint64_t at_ = 0;      // offset of the body's next byte in the value
  std::uint64_t unread_ = 0;  // unwanted bytes
  UnsizedBody unsized_;
  std::exception_ptr thrown_;
  std::array<char, CURL_ERROR_SIZE> failure_{};
};

}  // namespace http
}}  // namespace tessera::v0
