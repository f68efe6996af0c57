// RoutedStore: two stores as one. A rule says which of them has a key.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tessera/core/error.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/is_near.hpp>
#include <tessera/store/detail/lend.hpp>
#include <tessera/store/detail/routed_batch.hpp>
#include <tessera/store/detail/routed_check.hpp>
#include <tessera/store/detail/routing_rule.hpp>  // IWYU pragma: export
#include <tessera/store/detail/unfinished.hpp>
#include <tessera/store/detail/value_watch.hpp>
#include <tessera/store/detail/write_many.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 {

/// A rule (KeysBelow, ChunksWhere, or a function of your own) says of each key whether the first store has it. Both
/// stores must have the same type of buffers. A batch becomes one call of each store. Keys of a store that the rule
/// assigns to the other store are hidden. The rule also applies to documents, which need a store of host buffers.
/// Requires: two different stores.
template <class First, class Second, class Rule>
class RoutedStore {
  static_assert(detail::check_routed<First, Second, Rule>() || true);  // so that it is asked at once
  using Space = space_of<Second>;
  using Queue = queue_for<Space>;
  using Request = ReadRequest<Space>;
  static constexpr bool apart = std::same_as<Rule, detail::DocumentsApart>;
  static constexpr bool is_writable = WritableStore<Second> && (apart || WritableStore<First>);
  static constexpr bool appends = AppendableStore<Second> || (!apart && AppendableStore<First>);
  static constexpr bool lends = LendingStore<Second> && (apart || LendingStore<First>);
  static constexpr bool lends_many = lends && (detail::HasLendMany<Second> || (!apart && detail::HasLendMany<First>));
  static constexpr bool watches = detail::HasWatch<Second> && (apart || detail::HasWatch<First>);
  static constexpr bool has_lock = !apart || detail::HasLock<Second>;
  static constexpr bool has_changes = !apart || requires(Second const& store, Key const& key) { store.changes(key); };
  static constexpr bool has_folder_lock = !apart && (detail::HasFolderLock<First> || detail::HasFolderLock<Second>);

 public:
  using buffer_type = buffer_of<Second>;
  static constexpr bool refused = !detail::check_routed<First, Second, Rule>();  ///< whether a static_assert has failed
  /// As ReadsInTurn says.
  static constexpr bool reads_in_turn = ReadsInTurn<Second> && (apart || ReadsInTurn<First>);

  RoutedStore(First first, Second second, Rule choice)  // `rule` would shadow the member: g++ says so of a function
      : first_{std::move(first)}, second_{std::move(second)}, rule_{std::move(choice)} {
    if constexpr (!apart) own_ = std::make_shared<Own>();
  }

  First const& first() const { return first_; }
  Second const& second() const { return second_; }
  Rule const& rule() const { return rule_; }

