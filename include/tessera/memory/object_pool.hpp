// Objects that are expensive to make and cheap to use again: scratch memory, the contexts of libraries. A queue keeps
// them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

class ObjectPool;

/// An object of type T on loan, for the borrower alone; the destructor gives it back.
template <class T>
class Lease {
 public:
  Lease(Lease&& other) noexcept : kept_{other.kept_}, object_{std::exchange(other.object_, nullptr)} {}
  Lease& operator=(Lease&&) = delete;
  inline ~Lease();

  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }

 private:
  friend class ObjectPool;
  Lease(ObjectPool& kept, T* object) : kept_{&kept}, object_{object} {}
  ObjectPool* kept_;
  T* object_;
};

/// For many threads. It lends first what was given back last, because its pages are warm. A T may have a member
/// `held()`, the bytes that it takes up, and a member `is_done()`: until that is true, a device uses the object.
class ObjectPool {
 public:
  ObjectPool() = default;
  ObjectPool(ObjectPool const&) = delete;
  ObjectPool& operator=(ObjectPool const&) = delete;
  ~ObjectPool() {
    for (auto& entry : idle_) entry.destroy(entry.object);
  }

  /// Makes a T{} if none is idle. Requires: *this outlives the lease.
  template <class T>
  Lease<T> lease() {
    auto* const idle = take_last(&tag<T>);
    return {*this, idle ? static_cast<T*>(idle) : new T()};
  }

  /// Lends an object that is `usable`. If there is none, makes a T{}; but if `most` are idle, lends the one that was
  /// given back first.
  template <class T, class F>
  Lease<T> lease(F&& usable, std::size_t most) {
    {
      std::lock_guard lock{mutex_};
      auto first = idle_.size();
      std::size_t idle = 0;
      for (auto i = idle_.size(); i-- > 0;) {
        if (idle_[i].type != &tag<T>) continue;
        if (usable(*static_cast<T*>(idle_[i].object))) return lend<T>(i);
        first = i;
        ++idle;
      }
      if (idle > 0 && idle >= most) return lend<T>(first);
      make_room();
    }
    return {*this, new T()};
  }

  /// Destroys idle objects; this may wait for a device.
  void trim() noexcept {
    for (Entry entry; take_first([](Entry const&) { return true; }, entry);) entry.destroy(entry.object);
  }
  /// Destroys what takes up memory and is not in use, what was given back first before all else, until what is idle
  /// takes up so many bytes at most.
  void trim_to(std::uint64_t most) noexcept {
    auto const is_dear = [&](Entry const& entry) {
      return idle_bytes_ > most && entry.bytes > 0 && entry.is_done(entry.object);
    };
    for (Entry entry; take_first(is_dear, entry);) entry.destroy(entry.object);
  }

 private:
  template <class T>
  friend class Lease;
  template <class T>
  static constexpr char tag{};  // its address names T
  struct Entry {
    void const* type;
    void* object;
    std::uint64_t bytes;
    void (*destroy)(void*);
    bool (*is_done)(void*);
  };

  // Null: there is none, and one is to be made. Of all types the same code.
  void* take_last(void const* type) {
    std::lock_guard lock{mutex_};
    for (auto i = idle_.size(); i-- > 0;)
      if (idle_[i].type == type) return take(i).object;
    make_room();
    return nullptr;
  }
  // So that giving back neither allocates nor throws.
  void make_room() { idle_.reserve(++made_); }
  template <class T>
  Lease<T> lend(std::size_t i) {
    return {*this, static_cast<T*>(take(i).object)};
  }
  // In order, for who was given back first is known by it; not by erase(), where g++ 12 sees an overflow.
  Entry take(std::size_t i) {
    auto const entry = idle_[i];
    idle_bytes_ -= entry.bytes;
    for (; i + 1 < idle_.size(); ++i) idle_[i] = idle_[i + 1];
    idle_.pop_back();
    return entry;
  }
  // One at a time, to be destroyed without the lock: that may take long.
  template <class F>
  bool take_first(F&& wanted, Entry& entry) noexcept {
    std::lock_guard lock{mutex_};
    for (std::size_t i = 0; i < idle_.size(); ++i)
      if (wanted(idle_[i])) return entry = take(i), --made_, true;
    return false;
  }
  template <class T>
  void give_back(T* object) noexcept {
    std::uint64_t bytes = 0;
    if constexpr (requires { object->held(); }) bytes = object->held();
    put_last({&tag<T>, object, bytes, [](void* o) { delete static_cast<T*>(o); },
              [](void* o) { return is_done(*static_cast<T*>(o)); }});
  }
  void put_last(Entry const& entry) noexcept {
    std::lock_guard lock{mutex_};
    idle_bytes_ += entry.bytes;
    idle_.push_back(entry);
  }
  template <class T>
  static bool is_done([[maybe_unused]] T& object) {
    if constexpr (requires { object.is_done(); })
      return object.is_done();
    else
      return true;
  }

  std::mutex mutex_;
  std::vector<Entry> idle_;
  std::size_t made_ = 0;  // idle and lent
  std::uint64_t idle_bytes_ = 0;
};

template <class T>
Lease<T>::~Lease() {
  if (object_) kept_->give_back(object_);
}

}}  // namespace tessera::v0
