// http::Transfer: a task's requests, one after the other, over a connection of cURL.
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include <tessera/core/error.hpp>
#include <tessera/with/detail/curl/curl_options.hpp>
#include <tessera/with/detail/curl/curl_pace.hpp>
#include <tessera/with/detail/curl/curl_response.hpp>
#include <tessera/with/detail/curl/curl_task.hpp>

namespace tessera { inline namespace v0 {
namespace http {

enum class TransferEnd { done, again, next };

class Transfer {
  using Clock = std::chrono::steady_clock;

 public:
  Transfer() : easy_{::curl_easy_init()} {
    if (!easy_) throw std::bad_alloc{};
  }

  CURL* handle() const { return easy_.get(); }
  Task& task() const { return *task_; }
  unsigned tries() const { return tries_; }
  Clock::time_point started() const { return started_; }
  /// Whether an answer has begun. Of two transfers of a task one has.
  bool has_answer() const { return has_answer_; }
  /// Another transfer of the same task; null: none. The one whose answer begins first goes on.
  void race(Transfer* rival) { rival_ = rival; }

  /// For the pace. A good answer counts once, when it begins, so that long ones do not delay the next requests; if it
  /// breaks off, that counts, too.
  Answered heard(CURLcode how) const {
    bool const is_answered = how == CURLE_OK || is_stopped_;
    if (is_heard_ && is_answered) return Answered::closes_connection;
    curl_off_t connected = 0, found = 0;  // microseconds
    ::curl_easy_getinfo(handle(), CURLINFO_CONNECT_TIME_T, &connected);
    ::curl_easy_getinfo(handle(), CURLINFO_NAMELOOKUP_TIME_T, &found);
    constexpr curl_off_t first_pause = 900'000;  // then TCP tries a second time
    auto const status = this->status();
    bool const refuses = is_answered ? status == 429 || status == 503 : may_pass(how);
    if (refuses || connected - found > first_pause) return Answered::too_much;
    return is_answered && how == CURLE_OK && response_.keeps_connection ? Answered::keeps_connection
                                                                        : Answered::closes_connection;
  }

  /// Then the caller gives the handle to cURL.
  void begin(Site const& site, Task& task) {
    task_ = &task;
    tries_ = 0;
    begin_again(site);
  }
  /// A second request for what `first` asks for, in the same try.
  void begin_beside(Site const& site, Transfer const& first) {
    task_ = first.task_;
    tries_ = first.tries_;
    begin_next(site);
    asked_ = first.asked_;
  }
  void begin_again(Site const& site) {
    ++tries_;
    begin_next(site);
  }
  /// Another request of the task, which is not a retry.
  void begin_next(Site const& site) {
    response_ = {};
    started_ = asked_ = Clock::now();
    rival_ = nullptr;
    site_ = &site;
    has_answer_ = is_stopped_ = is_heard_ = false;
    thrown_ = nullptr;
    failure_.front() = '\0';
    request_ = task_->begin();

    ::curl_easy_reset(handle());
    set(CURLOPT_URL, request_.url.c_str());
    set(CURLOPT_ERRORBUFFER, failure_.data());
    set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    set(CURLOPT_HEADERDATA, static_cast<void*>(this));
    set(CURLOPT_WRITEFUNCTION, &Transfer::on_body);
    set(CURLOPT_WRITEDATA, static_cast<void*>(this));
    set(CURLOPT_HTTPHEADER, request_.headers ? request_.headers.get() : site.headers.get());
    set(CURLOPT_USERAGENT, "tessera");
    set(CURLOPT_BUFFERSIZE, buffer_for(task_->most()));
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_FOLLOWLOCATION, request_.follows_redirections ? 1L : 0L);
    set(CURLOPT_MAXREDIRS, 10L);
#if LIBCURL_VERSION_NUM >= 0x075500  // the other option is deprecated there
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, site.url.is_secure() ? "https" : "http,https");
#else
    set(CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    set(CURLOPT_REDIR_PROTOCOLS, static_cast<long>((site.url.is_secure() ? 0 : CURLPROTO_HTTP) | CURLPROTO_HTTPS));
#endif
    auto const patience = static_cast<long>(site.options.patience.count());
    set(CURLOPT_CONNECTTIMEOUT, patience);
    set(CURLOPT_LOW_SPEED_TIME, patience);
    set(CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(site.options.least_rate));
    if (!site.options.certificates.empty()) set(CURLOPT_CAINFO, site.options.certificates.c_str());
    if (!request_.range.empty()) set(CURLOPT_RANGE, request_.range.c_str());
    if (request_.method == "HEAD") {
      set(CURLOPT_NOBODY, 1L);
    } else if (request_.method == "PUT" || request_.method == "POST") {
      // From memory, so that cURL can send it again over another connection.
      set(CURLOPT_POSTFIELDS, request_.body.size == 0 ? "" : reinterpret_cast<char const*>(request_.body.data));
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size));
      set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
    } else if (request_.method != "GET") {
      set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
    }
  }