  std::string name() const {
    if constexpr (apart)
      return name_of(second_);
    else
      return to_text({name_of(first_), " and ", name_of(second_)});
  }
  bool is_near() const { return detail::is_near(second_) && (apart || detail::is_near(first_)); }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination, Queue& on) const {
    return at(key, [&](auto const& store) { return store.read(key, range, destination, on); });
  }
  std::optional<std::uint64_t> size(Key const& key, Queue& on) const {
    return at(key, [&](auto const& store) { return tessera::value_size(store, key, on); });
  }
  std::optional<Lent<Space>> lend(Key const& key, ByteRange range, Queue& on) const requires lends {
    return at(key, [&](auto const& store) { return store.lend(key, range, on); });
  }
  void get_many(std::span<Request> requests, Queue& on) const {
    each_part(*on.host().template lease<detail::RoutedBatch<Request>>(), requests,
              [&](auto const& store, std::span<Request> part) { tessera::get_many(store, part, on); });
  }
  void lend_many(std::span<LendRequest<Space>> requests, Queue& on) const requires lends_many {
    detail::RoutedBatch<LendRequest<Space>> batch;  // no queue keeps it: after an error it has what was lent
    each_part(batch, requests, [&](auto const& store, auto part) { tessera::lend_many(store, part, on); });
  }

  void write(Key const& key, ByteView<Space> value, Queue& on) const requires is_writable {
    at(key, [&](auto const& store) { store.write(key, value, on); });
  }
  void write_many(std::span<WriteRequest<Space> const> requests, Queue& on) const
      requires(is_writable && (!apart || detail::HasWriteMany<Second>)) {
    if constexpr (apart) {
      second_.write_many(requests, on);
    } else {
      auto const batch = on.host().template lease<detail::RoutedBatch<WriteRequest<Space>>>();
      batch->split(requests, [&](auto const& request) { return rule_(*request.key); });
      auto& locks = own_->locks;
      batch->first([&](std::span<WriteRequest<Space> const> part) { tessera::write_many(first_, part, on, locks); });
      batch->second([&](std::span<WriteRequest<Space> const> part) { tessera::write_many(second_, part, on, locks); });
    }
  }
  /// False, too, if the store that has the key cannot append.
  bool append(Key const& key, ByteView<Space> bytes, std::uint64_t size, Queue& on) const
      requires(is_writable&& appends) {
    return at(key, [&](auto const& store) {
      if constexpr (AppendableStore<std::remove_cvref_t<decltype(store)>>)
        return store.append(key, bytes, size, on);
      else
        return false;
    });
  }
  bool erase(Key const& key, Queue& on) const requires is_writable {
    return at(key, [&](auto const& store) { return store.erase(key, on); });
  }

  auto lock(Key const& key, Stop stop = nullptr) const requires has_lock {
    if constexpr (apart)
      return detail::lock_of(second_, key, stop);
    else
      return at(key, [&](auto const& store) -> KeyLock { return detail::lock_of(store, key, own_->locks, stop); });
  }
  /// The lock of the store that has the folder's document.
  FolderLock lock_folder(std::string_view folder, Sharing sharing, Stop stop = nullptr) const requires has_folder_lock {
    return at(folder / "zarr.json",
              [&](auto const& store) { return detail::lock_folder(store, folder, sharing, stop); });
  }
  ValueWatch watch(Key const& key) const requires watches {
    return at(key, [&](auto const& store) { return store.watch(key); });
  }
  SequenceCounter& changes(Key const& key) const requires has_changes {
    if constexpr (apart)
      return second_.changes(key);
    else
      return at(key,
                [&](auto const& store) -> SequenceCounter& { return detail::changes_of(store, key, own_->locks); });
  }

  bool can_list() const { return detail::can_list(first_) && detail::can_list(second_); }
  bool has_folder(std::string_view path) const requires(!apart) {
    return detail::has_folder(first_, path) || detail::has_folder(second_, path);
  }
  /// For a SplitStore, visits both stores: a key that is in both is visited twice.
  void list(std::string_view prefix, Visitor visit) const requires ListableStore<First> && ListableStore<Second> {
    list_both(visit, [&](auto const& store, Visitor shown) { store.list(prefix, shown); });
  }
  void list_directory(std::string_view prefix,
                      Visitor visit) const requires ListableStore<First> && ListableStore<Second> {
    list_both(visit, [&](auto const& store, Visitor shown) { store.list_directory(prefix, shown); });
  }
  void list_own(std::string_view prefix, Visitor visit) const
      requires(!apart && ListableStore<First> && ListableStore<Second>) {
    list_both(visit, [&](auto const& store, Visitor shown) { detail::list_own(store, prefix, shown); });
  }
  void list_unfinished(std::string_view prefix, Visitor visit) const {
    detail::list_unfinished(first_, prefix, visit);
    detail::list_unfinished(second_, prefix, visit);
  }
  std::size_t erase_unfinished(std::string_view prefix) const {
    return detail::erase_unfinished(first_, prefix) + detail::erase_unfinished(second_, prefix);
  }

 private:
  struct Own {
    KeyLocks locks;  // of keys whose store has none
  };

  // f(the store that has the key).
  template <class F>
  decltype(auto) at([[maybe_unused]] Key const& key, F&& f) const {
    if constexpr (!apart)
      if (rule_(key)) return f(first_);
    return f(second_);
  }
  // f(a store, the requests for its keys).
  template <class R, class F>
  void each_part(detail::RoutedBatch<R>& batch, std::span<R> requests, F&& f) const {
    if constexpr (apart) {
      f(second_, requests);
    } else {
      batch.split(requests, [&](R const& request) { return rule_(*request.key); });
      batch.first([&](std::span<R> part) { f(first_, part); });
      batch.second([&](std::span<R> part) { f(second_, part); });
      batch.answer(requests);
    }
  }
  template <class List>
  void list_both(Visitor visit, List&& list) const {
    if constexpr (apart) {
      list(first_, visit);
      list(second_, visit);
    } else {
      detail::RoutedListing listing{visit};
      auto const is_first = [&](Listed const& entry) -> bool { return rule_(Key{std::string{entry.path}}); };
      list(first_, [&](Listed const& entry) { listing.show_first(entry, is_first); });
      list(second_, [&](Listed const& entry) { listing.show_second(entry, is_first); });
    }
  }

  First first_;
  Second second_;
  [[no_unique_address]] Rule rule_;
  std::shared_ptr<Own> own_;
};

}}  // namespace tessera::v0
