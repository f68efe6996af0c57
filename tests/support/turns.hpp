// Two operations on one store; the second begins at a chosen call of the first and runs until it ends or waits for a
// lock: every interleaving of one program with the calls of another.
#pragma once
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <tessera/store/detail/value_changed.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/memory_store.hpp>

namespace test {

/// The kind of a store's locks.
enum class LocksOf {
  memory,  ///< a MemoryStore: every key and folder has one
  files    ///< a LocalStore: missing values have none, and values are replaced and erased under their locks
};

/// Locks that know which threads wait. Two threads that wait for each other get an error, and so does one that waits
/// for itself.
class Turns final : tessera::KeyLock::Owner, tessera::FolderLock::Owner {
  using Sharing = tessera::Sharing;
  using Lock = std::unique_lock<std::mutex>;
  using Memory = tessera::MemoryStore<tessera::HostBuffer>;

 public:
  explicit Turns(LocksOf of) : of_{of} {}

  Memory const inner{};

  /// Runs both; the second begins before the call of that number of the first. Returns whether there was such a call.
  template <class First, class Second>
  bool run(std::size_t call, First&& first, Second&& second) {
    first_ = std::this_thread::get_id();
    left_ = call, is_counting_ = true;
    second_ = [&] {
      thread_ = std::thread{[&] {
        second();
        Lock lock{mutex_};
        --running_;
        changed_.notify_all();
      }};
    };
    first();
    is_counting_ = false;
    {
      Lock lock{mutex_};
      if (thread_.joinable()) --running_;  // this thread no longer waits for a lock
      changed_.notify_all();
    }
    bool const is_run = thread_.joinable();
    if (is_run) thread_.join();
    running_ = 1;
    return is_run;
  }

  /// Before each call.
  void pass() {
    if (std::this_thread::get_id() != first_ || !is_counting_ || left_-- != 0) return;
    is_counting_ = false;
    Lock lock{mutex_};
    running_ = 2;
    second_();
    changed_.wait(lock, [&] { return running_ == 1 || std::any_of(waiters_.begin(), waiters_.end(), is_blocked); });
  }

  tessera::KeyLock lock(tessera::Key const& key) {
    pass();
    Lock lock{mutex_};
    wait_until(lock, [&] { return is_free("key " + key.path, Sharing::alone); });
    bool const is_there = has(key);
    auto const number = add("key " + key.path, Sharing::alone, is_there, of_ == LocksOf::memory || is_there);
    return {std::unique_lock<std::mutex>{}, *this, number};
  }
  tessera::FolderLock lock_folder(std::string_view path, Sharing sharing) {
    pass();
    Lock lock{mutex_};
    auto const name = "folder " + std::string{path};
    wait_until(lock, [&] { return is_free(name, sharing); });
    if (of_ == LocksOf::files && !has_folder(path)) return {};
    return {*this, static_cast<std::intptr_t>(add(name, sharing, true, true)), sharing};
  }

  /// Changes a value. In files that is done under their lock, which is then released.
  template <class F>
  auto change(tessera::Key const& key, F&& f) {
    pass();
    Lock lock{mutex_};
    if (of_ == LocksOf::memory) return f();
    auto const name = "key " + key.path;
    auto const mine = std::find_if(held_.begin(), held_.end(), [&](Held const& held) {
      return held.name == name && held.by == std::this_thread::get_id() && !held.is_used;
    });
    if (mine == held_.end()) {
      wait_until(lock, [&] { return is_free(name, Sharing::alone); });
      return f();
    }
    if (mine->was_there != has(key)) throw tessera::ValueChanged{};
    struct End {
      Turns& turns;
      Held& held;
      ~End() { held.is_real = false, held.is_used = true, turns.changed_.notify_all(); }
    } const end{*this, *mine};
    return f();
  }

  /// Changes many values at once: in memory no key is locked meanwhile.
  template <class F>
  auto change_many(F&& f) {
    pass();
    Lock lock{mutex_};
    if (of_ == LocksOf::memory)
      wait_until(lock, [&] {
        return std::none_of(held_.begin(), held_.end(), [](Held const& held) { return held.name.starts_with("key "); });
      });
    return f();
  }

  bool is_idle() const { return held_.empty(); }

