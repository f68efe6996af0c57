// s3::Version: what an answer says of a key's value. s3::Watches: whether several reads were of one value.
// s3::HeldKeys: the versions that threads have read of the keys that they change.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <tessera/key/key.hpp>
#include <tessera/store/detail/value_watch.hpp>
#include <tessera/store/detail/waiting.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 {
namespace s3 {

/// A value by its ETag; an empty one: there is no such key.
struct Version {
  std::string etag{};

  bool is_there() const { return !etag.empty(); }
  friend bool operator==(Version const&, Version const&) = default;
};

/// The versions that reads saw. Thread-safe.
class Seen {
 public:
  void add(Version const& version) {
    std::lock_guard lock{mutex_};
    if (first_ && *first_ != version) is_mixed_ = true;
    if (!first_) first_ = version;
  }
  void mix() {
    std::lock_guard lock{mutex_};
    is_mixed_ = true;
  }
  /// A value without a version was read.
  void miss() {
    std::lock_guard lock{mutex_};
    misses_ = true;
  }
  /// nullopt: nothing was read.
  std::optional<Version> first() const {
    std::lock_guard lock{mutex_};
    return first_;
  }
  /// Whether reads saw several versions.
  bool is_mixed() const {
    std::lock_guard lock{mutex_};
    return is_mixed_;
  }
  /// Whether reads saw values without a version.
  bool misses_version() const {
    std::lock_guard lock{mutex_};
    return misses_;
  }

 private:
  std::mutex mutable mutex_;
  std::optional<Version> first_;
  bool is_mixed_ = false, misses_ = false;
};

/// A watch costs no request: the first read tells the version, and later ones are conditional on it.
class Watches final : public ValueWatch::Owner {
 public:
  ValueWatch watch() {
    // No two watches have the same version, so that none is taken for that of a later value.
    return ValueWatch{{{++count_, reinterpret_cast<std::uintptr_t>(this), 0, 0}, true, true},
                      *this,
                      reinterpret_cast<std::intptr_t>(new Seen)};
  }
  /// nullptr: it is another store's.
  Seen* of(ValueWatch const* watch) const {
    auto const handle = watch ? watch->handle_of(*this) : std::nullopt;
    return handle ? reinterpret_cast<Seen*>(*handle) : nullptr;
  }

  bool is_unchanged(std::intptr_t handle, ValueVersion const&) const override {
    return !reinterpret_cast<Seen const*>(handle)->is_mixed();
  }
  void unwatch(std::intptr_t handle) noexcept override { delete reinterpret_cast<Seen*>(handle); }

 private:
  std::atomic<std::uint64_t> count_{0};
};

/// A key's lock excludes the threads of this process. Other processes are noticed: what is written under the lock
/// replaces only the version that was read under it.
class HeldKeys final : KeyLock::Owner {
 public:
  KeyLock lock(Key const& key, Stop stop) {
    auto mutex = threads_.lock(key, stop);
    auto const number = KeyLocks::number(key);
    std::lock_guard lock{mutex_};
    held_[number] = std::make_unique<Held>();
    held_[number]->path = key.path;
    held_[number]->by = std::this_thread::get_id();
    ++count_;
    return {std::move(mutex), *this, number};
  }

  /// Waits until no other thread holds the key. Throws: Cancelled.
  void wait_for(Key const& key, Stop stop) const {
    if (count_ == 0) return;
    detail::try_until_true(stop, [&] {
      std::lock_guard lock{mutex_};
      auto const& held = held_[KeyLocks::number(key)];
      return !held || held->path != key.path || held->by == std::this_thread::get_id();
    });
  }

  /// A read saw this, in any thread. nullopt: a value without a version.
  void saw(Key const& key, std::optional<Version> const& version) {
    if (count_ == 0) return;
    std::lock_guard lock{mutex_};
    auto const& held = held_[KeyLocks::number(key)];
    if (held && held->path == key.path) version ? held->seen.add(*version) : held->seen.miss();
  }
  /// What was read of a key that this thread holds; nullptr: it does not hold the key.
  Seen const* of_mine(Key const& key) const {
    if (count_ == 0) return nullptr;
    std::lock_guard lock{mutex_};
    auto const& held = held_[KeyLocks::number(key)];
    return held && held->path == key.path && held->by == std::this_thread::get_id() ? &held->seen : nullptr;
  }
  /// This thread wrote it: from now on it has another version, or `nullopt`, an unknown one.
  void wrote(Key const& key, std::optional<Version> const& version) {
    if (!of_mine(key)) return;
    std::lock_guard lock{mutex_};
    auto& held = held_[KeyLocks::number(key)];
    auto fresh = std::make_unique<Held>();
    fresh->path = held->path;
    fresh->by = held->by;
    if (version) fresh->seen.add(*version);
    held = std::move(fresh);
  }

  KeyLocks& threads() { return threads_; }

 private:
  struct Held {
    std::string path{};
    std::thread::id by{};
    Seen seen{};
  };

  void unlock_key(std::size_t number) noexcept override {
    std::lock_guard lock{mutex_};
    held_[number].reset();
    --count_;
  }

  KeyLocks threads_;
  std::mutex mutable mutex_;
  std::array<std::unique_ptr<Held>, KeyLocks::count> held_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace s3
}}  // namespace tessera::v0
