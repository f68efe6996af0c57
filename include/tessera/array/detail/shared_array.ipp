#pragma once
#include <tessera/array/detail/shared_array.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <tessera/core/dimensions.hpp>
#include <tessera/key/key.hpp>
#include <tessera/metadata/documents.hpp>
#include <tessera/shard/detail/index_cache.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void SharedShape::set(Extents const& shape) {
  std::lock_guard lock{mutex_};
  shape_ = shape;
}

TESSERA_DECL SharedArray::SharedArray(std::string&& at, ArrayMetadata&& opened)
    : path{std::move(at)},
      prefix{path.empty() ? "" : path + '/'},
      document{document_key(path, opened.format)},
      metadata{std::move(opened)},
      shape{metadata.shape} {}

TESSERA_DECL std::shared_ptr<ShardIndexCache> SharedArray::indexes() {
  std::lock_guard lock{indexes_mutex_};
  return indexes_;
}

TESSERA_DECL void SharedArray::keep(std::shared_ptr<ShardIndexCache> indexes) {
  std::lock_guard lock{indexes_mutex_};
  indexes_.swap(indexes);
}

}}}  // namespace tessera::v0::detail
