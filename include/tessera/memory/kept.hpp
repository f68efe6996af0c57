// Objects that are dear to make and cheap to use again: scratch memory, the contexts of libraries. A queue keeps them.
#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <tessera/core/config.hpp>

namespace tessera::inline v0 {

class Kept;

/// An object of type T on loan, the borrower's alone; given back when destroyed.
template <class T>
class Lease {
 public:
  Lease(Lease&& other) noexcept : kept_{other.kept_}, object_{std::exchange(other.object_, nullptr)} {}
  Lease& operator=(Lease&&) = delete;
  inline ~Lease();

  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }

 private:
  friend class Kept;
  Lease(Kept& kept, T* object) : kept_{&kept}, object_{object} {}
  Kept* kept_;
  T* object_;
};

/// Safe to use from many threads. What was given back last is lent first, for its pages are warm.
class Kept {
 public:
  Kept() = default;
  Kept(Kept const&) = delete;
  Kept& operator=(Kept const&) = delete;
  ~Kept() {
    for (auto& entry : idle_) entry.destroy(entry.object);
  }

  /// Makes a T{} if none is idle. Requires: *this outlives the lease.
  template <class T>
  Lease<T> lease() {
    return lease<T>([](T&) { return true; }, 1);
  }

  /// Lends one that is `usable`. If none is, makes a T{}; but if `most` are idle, lends the one that was given back
  /// first.
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
      idle_.reserve(++made_);  // so that giving back neither allocates nor throws
    }
    return {*this, std::make_unique<T>().release()};
  }

 private:
  template <class T>
  friend class Lease;
  template <class T>
  static constexpr char tag{};  // its address names T
  struct Entry {
    void const* type;
    void* object;
    void (*destroy)(void*);
  };

  template <class T>
  Lease<T> lend(std::size_t i) {
    return {*this, static_cast<T*>(take(i))};
  }
  // In order, for who was given back first is known by it; not by erase(), where g++ 12 sees an overflow.
  void* take(std::size_t i) {
    auto* const object = idle_[i].object;
    for (; i + 1 < idle_.size(); ++i) idle_[i] = idle_[i + 1];
    idle_.pop_back();
    return object;
  }
  template <class T>
  void give_back(T* object) noexcept {
    std::lock_guard lock{mutex_};
    idle_.push_back({&tag<T>, object, [](void* o) { delete static_cast<T*>(o); }});
  }

  std::mutex mutex_;
  std::vector<Entry> idle_;
  std::size_t made_ = 0;
};

template <class T>
Lease<T>::~Lease() {
  if (object_) kept_->give_back(object_);
}

}  // namespace tessera::inline v0
