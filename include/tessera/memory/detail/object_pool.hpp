// ObjectPool: reusable objects that are expensive to make, such as scratch memory and library contexts. Each queue has
// one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace tessera { inline namespace v0 {

class ObjectPool;

/// A T on loan for exclusive use; the destructor gives it back.
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

/// Thread-safe. Lends the object given back last, because its pages are warm. A T may have `held()`, the bytes that it
/// occupies, and `is_done()`, false while a device uses the object.
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

  /// Lends an object that is `usable`. If none is, makes a T{}; but if `most` are idle, lends the one given back first.
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
  void trim() noexcept;
  /// Destroys idle objects that hold memory and are done, oldest first, until idle objects hold at most `most` bytes.
  void trim_to(std::uint64_t most) noexcept;

 private:
  template <class T>
  friend class Lease;
  template <class T>
  static constexpr char tag{};  // its address identifies T
  struct Entry {
    void const* type;
    void* object;
    std::uint64_t bytes;
    void (*destroy)(void*);
    bool (*is_done)(void*);
  };

  // Null: the caller must make an object. Not a template, so that all types share the code.
  void* take_last(void const* type);
  // So that giving back neither allocates nor throws.
  void make_room() { idle_.reserve(++made_); }
  template <class T>
  Lease<T> lend(std::size_t i) {
    return {*this, static_cast<T*>(take(i).object)};
  }
  // Keeps the order, which tells the age. Without erase(), for which g++ 12 warns of an overflow.
  Entry take(std::size_t i);
  // One at a time, so that the caller destroys it without the lock: that may be slow.
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
  void put_last(Entry const& entry) noexcept;
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

#if !defined(TESSERA_SEPARATE)
#include <tessera/memory/detail/object_pool.ipp>
#endif
