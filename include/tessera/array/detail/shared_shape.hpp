// SharedShape: the shape of an open array, for all copies of its handle.
#pragma once
#include <mutex>
#include <shared_mutex>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/store/detail/waiting.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Reads use the present shape throughout, and do not wait while the array grows or shrinks. Writes hold the shape,
/// because it says which part of a chunk at the border to keep. A thread that waits for this lock holds no other, so
/// writes and changes may be part of a queue's task.
class SharedShape {
 public:
  explicit SharedShape(Extents const& shape) : shape_{shape} {}

  Extents get() const {
    std::lock_guard lock{mutex_};
    return shape_;
  }
  void set(Extents const& shape);

  /// Until it is released, the shape is not changed through this handle. Throws: Cancelled.
  std::shared_lock<std::shared_mutex> hold(Stop stop) { return locked<std::shared_lock<std::shared_mutex>>(stop); }
  /// Held by a change of the shape: no write runs meanwhile. Throws: Cancelled.
  std::unique_lock<std::shared_mutex> change(Stop stop) { return locked<std::unique_lock<std::shared_mutex>>(stop); }

 private:
  template <class Lock>
  Lock locked(Stop stop) {
    if (!stop) return Lock{changes_};
    Lock lock{changes_, std::defer_lock};
    try_until_true(stop, [&] { return lock.try_lock(); });
    return lock;
  }

  mutable std::mutex mutex_;
  std::shared_mutex changes_;
  Extents shape_;
};

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/array/detail/shared_shape.ipp>
#endif
