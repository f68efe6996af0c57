// SharedArray: the state that all handles of an open array share, whatever their pipelines.
// SharedShape: the shape of an open array, for all copies of its handle.
#pragma once
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/metadata/documents.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/value_watch.hpp>
#include <tessera/store/detail/waiting.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/locks.hpp>

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

class ShardIndexCache;

namespace detail {

/// Threads share it.
class SharedArray {
 public:
  SharedArray(std::string&& at, ArrayMetadata&& opened);

  std::string const path, prefix;  ///< in the store; of its keys, with '/'
  Key const document;
  ArrayMetadata const metadata;  ///< with the shape when it was opened
  SharedShape shape;
  KeyLocks locks{};

  /// Indexes of shards that are kept between calls; null: none.
  std::shared_ptr<ShardIndexCache> indexes();
  void keep(std::shared_ptr<ShardIndexCache> indexes);

  /// Reads the shape from the document, unless that is unchanged. The document may have the other format by now
  /// (convert_node); if both exist, v3 is used.
  template <class Documents>
  void read_shape(Documents const& documents) {
    std::lock_guard lock{mutex_};
    if (metadata.format == ZarrFormat::v3) {
      if (!read_shape_of(documents, document)) read_shape_of(documents, document_key(path, ZarrFormat::v2));
    } else {
      queue_of<Documents> on;
      read_shape_of(documents, value_size(documents, document_key(path), on) ? document_key(path) : document);
    }
  }

 private:
  // False: no such document.
  template <class Documents>
  bool read_shape_of(Documents const& documents, Key const& key) {
    ValueVersion now{};
    if constexpr (HasWatch<Documents>) now = documents.watch(key).version();
    if (now.is_settled && read_.is_settled && now.is_same(read_)) return now.is_there;
    auto const value = read_value(documents, key);
    if (value) {
      auto const found = ObjectReader{*value, ""}.at("shape").extents();  // in both formats
      if (found.rank() == metadata.shape.rank()) shape.set(found);
    }
    read_ = now;
    return value.has_value();
  }

  std::mutex mutex_;
  ValueVersion read_{};  // of the document
  std::mutex indexes_mutex_;
  std::shared_ptr<ShardIndexCache> indexes_;
};

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/array/detail/shared_array.ipp>
#endif
