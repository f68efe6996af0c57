// What all handles of an open array share, through whichever pipelines they reach its chunks.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <tessera/array/shared_shape.hpp>
#include <tessera/key/key.hpp>
#include <tessera/metadata/array_metadata.hpp>
#include <tessera/metadata/document.hpp>
#include <tessera/shard/index_cache.hpp>
#include <tessera/store/key_lock.hpp>
#include <tessera/store/watch.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Threads share it.
class SharedArray {
 public:
  SharedArray(std::string&& at, ArrayMetadata&& opened)
      : path{std::move(at)},
        prefix{path.empty() ? "" : path + '/'},
        document{document_key(path, opened.format)},
        metadata{std::move(opened)},
        shape{metadata.shape} {}

  std::string const path, prefix;  ///< in the store; of the keys, with its '/'
  Key const document;
  ArrayMetadata const metadata;  ///< its shape is that of then
  SharedShape shape;
  KeyLocks locks{};

  /// Indexes of shards that are kept among calls; null: none are.
  std::shared_ptr<ShardIndexCache> indexes() {
    std::lock_guard lock{indexes_mutex_};
    return indexes_;
  }
  void keep(std::shared_ptr<ShardIndexCache> indexes) {
    std::lock_guard lock{indexes_mutex_};
    indexes_.swap(indexes);
  }

  /// Takes the shape from the document, unless that is the one that it was taken from.
  template <class Documents>
  void read_shape(Documents const& documents) {
    std::lock_guard lock{mutex_};
    ValueVersion now{};
    if constexpr (HasWatch<Documents>) now = documents.watch(document).version();
    if (now.is_settled && read_.is_settled && now.is_same(read_)) return;
    if (auto const value = read_value(documents, document)) {
      auto const found = ObjectReader{*value, ""}.at("shape").extents();  // of both formats
      if (found.rank() == metadata.shape.rank()) shape.set(found);
    }
    read_ = now;
  }

 private:
  std::mutex mutex_;
  ValueVersion read_{};  // of the document
  std::mutex indexes_mutex_;
  std::shared_ptr<ShardIndexCache> indexes_;
};

}}}  // namespace tessera::v0::detail
