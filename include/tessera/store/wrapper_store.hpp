// Stores around another store. WrapperStore: base of stores that count, check, log or change its values. ReadOnlyStore:
// a store without its writing members; a write does not compile. PrefixStore: the keys below a folder of a store, as a
// store.
#pragma once
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/store/concept.hpp>
#include <tessera/store/detail/at_key.hpp>
#include <tessera/store/detail/forwarding_store.hpp>
#include <tessera/store/detail/lend.hpp>
#include <tessera/store/detail/write_many.hpp>
#include <tessera/store/get.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

template <class S>
consteval bool check_wrapped() {
  constexpr bool is_one = !requires(S const& store) { store.metadata_store(); };
  static_assert(is_one,
                "tessera: a WrapperStore wraps one store, and a SplitStore is two: wrap each half, "
                "SplitStore{WrapperStore{documents}, WrapperStore{chunks}}");
  return is_one;
}

}  // namespace detail

/// A derived class hides the members that it changes:
///
///   struct LoggedStore : WrapperStore<LocalStore<HostBuffer>> {
///     using WrapperStore::WrapperStore;
///     void write(Key const& key, ByteView<space::Host> value, Queue<space::Host>& on) const {
///       std::clog << key.path << '\n';
///       source().write(key, value, on);
///     }
///   };
///
/// Every read calls `read` and every write calls `write`, because members of `S` for many values, for appending and for
/// lending are hidden. Locks are those of `S`. Copies of this store share what copies of `S` share.
template <class S>
class WrapperStore : public detail::ForwardingStore<S, detail::Forwarded{.folders = true, .writes = true}> {
  static_assert(detail::check_wrapped<S>() || true);
  using Base = detail::ForwardingStore<S, detail::Forwarded{.folders = true, .writes = true}>;

 public:
  explicit WrapperStore(S store) : Base{std::move(store)} {}

  S const& source() const { return this->behind(); }
  bool has_folder(std::string_view path) const requires requires(S const& store) { store.has_folder(path); }
  { return source().has_folder(path); }
};

/// The store `S` without its writing members. If `S` is a SplitStore, this has a `metadata_store()` too. Other programs
/// may still write; a reader can lock a key to wait for them.
template <class S>
class ReadOnlyStore : public detail::ForwardingStore<S, detail::Forwarded{.batches = true}> {
  using Base = detail::ForwardingStore<S, detail::Forwarded{.batches = true}>;
  using Documents = typename detail::metadata_half<tessera::ReadOnlyStore, S>::type;
  static constexpr bool has_documents = !std::same_as<Documents, detail::NoHalf>;

 public:
  explicit ReadOnlyStore(S store)
      : Base{std::move(store)}, documents_{detail::make_metadata_half<tessera::ReadOnlyStore>(source())} {}

  S const& source() const { return this->behind(); }
  auto const& metadata_store() const requires has_documents { return documents_; }
  bool has_folder(std::string_view path) const { return detail::has_folder(source(), path); }

 private:
  [[no_unique_address]] Documents documents_;
};

namespace detail {

/// Keys and paths are below a folder of the wrapped store; "" is its root.
struct PathsBelow {
  std::string folder;

  std::string name(std::string const& store) const { return folder.empty() ? store : store + '/' + folder; }
  Key key(Key const& key) const { return folder / key.path; }
  std::string path(std::string_view path) const { return path.empty() ? folder : (folder / path).path; }
  Listed shown(Listed entry) const;
};

}  // namespace detail

/// Shows the keys below a folder of `S`, as if this folder were the root. If `S` is a SplitStore, this has a
/// `metadata_store()` too.
template <class S>
class PrefixStore
    : public detail::ForwardingStore<S, detail::Forwarded{.batches = true, .folders = true, .writes = true},
                                     detail::PathsBelow> {
  using Base = detail::ForwardingStore<S, detail::Forwarded{.batches = true, .folders = true, .writes = true},
                                       detail::PathsBelow>;
  using Space = space_of<S>;
  using Documents = typename detail::metadata_half<tessera::PrefixStore, S>::type;
  static constexpr bool has_documents = !std::same_as<Documents, detail::NoHalf>;

 public:
  PrefixStore(S store, std::string folder)
      : Base{std::move(store), detail::PathsBelow{std::move(folder)}},
        documents_{detail::make_metadata_half<tessera::PrefixStore>(source(), this->folder())} {
    if (!this->folder().empty()) check_key(Key{this->folder()});
  }

  S const& source() const { return this->behind(); }
  std::string const& folder() const { return this->paths().folder; }
  /// The store of documents, if `S` is a SplitStore.
  auto const& metadata_store() const requires has_documents { return documents_; }
  bool has_folder(std::string_view path) const { return detail::has_folder(source(), this->paths().path(path)); }

  void get_many(std::span<ReadRequest<Space>> requests, queue_for<Space>& on) const {
    auto const inner = on.host().template lease<Inner<ReadRequest<Space>>>();
    set_keys(*inner, requests);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      inner->requests.push_back(requests[i]);
      inner->requests.back().key = &inner->keys[i];
    }
    tessera::get_many(source(), std::span{inner->requests}, on);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      requests[i].size = inner->requests[i].size;
      requests[i].is_of_watch = inner->requests[i].is_of_watch;
    }
  }
  void lend_many(std::span<LendRequest<Space>> requests, queue_for<Space>& on) const requires detail::HasLendMany<S> {
    Inner<LendRequest<Space>> inner;  // not a queue's: after an error it would keep lent values
    set_keys(inner, requests);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      inner.requests.push_back(requests[i]);
      inner.requests.back().key = &inner.keys[i];
    }
    source().lend_many(inner.requests, on);
    for (std::size_t i = 0; i < requests.size(); ++i) requests[i].lent = std::move(inner.requests[i].lent);
  }
  void write_many(std::span<WriteRequest<Space> const> requests,
                  queue_for<Space>& on) const requires detail::HasWriteMany<S> {
    auto const inner = on.host().template lease<Inner<WriteRequest<Space>>>();
    set_keys(*inner, requests);
    for (std::size_t i = 0; i < requests.size(); ++i)
      inner->requests.push_back({&inner->keys[i], requests[i].value, requests[i].slab, requests[i].stop});
    source().write_many(inner->requests, on);
  }

 private:
  // The queue keeps those of get_many and write_many.
  template <class Request>
  struct Inner {
    std::vector<Key> keys;
    std::vector<Request> requests;
  };
  template <class Request, class Requests>
  void set_keys(Inner<Request>& inner, Requests const& requests) const {
    inner.requests.clear();
    if (inner.keys.size() < requests.size()) inner.keys.resize(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) {
      auto& path = inner.keys[i].path;
      detail::at_key(*this, *requests[i].key, [&] { path = folder(); });
      if (!path.empty()) path += '/';
      path += requests[i].key->path;
    }
  }

  [[no_unique_address]] Documents documents_;
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/wrapper_store.ipp>
#endif
