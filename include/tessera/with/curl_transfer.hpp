// One request to a server: bytes of a value, written where they are wanted as they come in.
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

#include <tessera/core/checked.hpp>
#include <tessera/core/text.hpp>
#include <tessera/store/coalesce.hpp>
#include <tessera/store/read_request.hpp>
#include <tessera/with/curl_response.hpp>
#include <tessera/with/curl_site.hpp>

namespace tessera { inline namespace v0 {
namespace http {

/// Ranges of one key that are asked for at once, or one of any kind.
struct Asked {
  std::span<ReadRequest<space::Host>> requests;  ///< those for the key
  std::span<WantedRange const> run;              ///< which of them
  ByteRange range;                               ///< that of all

  ReadRequest<space::Host>& first() const { return requests[run.front().request]; }
  Key const& key() const { return *first().key; }
};

enum class TransferEnd { done, again };

class Transfer {
 public:
  /// Bytes: what is read and discarded, so that the connection can be used again.
  static constexpr std::uint64_t most_unread = std::uint64_t{64} << 10;
  /// Bytes of a value of which the server does not say how long it is.
  static constexpr std::uint64_t most_unsized = std::uint64_t{1} << 30;

  Transfer() : easy_{::curl_easy_init()} {
    if (!easy_) throw std::bad_alloc{};
  }

  CURL* handle() const { return easy_.get(); }
  Asked const& asked() const { return *asked_; }
  unsigned tries() const { return tries_; }

  /// The caller gives the handle to cURL then.
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
    unsized_.clear();
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
#if LIBCURL_VERSION_NUM >= 0x075500  // the other one is deprecated there
    set(CURLOPT_REDIR_PROTOCOLS_STR, site.url.is_secure() ? "https" : "http,https");
#else
    set(CURLOPT_REDIR_PROTOCOLS, static_cast<long>((site.url.is_secure() ? 0 : CURLPROTO_HTTP) | CURLPROTO_HTTPS));
#endif
    auto const patience = static_cast<long>(site.options.patience.count());
    set(CURLOPT_CONNECTTIMEOUT, patience);
    set(CURLOPT_LOW_SPEED_TIME, patience);
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);  // bytes a second
    if (!site.options.certificates.empty()) set(CURLOPT_CAINFO, site.options.certificates.c_str());
    auto const range = range_text();
    if (!range.empty()) set(CURLOPT_RANGE, range.c_str());
  }

  /// When cURL has ended it so. Fills in the requests' answers, or says that it is worth another try. Throws:
  /// StoreError; what a destination threw.
  TransferEnd end(CURLcode how, HttpOptions const& options) {
    if (thrown_) std::rethrow_exception(thrown_);
    if (how == CURLE_OK && !response_.is_whole) how = CURLE_GOT_NOTHING;  // nor is what it has of the header
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
    auto const problem = is_answered ? text({"the server answered ", status})
                                     : std::string{failure_.front() ? failure_.data() : ::curl_easy_strerror(how)};
    throw StoreError{tries_ == 1 ? problem : text({problem, ", at the last of ", tries_, " requests"})};
  }

 private:
  struct FreeEasy {
    void operator()(CURL* easy) const { ::curl_easy_cleanup(easy); }
  };

  template <class T>
  void set(CURLoption option, T value) {
    if (auto const failed = ::curl_easy_setopt(handle(), option, value); failed != CURLE_OK)
      throw StoreError{text({"cURL: ", ::curl_easy_strerror(failed)})};
  }

  // RFC 9110, 14.1.2. There is no range of no bytes: one byte is asked for, for the sake of the value's size.
  std::string range_text() const {
    auto const& range = asked_->range;
    if (range.is_whole()) return {};
    if (range.size == 0) return "0-0";
    if (range.from_end) return text({"-", range.size});
    auto const last = range.offset + (range.size - 1);
    return last < range.offset ? text({range.offset, "-"}) : text({range.offset, "-", last});
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
  // cURL ends a transfer whose callback did not take all.
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
      if (unsized_.size() + bytes.size() > most_unsized)
        throw StoreError{text({"the server sent more than ", most_unsized, " bytes, and not how many it has"})};
      unsized_.insert(unsized_.end(), bytes.begin(), bytes.end());
      return bytes.size();
    }
    copy(bytes);
    return stop_if(at_ >= from_ + to_.size && (unread_ += bytes.size()) > most_unread);
  }

  // The part of what comes in that is wanted.
  void copy(std::span<char const> bytes) {
    auto const begin = std::max(at_, from_), end = std::min(at_ + bytes.size(), from_ + to_.size);
    if (begin < end) std::memcpy(to_.data + (begin - from_), bytes.data() + (begin - at_), end - begin);
    at_ += bytes.size();
  }

  // The header is there. A server that knows no ranges sends the whole value.
  void open() {
    is_open_ = true;
    response_.expect_plain();
    if (status() == 200) {
      curl_off_t length = -1;
      ::curl_easy_getinfo(handle(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
      is_unsized_ = length < 0;
      if (!is_unsized_) place(static_cast<std::uint64_t>(length));
      return;
    }
    auto const& part = response_.range;
    if (!part || part->count == 0 || !part->total)
      throw StoreError{text({"the server sent a part with Content-Range \"", response_.range_text,
                             "\", expected \"bytes FIRST-LAST/TOTAL\""})};
    at_ = part->first;
    place(*part->total);
    if (to_.size > 0 && (part->first > from_ || part->first + part->count < from_ + to_.size))
      throw StoreError{text({"the server sent \"", response_.range_text, "\", expected ", to_.size,
                             " bytes from byte ", from_, " on"})};
  }

  // Of a value of so many bytes: memory for those that are wanted. A destination is asked once, however often a server
  // is.
  void place(std::uint64_t total) {
    bool const is_one = asked_->run.size() == 1;
    auto const [from, size] = is_one ? asked_->first().resolve(total) : asked_->range.resolve(total);
    if (is_placed_ && (total != total_ || from != from_ || size != to_.size))
      throw StoreError{"the value changed while it was read"};
    if (is_placed_) return;
    auto const room = checked_size(size, "the value");
    if (!is_one) joined_.resize(room);
    to_ = is_one ? asked_->first().destination(room) : ByteSpan<space::Host>{joined_.data(), room};
    from_ = from;
    total_ = total;
    is_placed_ = true;
  }

  void finish() {
    if (!is_open_) open();  // there was no body
    if (is_unsized_) {
      place(unsized_.size());
      copy(unsized_);
    }
    if (to_.size > 0 && at_ < from_ + to_.size)
      throw StoreError{text({"the server sent ", from_ + to_.size - at_, " bytes less than it said"})};
    give();
  }

  void give() {
    unsized_ = {};
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
    joined_ = {};  // what is kept are connections
  }

  std::unique_ptr<CURL, FreeEasy> easy_;
  Asked const* asked_ = nullptr;
  unsigned tries_ = 0;

  bool is_placed_ = false;
  std::uint64_t total_ = 0, from_ = 0;  // bytes of the value; where those begin that are wanted
  ByteSpan<space::Host> to_{};
  std::vector<std::byte> joined_;  // bytes of several ranges

  Response response_;
  bool is_open_ = false, is_unsized_ = false, is_stopped_ = false;
  std::uint64_t at_ = 0;      // where the next byte of the body is in the value
  std::uint64_t unread_ = 0;  // bytes that nobody wants
  std::vector<char> unsized_;
  std::exception_ptr thrown_;
  std::array<char, CURL_ERROR_SIZE> failure_{};
};

}  // namespace http
}}  // namespace tessera::v0
