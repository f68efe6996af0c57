// http::Batch: requests to a server, many under way at once, all served by the waiting thread.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <unistd.h>

#include <tessera/core/error.hpp>
#include <tessera/store/detail/coalesce.hpp>
#include <tessera/store/detail/waiting.hpp>
#include <tessera/store/read_request.hpp>
#include <tessera/with/detail/curl/curl_pipes.hpp>
#include <tessera/with/detail/curl/curl_transfer.hpp>

namespace tessera { inline namespace v0 {
namespace http {

/// Kept by a queue, with its connections, for one thread at a time.
class Batch {
  using Clock = std::chrono::steady_clock;
  using Request = ReadRequest<space::Host>;
  static constexpr std::size_t most_kept = 1024;  // connections

 public:
  Batch() { open(); }
  Batch(Batch const&) = delete;
  Batch& operator=(Batch const&) = delete;
  ~Batch() {
    if (process_ != ::getpid()) abandon();
    QuietPipes const quiet;
    idle_.clear();
    multi_.reset();
  }

  /// Returns when all requests have answers. Throws: StoreError that names the key; exceptions of a destination;
  /// Cancelled. `total`, if given, is set to the bytes of the one request's value.
  void run(Site const& site, std::span<Request> requests, std::size_t most_at_once, std::uint64_t* total = nullptr) {
    if (process_ != ::getpid()) {
      abandon();
      open();
    }
    // By default cURL keeps four for each remaining request.
    auto const kept = static_cast<long>(std::min(most_at_once, most_kept));
    check(::curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, kept));
    QuietPipes const quiet;
    plan(requests);
    for (auto& asked : asked_) asked.total = total;
    struct End {
      Batch& batch;
      Pace& pace;
      ~End() { batch.end_all(pace); }
    } const end{*this, site.pace};
    for (std::size_t next = 0;;) {
      expect_going();
      start_again(site);
      for (; busy_.size() < most_at_once && next < asked_.size() && site.pace.take(); ++next) start(site, asked_[next]);
      if (busy_.empty() && next == asked_.size()) return;
      if (busy_.empty()) {  // other threads have all requests that the server may have
        detail::try_until_true(stops_.empty() ? nullptr : stops_.front(), [&] { return site.pace.take(); });
        start(site, asked_[next++]);
      }
      int count = 0;
      check(::curl_multi_perform(multi_.get(), &count));
      if (!end_some(site)) check(::curl_multi_poll(multi_.get(), nullptr, 0, milliseconds_to_wait(), &count));
    }
  }

 private:
  struct FreeMulti {
    void operator()(CURLM* multi) const { ::curl_multi_cleanup(multi); }
  };
  struct Busy {
    std::unique_ptr<Transfer> transfer;
    std::optional<Clock::time_point> next_try{};  // empty: under way, and the pace counts it
  };

  void open() {
    multi_.reset(::curl_multi_init());
    if (!multi_) throw std::bad_alloc{};
    process_ = ::getpid();
  }
  // A child made by fork() has its parent's connections. Using or closing them would speak for the parent: the child
  // abandons them, and never frees them.
  void abandon() noexcept {
    for (auto& transfer : idle_) static_cast<void>(transfer.release());
    idle_.clear();
    static_cast<void>(multi_.release());
  }

  static void check(CURLMcode status) {
    if (status != CURLM_OK) throw StoreError{to_text({"cURL: ", ::curl_multi_strerror(status)})};
  }

  // Ranges of a key with known ends share a request where they lie close together.
  void plan(std::span<Request> requests) {
    asked_.clear();
    wanted_.clear();
    stops_.clear();
    for (auto const& request : requests) {
      auto const stop = request.destination.limits().stop;
      if (stop && std::ranges::find(stops_, stop) == stops_.end()) stops_.push_back(stop);
    }
    wanted_.reserve(requests.size());  // asked_ points to its elements
    for (auto const of_key : runs_of_key(requests)) {
      auto const first = wanted_.size();
      for (std::size_t i = 0; i < of_key.size(); ++i) {
        auto const& range = of_key[i].range;
        if (!range.from_end && range.size < ~range.offset) wanted_.push_back({range.offset, range.size, i});
      }
      auto const limits = of_key.front().limits(usual_gap);
      for (auto const run : runs_within(std::span{wanted_}.subspan(first), limits)) {
        auto end = run.front().offset;
        for (auto const& range : run) end = std::max(end, range.offset + range.size);
        asked_.push_back({of_key, run, {run.front().offset, end - run.front().offset}});
      }
      for (std::size_t i = 0; i < of_key.size(); ++i) {
        auto const& range = of_key[i].range;
        if (!range.from_end && range.size < ~range.offset) continue;
        wanted_.push_back({range.offset, range.size, i});
        asked_.push_back({of_key, std::span{wanted_}.last(1), range});
      }
    }
  }

