// Requests to a server, many under way at once, all served by the thread that waits for them.
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
#include <tessera/store/coalesce.hpp>
#include <tessera/store/read_request.hpp>
#include <tessera/with/curl_pipes.hpp>
#include <tessera/with/curl_transfer.hpp>

namespace tessera { inline namespace v0 {
namespace http {

/// Kept by a queue, for one thread at a time, with the connections that it has made.
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

  /// Returns when all have their answers. Throws: StoreError that names the key; what a destination threw.
  void run(Site const& site, std::span<Request> requests, std::size_t most_at_once) {
    if (process_ != ::getpid()) {
      abandon();
      open();
    }
    // Else it keeps four for each request that is left.
    auto const kept = static_cast<long>(std::min(most_at_once, most_kept));
    check(::curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, kept));
    QuietPipes const quiet;
    plan(requests);
    struct Stop {
      Batch& batch;
      ~Stop() { batch.stop(); }
    } const stop{*this};
    for (std::size_t next = 0;;) {
      for (; busy_.size() < most_at_once && next < asked_.size(); ++next) start(site, asked_[next]);
      if (busy_.empty()) return;
      start_again(site);
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
    std::optional<Clock::time_point> next_try{};  // else it is under way
  };

  void open() {
    multi_.reset(::curl_multi_init());
    if (!multi_) throw std::bad_alloc{};
    process_ = ::getpid();
  }
  // A child made by fork() has the connections of its parent. Who used or closed them would speak for the parent: the
  // child lets them be, and never frees them.
  void abandon() noexcept {
    for (auto& transfer : idle_) static_cast<void>(transfer.release());
    idle_.clear();
    static_cast<void>(multi_.release());
  }

  static void check(CURLMcode status) {
    if (status != CURLM_OK) throw StoreError{text({"cURL: ", ::curl_multi_strerror(status)})};
  }

  // Ranges of a key whose ends are known are asked for at once where they lie close together.
  void plan(std::span<Request> requests) {
    asked_.clear();
    wanted_.clear();
    wanted_.reserve(requests.size());  // what is asked points to them
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

  void start(Site const& site, Asked const& asked) {
    if (idle_.empty()) idle_.push_back(std::make_unique<Transfer>());
    busy_.reserve(busy_.size() + 1);
    idle_.reserve(idle_.size() + busy_.size());  // stop() has room for all
    busy_.push_back({std::move(idle_.back())});
    idle_.pop_back();
    auto& transfer = *busy_.back().transfer;
    transfer.begin(site, asked);
    check(::curl_multi_add_handle(multi_.get(), transfer.handle()));
  }
  void start_again(Site const& site) {
    auto const now = Clock::now();
    for (auto& one : busy_) {
      if (!one.next_try || *one.next_try > now) continue;
      one.next_try.reset();
      one.transfer->begin_again(site);
      check(::curl_multi_add_handle(multi_.get(), one.transfer->handle()));
    }
  }

  // Whether there were any.
  bool end_some(Site const& site) {
    bool any = false;
    for (int left = 0; auto const* const told = ::curl_multi_info_read(multi_.get(), &left); any = true) {
      auto* const handle = told->easy_handle;
      auto const how = told->data.result;  // gone when the handle is removed
      auto const one = std::ranges::find_if(busy_, [&](auto const& busy) { return busy.transfer->handle() == handle; });
      check(::curl_multi_remove_handle(multi_.get(), handle));
      if (end(*one->transfer, how, site) == TransferEnd::again) {
        one->next_try = Clock::now() + pause_before_next(*one->transfer, site.options);
        continue;
      }
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

  // As long as the server says, if it says so, and that is not for ever.
  static Clock::duration pause_before_next(Transfer const& transfer, HttpOptions const& options) {
    curl_off_t said = 0;  // seconds
    ::curl_easy_getinfo(transfer.handle(), CURLINFO_RETRY_AFTER, &said);
    auto const doubled = options.pause * (1u << std::min(transfer.tries() - 1, 16u));
    auto const wanted = std::max<Clock::duration>(doubled, std::chrono::seconds{std::min<curl_off_t>(said, 86'400)});
    return std::min<Clock::duration>(wanted, options.patience);
  }
  int milliseconds_to_wait() const {
    auto wait = std::chrono::milliseconds{1000};
    auto const now = Clock::now();
    for (auto const& one : busy_)
      if (one.next_try) wait = std::min(wait, std::chrono::ceil<std::chrono::milliseconds>(*one.next_try - now));
    return static_cast<int>(std::max(wait, std::chrono::milliseconds{0}).count());
  }

  void stop() noexcept {
    for (auto& one : busy_) {
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
};

}  // namespace http
}}  // namespace tessera::v0
