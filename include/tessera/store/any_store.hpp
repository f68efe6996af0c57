// AnyStore: a store chosen at run time. Only the memory space of its buffers stays in the type.
#pragma once
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tessera/store/concept.hpp>
#include <tessera/store/detail/erased_store.hpp>
#include <tessera/store/detail/unfinished.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 {

/// Holds any store whose buffers have type B; copies share it. Operations that this store lacks (write, list) throw
/// StoreError.
template <Buffer B>
class AnyStore {
  using Space = typename B::space_type;
  using Queue = queue_for<Space>;

 public:
  using buffer_type = B;

  template <class S>
  requires(!std::same_as<std::remove_cvref_t<S>, AnyStore>) AnyStore(S store) {
    if constexpr (detail::check_store<S>()) {
      static_assert(std::same_as<buffer_of<S>, B>,
                    "tessera: an AnyStore holds stores of its own buffer type; put a CastStore around this one");
      static_assert(!is_split<S>,
                    "tessera: an AnyStore cannot hold a SplitStore; hold each half in one: SplitStore{AnyStore<"
                    "HostBuffer>{documents}, AnyStore<B>{chunks}}");
      if constexpr (std::same_as<buffer_of<S>, B> && !is_split<S>)
        held_ = std::make_shared<Holder<S> const>(std::move(store));
    }
  }

  std::string name() const { return held_->name(); }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination, Queue& on) const {
    return held_->read(key, range, destination, on);
  }
  std::optional<std::uint64_t> size(Key const& key, Queue& on) const { return held_->size(key, on); }
  void get_many(std::span<ReadRequest<Space>> requests, Queue& on) const { held_->get_many(requests, on); }
  void write(Key const& key, ByteView<Space> value, Queue& on) const { held_->write(key, value, on); }
  void write_many(std::span<WriteRequest<Space> const> requests, Queue& on) const { held_->write_many(requests, on); }
  /// See AppendableStore. Also returns false if the held store cannot append.
  bool append(Key const& key, ByteView<Space> bytes, std::uint64_t size, Queue& on) const {
    return held_->append(key, bytes, size, on);
  }
  bool erase(Key const& key, Queue& on) const { return held_->erase(key, on); }
  void list(std::string_view prefix, Visitor visit) const { held_->list(prefix, visit); }
  void list_directory(std::string_view prefix, Visitor visit) const { held_->list_directory(prefix, visit); }
  /// Like `list`, but lists symbolic links as links, and nothing below them.
  void list_own(std::string_view prefix, Visitor visit) const { held_->list_own(prefix, visit); }
  /// Visits the unfinished files and folders of killed writers below `prefix`.
  void list_unfinished(std::string_view prefix, Visitor visit) const { held_->list_unfinished(prefix, visit); }
  /// Erases these files and folders. Returns their number.
  std::size_t erase_unfinished(std::string_view prefix) const { return held_->erase_unfinished(prefix); }
  KeyLock lock(Key const& key, Stop stop = nullptr) const { return held_->lock(key, stop); }
  /// The store's lock of a folder; locks nothing if the store has none.
  FolderLock lock_folder(std::string_view path, Sharing sharing, Stop stop = nullptr) const {
    return held_->lock_folder(path, sharing, stop);
  }
  /// For a store without `watch`: from its counter of changes, which also counts those of some other keys.
  ValueWatch watch(Key const& key) const {
    return held_->can.watches ? held_->watch(key) : watch_changes(held_->changes(key).sequence());
  }
  /// Also true if the store has no folders.
  bool has_folder(std::string_view path) const { return held_->has_folder(path); }
  /// Whether list and list_directory work.
  bool can_list() const { return held_->can_list(); }
  /// Whether requests are cheap, as in memory or in files, unlike over a network.
  bool is_near() const { return held_->is_near(); }
  SequenceCounter& changes(Key const& key) const { return held_->changes(key); }

 private:
  template <class S>
  static constexpr bool is_split = requires(S const& store) {
    store.metadata_store();
  };

  // Adds the operations that an array's documents need.
  struct Interface : detail::ErasedWritableStore<Space> {
    using detail::ErasedWritableStore<Space>::ErasedWritableStore;
    virtual void list(std::string_view, Visitor) const = 0;
    virtual void list_directory(std::string_view, Visitor) const = 0;
    virtual void list_own(std::string_view, Visitor) const = 0;
    virtual void list_unfinished(std::string_view, Visitor) const = 0;
    virtual std::size_t erase_unfinished(std::string_view) const = 0;
    virtual FolderLock lock_folder(std::string_view, Sharing, Stop) const = 0;
    virtual bool has_folder(std::string_view) const = 0;
    virtual bool can_list() const = 0;

    mutable std::atomic<std::uint64_t> watched{0};
  };

  template <class S>
  struct Held {
    S store;
    KeyLocks locks{};  // used if the store has none
  };
  template <class S>
  struct Holder final : Held<S>, detail::ErasedWritableStoreOf<S, Interface> {
    explicit Holder(S given)
        : Held<S>{std::move(given)}, detail::ErasedWritableStoreOf<S, Interface>{Held<S>::store, Held<S>::locks} {}
    S const& store() const { return Held<S>::store; }
    void list([[maybe_unused]] std::string_view prefix, [[maybe_unused]] Visitor visit) const override {
      if constexpr (ListableStore<S>)
        store().list(prefix, visit);
      else
        refuse_list(prefix);
    }
    void list_directory([[maybe_unused]] std::string_view prefix, [[maybe_unused]] Visitor visit) const override {
      if constexpr (ListableStore<S>)
        store().list_directory(prefix, visit);
      else
        refuse_list(prefix);
    }
    void list_own([[maybe_unused]] std::string_view prefix, [[maybe_unused]] Visitor visit) const override {
      if constexpr (ListableStore<S>)
        detail::list_own(store(), prefix, visit);
      else
        refuse_list(prefix);
    }
    void list_unfinished(std::string_view prefix, Visitor visit) const override {
      detail::list_unfinished(store(), prefix, visit);
    }
    std::size_t erase_unfinished(std::string_view prefix) const override {
      return detail::erase_unfinished(store(), prefix);
    }
    FolderLock lock_folder(std::string_view path, Sharing sharing, Stop stop) const override {
      return detail::lock_folder(store(), path, sharing, stop);
    }
    bool has_folder(std::string_view path) const override { return detail::has_folder(store(), path); }
    bool can_list() const override { return detail::can_list(store()); }

    [[noreturn]] void refuse_list(std::string_view prefix) const {
      this->refuse(Key{std::string{prefix}}, "this store cannot be listed");
    }
  };

  // While being replaced, a value equals no earlier one.
  ValueWatch watch_changes(std::uint64_t sequence) const {
    bool const is_known = sequence != SequenceCounter::unknown;
    return ValueWatch{{{sequence, is_known ? 0 : ++held_->watched}, true, is_known}};
  }

  std::shared_ptr<Interface const> held_;
};

}}  // namespace tessera::v0
