// Two stores as one: a rule says which of them has a key.
#pragma once
#include <array>
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

#include <tessera/core/text.hpp>
#include <tessera/store/append.hpp>
#include <tessera/store/folder_lock.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/is_near.hpp>
#include <tessera/store/routed_batch.hpp>
#include <tessera/store/routed_check.hpp>
#include <tessera/store/routed_listing.hpp>
#include <tessera/store/routed_locks.hpp>
#include <tessera/store/routing_rule.hpp>
#include <tessera/store/unfinished.hpp>
#include <tessera/store/watch.hpp>
#include <tessera/store/write_many.hpp>

namespace tessera { inline namespace v0 {

/// A rule (store/routing_rule.hpp, or a function of your own) says of each key whether the first store has it. Both
/// stores hand out the same buffers. A batch is split in two, and each store is asked once. What the rule does not send
/// to a store is hidden there. Documents follow the rule as other keys do: a node needs host buffers.
///
/// Under a SizeRule a write erases the key in the other store, and a value that grows over the border moves as a whole.
/// A reader of this RoutedStore, or of a copy of it, finds the old value or the new one. Another RoutedStore of the
/// same two stores, as in another program, may find none while a value moves to the first store. Requires: they are two
/// stores, not one twice.
template <class First, class Second, class Rule>
class RoutedStore {
  static_assert(detail::check_routed<First, Second, Rule>() || true);  // so that it is asked at once
  using Space = space_of<Second>;
  using Queue = queue_for<Space>;
  using Request = ReadRequest<Space>;
  static constexpr bool apart = std::same_as<Rule, detail::DocumentsApart>;
  static constexpr bool by_size = !apart && SizeRule<Rule>;
  static constexpr bool is_writable = WritableStore<Second> && (apart || WritableStore<First>);
  static constexpr bool appends = AppendableStore<Second> || (!apart && AppendableStore<First>);
  static constexpr bool lends = LendingStore<Second> && (apart || LendingStore<First>);
  static constexpr bool watches = detail::HasWatch<Second> && (apart || detail::HasWatch<First>);
  static constexpr bool has_lock = !apart || detail::HasLock<Second>;
  static constexpr bool has_changes = !apart || requires(Second const& store, Key const& key) { store.changes(key); };
  static constexpr bool has_folder_lock = !apart && (detail::HasFolderLock<First> || detail::HasFolderLock<Second>);

 public:
  using buffer_type = buffer_of<Second>;
  static constexpr bool refused = !detail::check_routed<First, Second, Rule>();  ///< a message was given
  static constexpr bool reads_in_turn = ReadsInTurn<Second> && (apart || ReadsInTurn<First>);

  RoutedStore(First first, Second second, Rule rule)
      : first_{std::move(first)}, second_{std::move(second)}, rule_{std::move(rule)} {
    if constexpr (!apart) state_ = std::make_shared<State>();
  }

  First const& first() const { return first_; }
  Second const& second() const { return second_; }
  Rule const& rule() const { return rule_; }

  std::string name() const {
    if constexpr (apart)
      return name_of(second_);
    else
      return text({name_of(first_), " and ", name_of(second_)});
  }
  bool is_near() const { return detail::is_near(second_) && (apart || detail::is_near(first_)); }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination, Queue& on) const {
    return find(key, [&](auto const& store) { return store.read(key, range, destination, on); });
  }
  std::optional<std::uint64_t> size(Key const& key, Queue& on) const {
    return find(key, [&](auto const& store) { return tessera::size(store, key, on); });
  }
  std::optional<Lent<Space>> lend(Key const& key, ByteRange range, Queue& on) const requires lends {
    return find(key, [&](auto const& store) { return store.lend(key, range, on); });
  }
  void get_many(std::span<Request> requests, Queue& on) const {
    if constexpr (apart) {
      tessera::get_many(second_, requests, on);
    } else {
      auto const batch = on.host().template lease<detail::RoutedBatch<Request>>();
      if constexpr (by_size) {
        auto const before = state_->sequences();
        tessera::get_many(first_, requests, on);
        batch->split(requests, [](Request const& request) { return request.size.has_value(); });
        batch->second([&](std::span<Request> missing) { tessera::get_many(second_, missing, on); });
        batch->answer(requests);
        batch->split(requests, [&](Request const& request) {
          auto const number = KeyLocks::number(*request.key);
          return request.size || state_->moves[number].none_since(before[number]);
        });
        batch->second([&](std::span<Request> missing) { get_many(missing, on); });
      } else {
        batch->split(requests, [&](Request const& request) { return rule_(*request.key); });
        batch->first([&](std::span<Request> part) { tessera::get_many(first_, part, on); });
        batch->second([&](std::span<Request> part) { tessera::get_many(second_, part, on); });
      }
      batch->answer(requests);
    }
  }

