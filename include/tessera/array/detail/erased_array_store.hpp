// ErasedArrayStore: a store for writes to an open array: its chunks, its document and its keys.
#pragma once
#include <string>
#include <string_view>
#include <type_traits>

#include <tessera/array/detail/shared_array.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/value.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/erased_store.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <MemorySpace S>
class ErasedArrayStore : public ErasedWritableStore<S> {
 public:
  using ErasedWritableStore<S>::ErasedWritableStore;
  virtual bool locks_folders() const = 0;
  virtual FolderLock lock_folder(std::string_view path, Sharing sharing, Stop stop) const = 0;
  virtual void read_shape(SharedArray& array) const = 0;
  virtual Members document_members(std::string const& path) const = 0;
  virtual void change_document(std::string const& path, std::string_view member, FunctionRef<void(Members&)> change,
                               Stop stop) const = 0;
  virtual bool can_list() const = 0;
  virtual void list(std::string_view prefix, Visitor visit) const = 0;  ///< keys of chunks
};

/// Requires: both arguments outlive this. `locks` are used if the store has none.
template <class S>
class ErasedArrayStoreOf final : public ErasedWritableStoreOf<S, ErasedArrayStore<space_of<S>>> {
  using Base = ErasedWritableStoreOf<S, ErasedArrayStore<space_of<S>>>;
  using Documents = std::remove_cvref_t<decltype(metadata_of(std::declval<S const&>()))>;
  using Chunks = std::remove_cvref_t<decltype(chunks_of(std::declval<S const&>()))>;

 public:
  using Base::Base;

  bool locks_folders() const override {
    return requires(Documents const& documents, std::string const& path) {
      documents.lock_folder(path, Sharing::shared);
    };
  }
  FolderLock lock_folder(std::string_view path, Sharing sharing, Stop stop) const override {
    return detail::lock_folder(metadata_of(this->store_), path, sharing, stop);
  }
  void read_shape(SharedArray& array) const override { array.read_shape(metadata_of(this->store_)); }
  Members document_members(std::string const& path) const override {
    return detail::document_members(metadata_of(this->store_), path);
  }
  void change_document([[maybe_unused]] std::string const& path, [[maybe_unused]] std::string_view member,
                       [[maybe_unused]] FunctionRef<void(Members&)> change,
                       [[maybe_unused]] Stop stop) const override {
    if constexpr (WritableStore<Documents>)
      detail::change_document(this->store_, path, member, change, stop);
    else
      this->refuse(document_key(path), "this store cannot be written");
  }
  bool can_list() const override {
    if constexpr (ListableStore<Chunks>)
      return detail::can_list(chunks_of(this->store_));
    else
      return false;
  }
  void list(std::string_view prefix, [[maybe_unused]] Visitor visit) const override {
    if constexpr (ListableStore<Chunks>)
      chunks_of(this->store_).list(prefix, visit);
    else
      this->refuse(Key{std::string{prefix}}, "this store cannot be listed");
  }
};

}}}  // namespace tessera::v0::detail
