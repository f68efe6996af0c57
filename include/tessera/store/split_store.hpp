// SplitStore: documents from one store, chunks from another, each in its own memory (zarr-python 2's `chunk_store`).
#pragma once
#include <utility>

#include <tessera/store/concept.hpp>
#include <tessera/store/routed_store.hpp>

namespace tessera { inline namespace v0 {

/// Behaves like its second store, except that documents are in the first one, `metadata_store()`. Both may use the same
/// folder: `SplitStore{LocalStore<HostBuffer>{path}, LocalStore<DeviceBuffer>{path}}`.
template <class Meta, class Chunks>
class SplitStore : public RoutedStore<Meta, Chunks, detail::DocumentsApart> {
 public:
  SplitStore(Meta meta, Chunks chunks)
      : RoutedStore<Meta, Chunks, detail::DocumentsApart>{std::move(meta), std::move(chunks), {}} {}

  Meta const& metadata_store() const { return this->first(); }
  Chunks const& chunk_store() const { return this->second(); }  ///< the store of chunks
};

}}  // namespace tessera::v0
