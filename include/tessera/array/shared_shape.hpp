// The shape of an array that is open, as all copies of its handle see it.
#pragma once
#include <mutex>
#include <shared_mutex>

#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Reads take the present shape and go on with it; growing or shrinking meanwhile does not hold them up. Writes hold
/// the shape, because it says which part of a chunk at the border to keep. Whoever waits for this lock holds no other,
/// so a write may be part of a queue's task, and so may a change.
class SharedShape {
 public:
  explicit SharedShape(Extents const& shape) : shape_{shape} {}

  Extents get() const {
    std::lock_guard lock{mutex_};
    return shape_;
  }
  void set(Extents const& shape) {
    std::lock_guard lock{mutex_};
    shape_ = shape;
  }

  /// Until it is given back the shape is not changed through this handle.
  std::shared_lock<std::shared_mutex> hold() { return std::shared_lock{changes_}; }
  /// Held by a change of the shape: no write runs meanwhile.
  std::unique_lock<std::shared_mutex> change() { return std::unique_lock{changes_}; }

 private:
  mutable std::mutex mutex_;
  std::shared_mutex changes_;
  Extents shape_;
};

}  // namespace detail
}}  // namespace tessera::v0