  void write(Key const& key, ByteView<Space> value, Queue& on) const requires is_writable {
    if constexpr (by_size) {
      auto const lock = state_->locks.lock_unless_held(first_, second_, key);
      if (rule_(key, value.size)) {
        first_.write(key, value, on);
        state_->moves_of(key).during([&] { second_.erase(key, on); });
      } else {
        second_.write(key, value, on);
        state_->moves_of(key).during([&] { first_.erase(key, on); });
      }
    } else {
      at(key, [&](auto const& store) { store.write(key, value, on); });
    }
  }
  void write_many(std::span<WriteRequest<Space> const> requests, Queue& on) const
      requires(is_writable && !by_size && (!apart || detail::HasWriteMany<Second>)) {
    if constexpr (apart) {
      second_.write_many(requests, on);
    } else {
      auto const batch = on.host().template lease<detail::RoutedBatch<WriteRequest<Space>>>();
      batch->split(requests, [&](auto const& request) { return rule_(*request.key); });
      auto& locks = state_->locks.keys;
      batch->first([&](std::span<WriteRequest<Space> const> part) { tessera::write_many(first_, part, on, locks); });
      batch->second([&](std::span<WriteRequest<Space> const> part) { tessera::write_many(second_, part, on, locks); });
    }
  }
  /// False, too, if the store that has the key cannot append.
  bool append(Key const& key, ByteView<Space> bytes, std::uint64_t size, Queue& on) const
      requires(is_writable&& appends) {
    auto const append_to = [&](auto const& store) {
      if constexpr (AppendableStore<std::remove_cvref_t<decltype(store)>>)
        return store.append(key, bytes, size, on);
      else
        return false;
    };
    if constexpr (by_size) {
      bool const is_first = rule_(key, size);
      if (rule_(key, size + bytes.size) != is_first) return false;  // it moves
      return is_first ? append_to(first_) : append_to(second_);
    } else {
      return at(key, append_to);
    }
  }
  bool erase(Key const& key, Queue& on) const requires is_writable {
    if constexpr (by_size) {
      auto const lock = state_->locks.lock_unless_held(first_, second_, key);
      bool const was_second = second_.erase(key, on);  // which the first one's hides
      return first_.erase(key, on) || was_second;
    } else {
      return at(key, [&](auto const& store) { return store.erase(key, on); });
    }
  }

  auto lock(Key const& key) const requires has_lock {
    if constexpr (apart)
      return second_.lock(key);
    else if constexpr (by_size)
      return state_->locks.lock(first_, second_, key);
    else
      return at(key, [&](auto const& store) -> KeyLock { return detail::lock_of(store, key, state_->locks.keys); });
  }
  /// Of the store that has the folder's document; under a SizeRule, of the first one that has such locks.
  FolderLock lock_folder(std::string_view folder, Sharing sharing) const requires has_folder_lock {
    if constexpr (!by_size)
      return at(folder / "zarr.json", [&](auto const& store) { return detail::lock_folder(store, folder, sharing); });
    else if constexpr (detail::HasFolderLock<First>)
      return first_.lock_folder(folder, sharing);
    else
      return second_.lock_folder(folder, sharing);
  }
  ValueWatch watch(Key const& key) const requires watches {
    if constexpr (by_size) {
      for (;;) {
        auto const before = state_->moves_of(key).sequence();
        if (auto seen = first_.watch(key); seen.version().is_there) return seen;
        auto seen = second_.watch(key);
        if (seen.version().is_there || state_->moves_of(key).none_since(before)) return seen;
      }
    } else {
      return at(key, [&](auto const& store) { return store.watch(key); });
    }
  }
  SequenceCounter& changes(Key const& key) const requires has_changes {
    if constexpr (apart)
      return second_.changes(key);
    else if constexpr (by_size)
      return state_->locks.keys.changes(key);
    else
      return at(key, [&](auto const& store) -> SequenceCounter& {
        return detail::changes_of(store, key, state_->locks.keys);
      });
  }

  bool can_list() const { return detail::can_list(first_) && detail::can_list(second_); }
  bool has_folder(std::string_view path) const requires(!apart) {
    return detail::has_folder(first_, path) || detail::has_folder(second_, path);
  }
  /// Of a SplitStore both halves as they are: a key that is in both is visited twice.
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
  struct State {
    detail::RoutedLocks locks;
    // From one store to the other, of some keys each: who found a value in neither looks again. One counter of all keys
    // would have him look again for as long as anything is written.
    std::array<SequenceCounter, KeyLocks::count> moves;

    SequenceCounter& moves_of(Key const& key) { return moves[KeyLocks::number(key)]; }
    std::array<std::uint64_t, KeyLocks::count> sequences() const {
      std::array<std::uint64_t, KeyLocks::count> result;
      for (std::size_t i = 0; i < moves.size(); ++i) result[i] = moves[i].sequence();
      return result;
    }
  };

  // f(the store that has the key).
  template <class F>
  decltype(auto) at([[maybe_unused]] Key const& key, F&& f) const {
    if constexpr (!apart)
      if (rule_(key)) return f(first_);
    return f(second_);
  }
  // What f finds in a store.
  template <class F>
  auto find(Key const& key, F&& f) const {
    if constexpr (by_size) {
      for (;;) {
        auto const before = state_->moves_of(key).sequence();
        if (auto found = f(first_)) return found;
        auto found = f(second_);
        if (found || state_->moves_of(key).none_since(before)) return found;
      }
    } else {
      return at(key, f);
    }
  }
  template <class List>
  void list_both(Visitor visit, List&& list) const {
    if constexpr (apart) {
      list(first_, visit);
      list(second_, visit);
    } else {
      detail::RoutedListing listing{visit};
      auto const is_first = [&]([[maybe_unused]] Listed const& entry) {
        if constexpr (by_size)
          return true;
        else
          return static_cast<bool>(rule_(Key{std::string{entry.path}}));
      };
      list(first_, [&](Listed const& entry) { listing.show_first(entry, is_first, by_size); });
      list(second_, [&](Listed const& entry) { listing.show_second(entry, is_first, by_size); });
    }
  }

  First first_;
  Second second_;
  [[no_unique_address]] Rule rule_;
  std::shared_ptr<State> state_;
};

}}  // namespace tessera::v0