  /// Called when cURL has ended the transfer. Returns `done`, `again` for a retry, or `next` for another request of the
  /// task. Throws: StoreError; exceptions of the task.
  TransferEnd end(CURLcode how, HttpOptions const& options) {
    if (thrown_) std::rethrow_exception(thrown_);
    if (how == CURLE_OK && !response_.is_whole) how = CURLE_GOT_NOTHING;  // the header is incomplete
    bool const is_answered = how == CURLE_OK || is_stopped_;
    bool passes = !is_answered && may_pass(how);
    if (is_answered) {
      fill_in();
      auto const found = task_->end(response_);
      if (found == TaskEnd::done) return TransferEnd::done;
      if (found == TaskEnd::next) return TransferEnd::next;
      passes = found == TaskEnd::may_pass;
    }
    if (passes && task_->may_repeat() && tries_ <= options.retries) return TransferEnd::again;
    auto const problem = is_answered ? to_text({"the server answered ", response_.status, task_->why(response_)})
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

  // Bytes received at once: as many as a socket holds at first. With cURL's own 16 KiB, a fast server's data fill the
  // connection's window again and again, and a probe may open it only after 0.2 s. Before 8.7 cURL allocates this memory
  // for each request, and new pages cost more than they help. A small answer fits with its header.
  static long buffer_for(std::uint64_t body) {
    constexpr std::uint64_t of_header = 1 << 10, least = 16 << 10, most = 128 << 10;
    return static_cast<long>(std::clamp(body, least, most - of_header) + of_header);
  }

  long status() const {
    long result = 0;
    ::curl_easy_getinfo(handle(), CURLINFO_RESPONSE_CODE, &result);
    return result;
  }
  // What cURL tells of the answer, as soon as its header is complete.
  void fill_in() {
    response_.status = status();
    curl_off_t length = -1;
    ::curl_easy_getinfo(handle(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    response_.length.reset();
    if (length >= 0) response_.length = static_cast<std::uint64_t>(length);
    char* elsewhere = nullptr;
    ::curl_easy_getinfo(handle(), CURLINFO_REDIRECT_URL, &elsewhere);
    response_.redirection = elsewhere ? elsewhere : "";
  }
  void tell_pace() {
    auto const how = heard(CURLE_OK);
    if (how != Answered::keeps_connection) return;
    site_->pace.hear(how);
    is_heard_ = true;
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
      if (transfer.rival_ && transfer.rival_->has_answer_) return std::size_t{0};
      if (!std::exchange(transfer.has_answer_, true) && transfer.task().may_hedge())
        transfer.site_->answer_times.hear(Clock::now() - transfer.asked_);
      transfer.response_.take({line, size});
      return size;
    });
  }
  static std::size_t on_body(char* bytes, std::size_t, std::size_t size, void* self) noexcept {
    return static_cast<Transfer*>(self)->guarded([&](Transfer& transfer) {
      if (transfer.response_.status == 0) {
        transfer.fill_in();
        transfer.tell_pace();
      }
      transfer.is_stopped_ = !transfer.task_->take(transfer.response_, {bytes, size});
      return transfer.is_stopped_ ? 0 : size;
    });
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

  std::unique_ptr<CURL, FreeEasy> easy_;
  Task* task_ = nullptr;
  Request request_;
  unsigned tries_ = 0;
  Clock::time_point started_{}, asked_{};  // asked_: of two transfers of a task, when the first started
  Transfer* rival_ = nullptr;
  Site const* site_ = nullptr;
  bool has_answer_ = false, is_heard_ = false;

  Response response_;
  bool is_stopped_ = false;
  std::exception_ptr thrown_;
  std::array<char, CURL_ERROR_SIZE> failure_{};
};

}  // namespace http
}}  // namespace tessera::v0
