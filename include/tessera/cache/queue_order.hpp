// How the queues of a cache's users and the cache's own come after each other. The cache's queue is the hub: it fills
// and copies chunks; a user's queue comes after it once, and it comes after the users before it takes a chunk away.
#pragma once
#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <tessera/array/under_way.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/memory/queue.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A place in the cache's queue: it was given so many pieces of work.
using QueuePlace = std::uint64_t;
inline constexpr QueuePlace nowhere_yet = ~QueuePlace{0};  ///< behind what a user's queue may still write

/// Who uses a chunk: the cache's own queue, the host, or another queue, numbered from `first` on.
struct QueueUser {
  static constexpr std::uint32_t own = 0, host = 1, first = 2;
  std::uint32_t number = own;
};

/// Of a device queue. One thread at a time changes it. Those that ask it, `find` and `is_ready`, are kept apart from
/// `add` and `is_made_ready`.
template <class Q>
class QueueOrder {
 public:
  explicit QueueOrder(Q queue) : own{std::move(queue)} {}

  /// nullopt: the cache does not know that queue yet.
  std::optional<QueueUser> find(Q const& on) const {
    if (on.stream() == own.stream()) return QueueUser{QueueUser::own};
    for (std::size_t i = 0; i < users_.size(); ++i)
      if (users_[i].queue.stream() == on.stream()) return QueueUser{static_cast<std::uint32_t>(QueueUser::first + i)};
    return std::nullopt;
  }
  /// Keeps the queue, which says when a chunk that it used is free. Throws: Error, if it is one of another GPU.
  QueueUser add(Q const& on) {
    if (on.device() != own.device())
      throw Error{text({"a cache has chunks on device ", own.device(), ", and the queue is one of device ",
                        on.device()})};
    users_.push_back({on, 0});
    return {static_cast<std::uint32_t>(QueueUser::first + users_.size() - 1)};
  }
  /// In a set of users; from the 64th on they share a bit.
  static std::uint64_t bit(QueueUser user) {
    if (user.number < QueueUser::first) return 0;
    return std::uint64_t{1} << std::min<std::uint32_t>(user.number - QueueUser::first, 63);
  }

  /// What the cache's queue was given up to that place is done before what the user does next.
  bool is_ready(QueuePlace place, QueueUser user) const {
    if (place == nowhere_yet || user.number == QueueUser::own) return place != nowhere_yet;
    return place <= (user.number == QueueUser::host ? done_.load(std::memory_order_acquire)
                                                    : users_[user.number - QueueUser::first].seen);
  }
  /// The place behind everything so far.
  QueuePlace queued() { return ++queued_; }

  /// What the cache's queue is given next comes after all that these users were given. Throws: DeviceError.
  void join(std::uint64_t users) {
    for (std::uint32_t i = 0; users != 0 && i < users_.size(); ++i)
      if (users & bit({QueueUser::first + i})) own.after(users_[i].queue.record());
  }
  /// The same, where the cache ends and its memory goes: whatever fails.
  void join_at_end(std::uint64_t users) noexcept {
    try {
      join(users);
    } catch (...) {
      for (auto& user : users_) wait_in_handler(user.queue);
    }
  }
  /// What the user does next comes after all that the cache's queue was given; `is_made_ready` says so to those who
  /// ask. Throws: DeviceError.
  void make_ready(QueueUser user) {
    if (user.number == QueueUser::own) return;
    if (user.number == QueueUser::host) return host_waits();
    users_[user.number - QueueUser::first].queue.after(own.record());
  }
  void is_made_ready(QueueUser user) {
    if (user.number >= QueueUser::first) users_[user.number - QueueUser::first].seen = queued_;
  }
  /// The host waits for all that the cache's queue was given. Throws: DeviceError.
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
  std::atomic<QueuePlace> done_{0};  // the host waits without a lock
};

/// Of a host queue: all is done when its call returns.
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
