// SharedArray: the state that all handles of an open array share, whatever their pipelines.
#pragma once
#include <memory>
#include <mutex>
#include <string>

#include <tessera/array/detail/shared_shape.hpp>
#include <tessera/key/key.hpp>
#include <tessera/metadata/array_metadata.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/locks.hpp>
#include <tessera/store/value_watch.hpp>

namespace tessera { inline namespace v0 {

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
