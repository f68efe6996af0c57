// A part of another store, as a store of its own.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/store/append.hpp>
#include <tessera/store/at_key.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/key_lock.hpp>
#include <tessera/store/lend.hpp>
#include <tessera/store/unfinished.hpp>
#include <tessera/store/watch.hpp>
#include <tessera/store/write_many.hpp>

namespace tessera { inline namespace v0 {

/// Shows the keys below a folder of `S` as if the folder were the root. Over a SplitStore it is one, too.
template <class S>
class PrefixStore {
  static_assert(detail::check_store<S>());
  using Space = space_of<S>;
  using Documents = typename detail::metadata_half<tessera::PrefixStore, S>::type;
  static constexpr bool has_documents = !std::same_as<Documents, detail::NoHalf>;

 public:
  using buffer_type = buffer_of<S>;
  static constexpr bool reads_in_turn = ReadsInTurn<S>;

  PrefixStore(S store, std::string folder)
      : store_{std::move(store)},
        folder_{std::move(folder)},
        documents_{detail::make_metadata_half<tessera::PrefixStore>(store_, folder_)} {
    if (!folder_.empty()) check(Key{folder_});
  }

  S const& source() const { return store_; }
  std::string const& folder() const { return folder_; }
  auto const& metadata_store() const requires has_documents { return documents_; }
  std::string name() const { return folder_.empty() ? name_of(store_) : name_of(store_) + '/' + folder_; }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination,
                                  queue_for<Space>& on) const {
    return below(key, [&](Key const& inner) { return store_.read(inner, range, destination, on); });
  }
  std::optional<std::uint64_t> size(Key const& key, queue_for<Space>& on) const {
    return below(key, [&](Key const& inner) { return tessera::size(store_, inner, on); });
  }
  void get_many(std::span<ReadRequest<Space>> requests, queue_for<Space>& on) const {
    auto const inner = on.host().template lease<Inner<ReadRequest<Space>>>();
    set_keys(*inner, requests);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      inner->requests.push_back(requests[i]);
      inner->requests.back().key = &inner->keys[i];
    }
    tessera::get_many(store_, std::span{inner->requests}, on);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      requests[i].size = inner->requests[i].size;
      requests[i].is_of_watch = inner->requests[i].is_of_watch;
    }
  }
  std::optional<Lent<Space>> lend(Key const& key, ByteRange range,
                                  queue_for<Space>& on) const requires LendingStore<S> {
    return below(key, [&](Key const& inner) { return store_.lend(inner, range, on); });
  }
  void write(Key const& key, ByteView<Space> value, queue_for<Space>& on) const requires WritableStore<S> {
    below(key, [&](Key const& inner) { store_.write(inner, value, on); });
  }
  void write_many(std::span<WriteRequest<Space> const> requests,
                  queue_for<Space>& on) const requires detail::HasWriteMany<S> {
    auto const inner = on.host().template lease<Inner<WriteRequest<Space>>>();
    set_keys(*inner, requests);
    for (std::size_t i = 0; i < requests.size(); ++i)
      inner->requests.push_back({&inner->keys[i], requests[i].value, requests[i].slab});
    store_.write_many(inner->requests, on);
  }
  bool append(Key const& key, ByteView<Space> bytes, std::uint64_t size,
              queue_for<Space>& on) const requires AppendableStore<S> {
    return below(key, [&](Key const& inner) { return store_.append(inner, bytes, size, on); });
  }
  bool erase(Key const& key, queue_for<Space>& on) const requires WritableStore<S> {
    return below(key, [&](Key const& inner) { return store_.erase(inner, on); });
  }
  bool rename(std::string_view from, std::string_view to) const requires requires(S const& store) {
    store.rename(from, to);
  }
  { return store_.rename(inside(from), inside(to)); }
  bool exchange(std::string_view one, std::string_view other) const requires requires(S const& store) {
    store.exchange(one, other);
  }
  { return store_.exchange(inside(one), inside(other)); }
  auto lock(Key const& key) const requires requires(S const& store) { store.lock(key); }
  { return store_.lock(folder_ / key.path); }
  FolderLock lock_folder(std::string_view path, Sharing sharing) const requires requires(S const& store) {
    store.lock_folder(path, sharing);
  }
  { return store_.lock_folder(inside(path), sharing); }
  ValueWatch watch(Key const& key) const requires detail::HasWatch<S> { return store_.watch(folder_ / key.path); }
  SequenceCounter& changes(Key const& key) const requires requires(S const& store) { store.changes(key); }
  { return store_.changes(folder_ / key.path); }

  bool has_folder(std::string_view path) const { return detail::has_folder(store_, inside(path)); }
  void list(std::string_view prefix, Visitor visit) const requires ListableStore<S> {
    store_.list(inside(prefix), [&](Listed const& entry) { visit(shown(entry)); });
  }
  void list_directory(std::string_view prefix, Visitor visit) const requires ListableStore<S> {
    store_.list_directory(inside(prefix), [&](Listed const& entry) { visit(shown(entry)); });
  }
  void list_own(std::string_view prefix, Visitor visit) const requires ListableStore<S> {
    detail::list_own(store_, inside(prefix), [&](Listed const& entry) { visit(shown(entry)); });
  }
  void list_unfinished(std::string_view prefix, Visitor visit) const {
    detail::list_unfinished(store_, inside(prefix), [&](Listed const& entry) { visit(shown(entry)); });
  }
  std::size_t erase_unfinished(std::string_view prefix) const requires WritableStore<S> {
    return detail::erase_unfinished(store_, inside(prefix));
  }

 private:
  // The lists of a get_many and a write_many, kept by the queue.
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
      detail::at_key(*this, *requests[i].key, [&] { path = folder_; });
      if (!path.empty()) path += '/';
      path += requests[i].key->path;
    }
  }

  template <class F>
  auto below(Key const& key, F&& f) const {
    return detail::at_key(*this, key, [&] { return f(folder_ / key.path); });
  }
  std::string inside(std::string_view prefix) const { return prefix.empty() ? folder_ : (folder_ / prefix).path; }
  Listed shown(Listed entry) const {
    if (!folder_.empty()) entry.path.remove_prefix(std::min(folder_.size() + 1, entry.path.size()));
    return entry;
  }

  S store_;
  std::string folder_;
  [[no_unique_address]] Documents documents_;
};

}}  // namespace tessera::v0