 private:
  struct Held {
    std::size_t number;
    std::string name;
    Sharing sharing;
    std::thread::id by;
    bool was_there, is_real, is_used = false;
  };

  bool has(tessera::Key const& key) const {
    tessera::Queue<tessera::space::Host> on;
    return tessera::value_size(inner, key, on).has_value();
  }
  bool has_folder(std::string_view path) const {
    bool found = false;
    inner.list(path, [&](tessera::Listed const&) { found = true; });
    return found;
  }
  bool is_free(std::string const& name, Sharing sharing) const {
    return std::none_of(held_.begin(), held_.end(), [&](Held const& held) {
      return held.is_real && held.name == name && (sharing == Sharing::alone || held.sharing == Sharing::alone);
    });
  }
  static bool is_blocked(std::function<bool()> const* is_ready) { return !(*is_ready)(); }
  bool is_deadlock() const {
    return waiters_.size() >= running_ && std::all_of(waiters_.begin(), waiters_.end(), is_blocked);
  }
  void wait_until(Lock& lock, std::function<bool()> const& is_ready) {
    waiters_.push_back(&is_ready);
    changed_.notify_all();
    changed_.wait(lock, [&] { return is_ready() || is_stuck_ || is_deadlock(); });
    std::erase(waiters_, &is_ready);
    if (is_ready()) return;
    is_stuck_ = true;  // the other thread detects it, too
    changed_.notify_all();
    throw std::logic_error{"a deadlock"};
  }
  std::size_t add(std::string name, Sharing sharing, bool was_there, bool is_real) {
    held_.push_back({++last_, std::move(name), sharing, std::this_thread::get_id(), was_there, is_real});
    return last_;
  }
  void release(std::size_t number) noexcept {
    Lock lock{mutex_};
    held_.remove_if([&](Held const& held) { return held.number == number; });
    changed_.notify_all();
  }
  void unlock_key(std::size_t number) noexcept override { release(number); }
  void unlock_folder(std::intptr_t handle, Sharing) noexcept override { release(static_cast<std::size_t>(handle)); }

  LocksOf of_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Held> held_;
  std::size_t last_ = 0;
  std::vector<std::function<bool()> const*> waiters_;
  std::size_t running_ = 1, left_ = 0;
  bool is_counting_ = false, is_stuck_ = false;
  std::thread::id first_;
  std::function<void()> second_;
  std::thread thread_;
};

/// A store in memory with those locks that counts its calls.
struct StoreOfTurns {
  using buffer_type = tessera::HostBuffer;
  using Queue = tessera::Queue<tessera::space::Host>;
  std::shared_ptr<Turns> turns;

  explicit StoreOfTurns(LocksOf of) : turns{std::make_shared<Turns>(of)} {}

  std::optional<std::size_t> read(tessera::Key const& key, tessera::ByteRange range,
                                  tessera::Destination<tessera::space::Host> destination, Queue& on) const {
    turns->pass();
    return turns->inner.read(key, range, destination, on);
  }
  void write(tessera::Key const& key, tessera::ByteView<tessera::space::Host> value, Queue& on) const {
    turns->change(key, [&] { turns->inner.write(key, value, on); });
  }
  bool erase(tessera::Key const& key, Queue& on) const {
    return turns->change(key, [&] { return turns->inner.erase(key, on); });
  }
  void list(std::string_view prefix, tessera::Visitor visit) const {
    turns->pass();
    turns->inner.list(prefix, visit);
  }
  void list_directory(std::string_view prefix, tessera::Visitor visit) const {
    turns->pass();
    turns->inner.list_directory(prefix, visit);
  }
  tessera::KeyLock lock(tessera::Key const& key) const { return turns->lock(key); }
  tessera::FolderLock lock_folder(std::string_view path, tessera::Sharing sharing) const {
    return turns->lock_folder(path, sharing);
  }
};
static_assert(tessera::WritableStore<StoreOfTurns> && tessera::ListableStore<StoreOfTurns>);

/// It renames folders at once.
struct RenamingStoreOfTurns : StoreOfTurns {
  using StoreOfTurns::StoreOfTurns;
  bool rename(std::string_view from, std::string_view to) const {
    return turns->change_many([&] { return turns->inner.rename(from, to); });
  }
};

}  // namespace test
