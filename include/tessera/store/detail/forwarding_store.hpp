// ForwardingStore: base of stores that wrap another. Only here are optional members forwarded.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/store/concept.hpp>
#include <tessera/store/detail/at_key.hpp>
#include <tessera/store/detail/lend.hpp>
#include <tessera/store/detail/unfinished.hpp>
#include <tessera/store/detail/value_watch.hpp>
#include <tessera/store/detail/write_many.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Which optional members of the wrapped store to forward. Locks of keys, watches and listings always are.
struct Forwarded {
  bool batches = false;  ///< many values at once, in place or by size: get_many, lend, lend_many...
  bool folders = false;  ///< lock_folder, list_own
  bool writes = false;   ///< write, erase; with folders rename, exchange and erase_unfinished
};

/// The wrapped store has the same keys.
struct SamePaths {};

/// `Paths` has `key`, `path`, `shown` and `name`, which map arguments and results; see PrefixStore. Derived stores hide
/// members that they change.
template <class S, Forwarded what, class Paths = SamePaths>
class ForwardingStore {
  static_assert(check_store<S>());
  using Space = space_of<S>;
  static constexpr bool same_paths = std::same_as<Paths, SamePaths>;

 public:
  using buffer_type = buffer_of<S>;
  static constexpr bool versions_only_reads = VersionsOnlyReads<S>;
  static constexpr bool reads_in_turn = what.batches && ReadsInTurn<S>;

  std::string name() const {
    if constexpr (same_paths)
      return name_of(store_);
    else
      return paths_.name(name_of(store_));
  }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination,
                                  queue_for<Space>& on) const {
    return at(key, [&](Key const& inner) { return store_.read(inner, range, destination, on); });
  }
  std::optional<std::uint64_t> size(Key const& key, queue_for<Space>& on) const requires(what.batches) {
    return at(key, [&](Key const& inner) { return tessera::value_size(store_, inner, on); });
  }
  void get_many(std::span<ReadRequest<Space>> requests, queue_for<Space>& on) const
      requires(what.batches&& same_paths) {
    tessera::get_many(store_, requests, on);
  }
  std::optional<Lent<Space>> lend(Key const& key, ByteRange range, queue_for<Space>& on) const
      requires(what.batches&& LendingStore<S>) {
    return at(key, [&](Key const& inner) { return store_.lend(inner, range, on); });
  }
  void lend_many(std::span<LendRequest<Space>> requests, queue_for<Space>& on) const
      requires(what.batches&& same_paths&& HasLendMany<S>) {
    store_.lend_many(requests, on);
  }

  void write(Key const& key, ByteView<Space> value, queue_for<Space>& on) const
      requires(what.writes&& WritableStore<S>) {
    at(key, [&](Key const& inner) { store_.write(inner, value, on); });
  }
  void write_many(std::span<WriteRequest<Space> const> requests, queue_for<Space>& on) const
      requires(what.batches&& what.writes&& same_paths&& HasWriteMany<S>) {
    store_.write_many(requests, on);
  }
  bool append(Key const& key, ByteView<Space> bytes, std::uint64_t size, queue_for<Space>& on) const
      requires(what.batches&& what.writes&& AppendableStore<S>) {
    return at(key, [&](Key const& inner) { return store_.append(inner, bytes, size, on); });
  }
  bool erase(Key const& key, queue_for<Space>& on) const requires(what.writes&& WritableStore<S>) {
    return at(key, [&](Key const& inner) { return store_.erase(inner, on); });
  }
  bool rename(std::string_view from, std::string_view to) const
      requires(what.writes&& what.folders&& requires(S const& store) { store.rename(from, to); }) {
    return store_.rename(path(from), path(to));
  }
  bool exchange(std::string_view one, std::string_view other) const
      requires(what.writes&& what.folders&& requires(S const& store) { store.exchange(one, other); }) {
    return store_.exchange(path(one), path(other));
  }
  std::size_t erase_unfinished(std::string_view prefix) const requires(what.writes&& what.folders&& WritableStore<S>) {
    return detail::erase_unfinished(store_, path(prefix));
  }

  auto lock(Key const& key, Stop stop = nullptr) const requires requires(S const& store) { store.lock(key); }
  { return lock_of(store_, mapped(key), stop); }
  FolderLock lock_folder(std::string_view folder, Sharing sharing, Stop stop = nullptr) const
      requires(what.folders&& requires(S const& store) { store.lock_folder(folder, sharing); }) {
    return detail::lock_folder(store_, path(folder), sharing, stop);
  }
  ValueWatch watch(Key const& key) const requires HasWatch<S> { return store_.watch(mapped(key)); }
  SequenceCounter& changes(Key const& key) const requires requires(S const& store) { store.changes(key); }
  { return store_.changes(mapped(key)); }

  void list(std::string_view prefix, Visitor visit) const requires ListableStore<S> {
    show(visit, [&](Visitor shown) { store_.list(path(prefix), shown); });
  }
  void list_directory(std::string_view prefix, Visitor visit) const requires ListableStore<S> {
    show(visit, [&](Visitor shown) { store_.list_directory(path(prefix), shown); });
  }
  void list_own(std::string_view prefix, Visitor visit) const requires(what.folders&& ListableStore<S>) {
    show(visit, [&](Visitor shown) { detail::list_own(store_, path(prefix), shown); });
  }
  void list_unfinished(std::string_view prefix, Visitor visit) const {
    show(visit, [&](Visitor shown) { detail::list_unfinished(store_, path(prefix), shown); });
  }

 protected:
  explicit ForwardingStore(S store, Paths paths = {}) : store_{std::move(store)}, paths_{std::move(paths)} {}

  S const& behind() const { return store_; }
  Paths const& paths() const { return paths_; }

 private:
  decltype(auto) mapped(Key const& key) const {
    if constexpr (same_paths)
      return (key);
    else
      return paths_.key(key);
  }
  auto path(std::string_view given) const {
    if constexpr (same_paths)
      return given;
    else
      return paths_.path(given);
  }
  // Errors name the caller's key, not the mapped one.
  template <class F>
  auto at(Key const& key, F&& f) const {
    if constexpr (same_paths)
      return f(key);
    else
      return at_key(*this, key, [&] { return f(paths_.key(key)); });
  }
  template <class F>
  void show(Visitor visit, F&& list_into) const {
    if constexpr (same_paths)
      list_into(visit);
    else
      list_into([&](Listed const& entry) { visit(paths_.shown(entry)); });
  }

  S store_;
  Paths paths_;  // without [[no_unique_address]]: see docs/design/limits.md, toolchain facts
};

}}}  // namespace tessera::v0::detail