  void expect_going() const {
    for (auto const stop : stops_) detail::expect_going(stop);
  }

  // Starts a request that the pace has admitted.
  void start(Site const& site, Asked const& asked) {
    try {
      if (idle_.empty()) idle_.push_back(std::make_unique<Transfer>());
      busy_.reserve(busy_.size() + 1);
      idle_.reserve(idle_.size() + busy_.size());  // so that end_all() does not allocate
    } catch (...) {
      site.pace.give_back();
      throw;
    }
    busy_.push_back({std::move(idle_.back())});
    idle_.pop_back();
    auto& transfer = *busy_.back().transfer;
    transfer.begin(site, asked);
    check(::curl_multi_add_handle(multi_.get(), transfer.handle()));
  }
  void start_again(Site const& site) {
    auto const now = Clock::now();
    for (auto& one : busy_) {
      if (!one.next_try || *one.next_try > now || !site.pace.take()) continue;
      one.next_try.reset();
      one.transfer->begin_again(site);
      check(::curl_multi_add_handle(multi_.get(), one.transfer->handle()));
    }
  }

  // Returns whether any request ended.
  bool end_some(Site const& site) {
    bool any = false;
    for (int left = 0; auto const* const told = ::curl_multi_info_read(multi_.get(), &left); any = true) {
      auto* const handle = told->easy_handle;
      auto const how = told->data.result;  // invalid once the handle is removed
      auto const one = std::ranges::find_if(busy_, [&](auto const& busy) { return busy.transfer->handle() == handle; });
      check(::curl_multi_remove_handle(multi_.get(), handle));
      site.pace.hear(one->transfer->heard(how));
      if (end(*one->transfer, how, site) == TransferEnd::again) {
        one->next_try = Clock::now() + pause_before_next(*one->transfer, site.options);
        site.pace.give_back();
        continue;
      }
      site.pace.give_back();
      idle_.push_back(std::move(one->transfer));
      std::swap(*one, busy_.back());
      busy_.pop_back();
    }
    return any;
  }
  static TransferEnd end(Transfer& transfer, CURLcode how, Site const& site) {
    try {
      return transfer.end(how, site.options);
    } catch (Error& error) {
      error.in_key(transfer.asked().key().path);
      throw;
    }
  }

  // The doubled pause, or longer if the server says so, but at most the patience.
  static Clock::duration pause_before_next(Transfer const& transfer, HttpOptions const& options) {
    curl_off_t said = 0;  // seconds
    ::curl_easy_getinfo(transfer.handle(), CURLINFO_RETRY_AFTER, &said);
    auto const doubled = options.pause * (1u << std::min(transfer.tries() - 1, 16u));
    auto const wanted = std::max<Clock::duration>(doubled, std::chrono::seconds{std::min<curl_off_t>(said, 86'400)});
    return std::min<Clock::duration>(wanted, options.patience);
  }
  int milliseconds_to_wait() const {
    auto wait = std::chrono::milliseconds{stops_.empty() ? 1000 : 100};
    auto const now = Clock::now();
    for (auto const& one : busy_)
      if (one.next_try) wait = std::min(wait, std::chrono::ceil<std::chrono::milliseconds>(*one.next_try - now));
    return static_cast<int>(
        std::max(wait, std::chrono::milliseconds{2}).count());  // one that is due waits for the pace
  }

  void end_all(Pace& pace) noexcept {
    for (auto& one : busy_) {
      if (!one.next_try) pace.give_back();
      ::curl_multi_remove_handle(multi_.get(), one.transfer->handle());
      idle_.push_back(std::move(one.transfer));
    }
    busy_.clear();
  }

  std::unique_ptr<CURLM, FreeMulti> multi_;  // outlives the transfers
  pid_t process_ = 0;
  std::vector<WantedRange> wanted_;
  std::vector<Asked> asked_;
  std::vector<std::unique_ptr<Transfer>> idle_;
  std::vector<Busy> busy_;
  std::vector<Stop> stops_;  // of the requests, without duplicates
};

}  // namespace http
}}  // namespace tessera::v0
