// Metadata documents from one store, chunk values from another: each in its own memory (zarr-python 2's `chunk_store`).
#pragma once
#include <cstddef>
#include <string_view>
#include <utility>

#include <tessera/store/concept.hpp>
#include <tessera/store/forwarding_store.hpp>
#include <tessera/store/unfinished.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

template <class Meta, class Chunks>
consteval bool check_split() {
  if constexpr (!check_store<Meta>() || !check_store<Chunks>()) {
    return false;
  } else {
    static_assert(reads_documents<Meta>,
                  "tessera: metadata is read by the host: give SplitStore a metadata store of host buffers first, e.g. "
                  "SplitStore{LocalStore<HostBuffer>{path}, LocalStore<DeviceBuffer>{path}}");
    return reads_documents<Meta>;
  }
}

}  // namespace detail

/// As a store it is its second half; documents are read through `metadata_store()`. The two may show the same folder:
/// `SplitStore{LocalStore<HostBuffer>{path}, LocalStore<DeviceBuffer>{path}}`.
template <class Meta, class Chunks>
class SplitStore : public detail::ForwardingStore<Chunks, detail::Forwarded{.batches = true, .writes = true}> {
  static_assert(detail::check_split<Meta, Chunks>() || true);  // so that it is asked at once
  using Base = detail::ForwardingStore<Chunks, detail::Forwarded{.batches = true, .writes = true}>;

 public:
  static constexpr bool refused = !detail::check_split<Meta, Chunks>();  ///< a message was given

  SplitStore(Meta meta, Chunks chunks) : Base{std::move(chunks)}, meta_{std::move(meta)} {}

  Meta const& metadata_store() const { return meta_; }
  Chunks const& chunk_store() const { return this->behind(); }

  /// Both halves, each key as its own half shows it: a key that is in both is visited twice.
  void list(std::string_view prefix, Visitor visit) const requires ListableStore<Meta> && ListableStore<Chunks> {
    meta_.list(prefix, visit);
    chunk_store().list(prefix, visit);
  }
  void list_directory(std::string_view prefix,
                      Visitor visit) const requires ListableStore<Meta> && ListableStore<Chunks> {
    meta_.list_directory(prefix, visit);
    chunk_store().list_directory(prefix, visit);
  }

  /// Of both halves likewise.
  void list_unfinished(std::string_view prefix, Visitor visit) const {
    detail::list_unfinished(meta_, prefix, visit);
    detail::list_unfinished(chunk_store(), prefix, visit);
  }
  std::size_t erase_unfinished(std::string_view prefix) const {
    return detail::erase_unfinished(meta_, prefix) + detail::erase_unfinished(chunk_store(), prefix);
  }

 private:
  Meta meta_;
};

}}  // namespace tessera::v0
