// http::Batch: requests to a server, many under way at once, all served by the waiting thread.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <unistd.h>

#include <tessera/core/error.hpp>
#include <tessera/store/detail/waiting.hpp>
#include <tessera/with/detail/curl/curl_pipes.hpp>
#include <tessera/with/detail/curl/curl_transfer.hpp>

namespace tessera { inline namespace v0 {
namespace http {

/// Kept by a queue, with its connections, for one thread at a time.
class Batch {
  using Clock = std::chrono::steady_clock;
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

  /// Returns when all tasks are done. Each of `stops` ends it. Throws: StoreError that names the key; exceptions of a
  /// destination; Cancelled.
  void run(Site const& site, std::span<Task* const> tasks, std::span<Stop const> stops, std::size_t most_at_once) {
    if (process_ != ::getpid()) {
      abandon();
      open();
    }
    // By default cURL keeps four for each remaining request.
    auto const kept = static_cast<long>(std::min(most_at_once, most_kept));
    check(::curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, kept));
    QuietPipes const quiet;
    stops_ = stops;
    struct End {
      Batch& batch;
      Pace& pace;
      ~End() { batch.end_all(pace); }
    } const end{*this, site.pace};
    for (std::size_t next = 0;;) {
      expect_going();
      start_again(site);
      for (; busy_.size() < most_at_once && next < tasks.size() && site.pace.take(); ++next) start(site, *tasks[next]);
      if (busy_.empty() && told_.empty() && next == tasks.size()) return;
      if (busy_.empty() && told_.empty()) {  // other threads have all requests that the server may have
        detail::try_until_true(nullptr, [&] {
          expect_going();
          return site.pace.take();
        });
        start(site, *tasks[next++]);
      }
      int count = 0;
      check(::curl_multi_perform(multi_.get(), &count));
      bool const any = end_some(site);
      hedge(site);  // after the sockets were read: an answer may have lain there
      if (!tell_some() && !any) check(::curl_multi_poll(multi_.get(), nullptr, 0, milliseconds_to_wait(site), &count));
    }
  }

 private:
  struct FreeMulti {
    void operator()(CURLM* multi) const { ::curl_multi_cleanup(multi); }
  };
  struct Busy {
    std::unique_ptr<Transfer> transfer;
    std::optional<Clock::time_point> next_try{};  // empty: under way, and the pace counts it
    std::unique_ptr<Transfer> second{};           // of the same task, while neither has an answer
    bool was_hedged = false;                      // in this try: a server that refuses the second gets no third
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

  void expect_going() const {
    for (auto const stop : stops_) detail::expect_going(stop);
  }

  // Starts a request that the pace has admitted.
  void start(Site const& site, Task& task) {
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
    begin([&] { transfer.begin(site, task); }, task);
    check(::curl_multi_add_handle(multi_.get(), transfer.handle()));
  }
  void start_again(Site const& site) {
    auto const now = Clock::now();
    for (auto& one : busy_) {
      if (!one.next_try || *one.next_try > now || !site.pace.take()) continue;
      one.next_try.reset();
      one.was_hedged = false;
      begin([&] { one.transfer->begin_again(site); }, one.transfer->task());
      check(::curl_multi_add_handle(multi_.get(), one.transfer->handle()));
    }
  }

  // How long a request is without an answer before it is made a second time; nullopt: it is not.
  static std::optional<Clock::duration> hedge_after(Site const& site) {
    auto const after = site.options.hedge_after;
    auto const percent = site.options.hedge_percent;
    if (percent == 0) return after.count() == 0 ? std::nullopt : std::optional<Clock::duration>{after};
    auto const usual = site.answer_times.percentile(percent);
    return usual ? std::optional{std::max<Clock::duration>(*usual, after)} : std::nullopt;
  }
  // Requests a second time what has no answer for so long.
  void hedge(Site const& site) {
    auto const after = hedge_after(site);
    if (!after) return;
    auto const now = Clock::now();
    for (auto& one : busy_) {
      if (!may_hedge(one) || now - one.transfer->started() < *after || !site.pace.take()) continue;
      auto second = idle_.empty() ? nullptr : std::move(idle_.back());
      if (second) idle_.pop_back();
      try {
        if (!second) second = std::make_unique<Transfer>();
        idle_.reserve(idle_.size() + 2 * busy_.size());
        begin([&] { second->begin_beside(site, *one.transfer); }, one.transfer->task());
        check(::curl_multi_add_handle(multi_.get(), second->handle()));
      } catch (...) {
        site.pace.give_back();
        throw;
      }
      one.transfer->race(second.get());
      second->race(one.transfer.get());
      one.second = std::move(second);
      one.was_hedged = true;
    }
  }
  static bool may_hedge(Busy const& one) {
    return !one.next_try && !one.was_hedged && !one.transfer->has_answer() && one.transfer->task().may_hedge();
  }
  // One of two transfers of a task has ended: keeps the one with the answer, and ends the other. False: the task goes
  // on, because the one that ended had none.
  bool settle(Busy& one, CURL* ended, Site const& site) {
    bool const is_second = one.second->handle() == ended;
    bool const is_answered = (is_second ? one.second : one.transfer)->has_answer();
    if (is_second == is_answered) std::swap(one.transfer, one.second);
    if (is_answered) check(::curl_multi_remove_handle(multi_.get(), one.second->handle()));
    one.transfer->race(nullptr);
    site.pace.give_back();
    idle_.push_back(std::move(one.second));
    return is_answered;
  }

