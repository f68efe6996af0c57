// A store that does what another does, to be derived from: for a store that counts, checks, logs or changes values.
#pragma once
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/store/concept.hpp>
#include <tessera/store/folder_lock.hpp>
#include <tessera/store/key_lock.hpp>
#include <tessera/store/unfinished.hpp>
#include <tessera/store/watch.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

template <class S>
consteval bool check_wrapped() {
  constexpr bool is_one = !requires(S const& store) { store.metadata_store(); };
  static_assert(is_one,
                "tessera: a WrapperStore is around one store, and a SplitStore is two: put one around each half, "
                "SplitStore{WrapperStore{documents}, WrapperStore{chunks}}");
  return is_one;
}

}  // namespace detail

/// A class derived from it is a store that hides what it does otherwise:
///
///   struct LoggedStore : WrapperStore<LocalStore<HostBuffer>> {
///     using WrapperStore::WrapperStore;
///     void write(Key const& key, ByteView<space::Host> value, Queue<space::Host>& on) const {
///       std::clog << key.path << '\n';
///       source().write(key, value, on);
///     }
///   };
///
/// Every value that is read passes through `read`, every one that is written through `write`: what `S` has to read or
/// write many at once, in place or without a copy is not shown. Locks are those of `S`. Copies share what `S` shares.
template <class S>
class WrapperStore {
  static_assert(detail::check_store<S>() && (detail::check_wrapped<S>() || true));
  using Space = space_of<S>;

 public:
  using buffer_type = buffer_of<S>;

  explicit WrapperStore(S store) : store_{std::move(store)} {}

  S const& source() const { return store_; }
  std::string name() const { return name_of(store_); }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination,
                                  queue_for<Space>& on) const {
    return store_.read(key, range, destination, on);
  }
  void write(Key const& key, ByteView<Space> value, queue_for<Space>& on) const requires WritableStore<S> {
    store_.write(key, value, on);
  }
  bool erase(Key const& key, queue_for<Space>& on) const requires WritableStore<S> { return store_.erase(key, on); }
  bool rename(std::string_view from, std::string_view to) const requires requires(S const& store) {
    store.rename(from, to);
  }
  { return store_.rename(from, to); }
  bool exchange(std::string_view one, std::string_view other) const requires requires(S const& store) {
    store.exchange(one, other);
  }
  { return store_.exchange(one, other); }

  auto lock(Key const& key) const requires requires(S const& store) { store.lock(key); }
  { return store_.lock(key); }
  FolderLock lock_folder(std::string_view path, Sharing sharing) const requires requires(S const& store) {
    store.lock_folder(path, sharing);
  }
  { return store_.lock_folder(path, sharing); }
  ValueWatch watch(Key const& key) const requires detail::HasWatch<S> { return store_.watch(key); }
  SequenceCounter& changes(Key const& key) const requires requires(S const& store) { store.changes(key); }
  { return store_.changes(key); }

  void list(std::string_view prefix, Visitor visit) const requires ListableStore<S> { store_.list(prefix, visit); }
  void list_directory(std::string_view prefix, Visitor visit) const requires ListableStore<S> {
    store_.list_directory(prefix, visit);
  }
  void list_own(std::string_view prefix, Visitor visit) const requires ListableStore<S> {
    detail::list_own(store_, prefix, visit);
  }
  void list_unfinished(std::string_view prefix, Visitor visit) const { detail::list_unfinished(store_, prefix, visit); }
  std::size_t erase_unfinished(std::string_view prefix) const requires WritableStore<S> {
    return detail::erase_unfinished(store_, prefix);
  }
  bool has_folder(std::string_view path) const requires requires(S const& store) { store.has_folder(path); }
  { return store_.has_folder(path); }

 private:
  S store_;
};

}}  // namespace tessera::v0
