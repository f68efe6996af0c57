// QueueOrder: the order between a cache's queue, which fills and copies chunks, and its users' queues. A user's queue
// waits for it once; it waits for the users before it evicts a chunk.
#pragma once
#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <tessera/array/detail/run_call.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/queue.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A position in the cache's queue: the number of pieces of work before it.
using QueuePlace = std::uint64_t;
inline constexpr QueuePlace nowhere_yet = ~QueuePlace{0};  ///< after what a user's queue may still write

/// A user of chunks: the cache's own queue, the host, or another queue, numbered from `first`.
struct QueueUser {
  static constexpr std::uint32_t own = 0, host = 1, first = 2;
  std::uint32_t number = own;
};

/// For a device queue. One thread at a time changes it. `find` and `is_ready` must not run during `add` and
/// `is_made_ready`.
template <class Q>
class QueueOrder {
 public:
  explicit QueueOrder(Q queue) : own{std::move(queue)} {}

  /// nullopt: the queue is not known yet.
  std::optional<QueueUser> find(Q const& on) const {
    if (on.stream() == own.stream()) return QueueUser{QueueUser::own};
    for (std::size_t i = 0; i < users_.size(); ++i)
      if (users_[i].queue.stream() == on.stream()) return QueueUser{static_cast<std::uint32_t>(QueueUser::first + i)};
    return std::nullopt;
  }
  /// Keeps the queue, to know when a chunk that it used is free. Throws: Error, if it is of another GPU.
  QueueUser add(Q const& on) {
    if (on.device() != own.device())
      throw Error{to_text({"found a queue of device ", on.device(), ", expected one of device ", own.device(),
                           ", where the cache has its chunks"})};
    users_.push_back({on, 0});
    return {static_cast<std::uint32_t>(QueueUser::first + users_.size() - 1)};
  }
  /// The user's bit in a set of users; from the 64th on users share a bit.
  static std::uint64_t bit(QueueUser user) {
    if (user.number < QueueUser::first) return 0;
    return std::uint64_t{1} << std::min<std::uint32_t>(user.number - QueueUser::first, 63);
  }

  /// Whether the cache's work up to `place` is done before the user's next work.
  bool is_ready(QueuePlace place, QueueUser user) const {
    if (place == nowhere_yet || user.number == QueueUser::own) return place != nowhere_yet;
    return place <= (user.number == QueueUser::host ? done_.load(std::memory_order_acquire)
                                                    : users_[user.number - QueueUser::first].seen);
  }
  /// The position after all work so far.
  QueuePlace queued() { return ++queued_; }

  /// Makes the cache's queue wait for all work of these users. Throws: DeviceError.
  void join(std::uint64_t users) {
    for (std::uint32_t i = 0; users != 0 && i < users_.size(); ++i)
      if (users & bit({QueueUser::first + i})) own.after(users_[i].queue.record());
  }
  /// `join` at the cache's end, before its memory is freed. If it fails, the host waits.
  void join_at_end(std::uint64_t users) noexcept {
    try {
      join(users);
    } catch (...) {
      for (auto& user : users_) wait_in_handler(user.queue);
    }
  }
  /// Makes the user's next work wait for all work of the cache's queue; `is_made_ready` records this for `is_ready`.
  /// Throws: DeviceError.
  void make_ready(QueueUser user) {
    if (user.number == QueueUser::own) return;
    if (user.number == QueueUser::host) return host_waits();
    users_[user.number - QueueUser::first].queue.after(own.record());
  }
  void is_made_ready(QueueUser user) {
    if (user.number >= QueueUser::first) users_[user.number - QueueUser::first].seen = queued_;
  }
  /// The host waits for all work of the cache's queue. Throws: DeviceError.
  void host_waits() {
    if (done_.load(std::memory_order_relaxed) == queued_) return;
    own.wait();
    done_.store(queued_, std::memory_order_release);
  }

  Q own;

 private:
  struct User {
    Q queue;
    QueuePlace seen;
  };
  std::vector<User> users_;
  QueuePlace queued_ = 0;
  std::atomic<QueuePlace> done_{0};  // stored without a lock
};

/// For a host queue: work is done when its call returns.
template <>
class QueueOrder<Queue<space::Host>> {
  using Q = Queue<space::Host>;

 public:
  explicit QueueOrder(Q queue) : own{std::move(queue)} {}
  std::optional<QueueUser> find(Q const&) const { return QueueUser{}; }
  QueueUser add(Q const&) { return {}; }
  static std::uint64_t bit(QueueUser) { return 0; }
  bool is_ready(QueuePlace place, QueueUser) const { return place != nowhere_yet; }
  QueuePlace queued() { return 0; }
  void join(std::uint64_t) {}
  void join_at_end(std::uint64_t) noexcept {}
  void make_ready(QueueUser) {}
  void is_made_ready(QueueUser) {}
  void host_waits() {}

  Q own;
};

}}}  // namespace tessera::v0::detail