  // Returns whether any request ended.
  bool end_some(Site const& site) {
    bool any = false;
    for (int left = 0; auto const* const told = ::curl_multi_info_read(multi_.get(), &left); any = true) {
      auto* const handle = told->easy_handle;
      auto const how = told->data.result;  // invalid once the handle is removed
      auto const one = std::ranges::find_if(busy_, [&](auto const& busy) {
        return busy.transfer->handle() == handle || (busy.second && busy.second->handle() == handle);
      });
      check(::curl_multi_remove_handle(multi_.get(), handle));
      if (one->second && !settle(*one, handle, site)) continue;
      site.pace.hear(one->transfer->heard(how));
      auto const ended = end(*one->transfer, how, site);
      if (ended == TransferEnd::next) {
        one->was_hedged = false;
        begin([&] { one->transfer->begin_next(site); }, one->transfer->task());
        check(::curl_multi_add_handle(multi_.get(), handle));
        continue;
      }
      if (ended == TransferEnd::again) {
        one->next_try = Clock::now() + pause_before_next(*one->transfer, site.options);
        site.pace.give_back();
        continue;
      }
      told_.push_back(&one->transfer->task());  // first, since it allocates: end_all() gives back what is busy
      site.pace.give_back();
      idle_.push_back(std::move(one->transfer));
      std::swap(*one, busy_.back());
      busy_.pop_back();
    }
    return any;
  }
  // Returns whether there was a task that is done. After about a millisecond the connections are read before more.
  bool tell_some() {
    if (told_.empty()) return false;
    auto const end = Clock::now() + std::chrono::milliseconds{1};
    do {
      if (!told_.front()->tell()) told_.pop_front();
    } while (!told_.empty() && Clock::now() < end);
    return true;
  }
  // Errors name the task's key.
  template <class F>
  static void begin(F&& f, Task const& task) try {
    f();
  } catch (Error& error) {
    error.in_key(task.key().path);
    throw;
  }
  static TransferEnd end(Transfer& transfer, CURLcode how, Site const& site) {
    try {
      return transfer.end(how, site.options);
    } catch (Error& error) {
      error.in_key(transfer.task().key().path);
      throw;
    }
  }

  // The doubled pause, shortened by up to a half so that refused programs do not return together; or longer if the
  // server says so; but at most the patience.
  Clock::duration pause_before_next(Transfer const& transfer, HttpOptions const& options) {
    curl_off_t said = 0;  // seconds
    ::curl_easy_getinfo(transfer.handle(), CURLINFO_RETRY_AFTER, &said);
    auto const doubled = options.pause * (1u << std::min(transfer.tries() - 1, 16u));
    std::uniform_real_distribution<double> share{0.5, 1.0};
    auto const jittered = std::chrono::duration_cast<Clock::duration>(doubled * share(random_));
    auto const wanted = std::max<Clock::duration>(jittered, std::chrono::seconds{std::min<curl_off_t>(said, 86'400)});
    return std::min<Clock::duration>(wanted, options.patience);
  }
  int milliseconds_to_wait(Site const& site) const {
    auto wait = std::chrono::milliseconds{stops_.empty() ? 1000 : 100};
    auto const now = Clock::now();
    auto const until = [&](Clock::time_point time) {
      wait = std::min(wait, std::chrono::ceil<std::chrono::milliseconds>(time - now));
    };
    auto const hedged = hedge_after(site);
    for (auto const& one : busy_) {
      if (one.next_try) until(*one.next_try);
      if (hedged && may_hedge(one)) until(one.transfer->started() + *hedged);
    }
    return static_cast<int>(
        std::max(wait, std::chrono::milliseconds{2}).count());  // one that is due waits for the pace
  }

  void end_all(Pace& pace) noexcept {
    for (auto& one : busy_) {
      if (one.second) {
        pace.give_back();
        ::curl_multi_remove_handle(multi_.get(), one.second->handle());
        idle_.push_back(std::move(one.second));
      }
      if (!one.next_try) pace.give_back();
      ::curl_multi_remove_handle(multi_.get(), one.transfer->handle());
      idle_.push_back(std::move(one.transfer));
    }
    busy_.clear();
    told_.clear();
  }

  std::unique_ptr<CURLM, FreeMulti> multi_;  // outlives the transfers
  pid_t process_ = 0;
  std::vector<std::unique_ptr<Transfer>> idle_;
  std::vector<Busy> busy_;
  std::deque<Task*> told_;  // done; the first is being told
  std::span<Stop const> stops_;
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace http
}}  // namespace tessera::v0
