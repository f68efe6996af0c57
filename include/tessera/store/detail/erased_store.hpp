// ErasedStore: a store of any type, of one memory space, for chunk transfers. Optional members of stores are listed
// only here.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/cast/cast.hpp>
#include <tessera/store/detail/host_side.hpp>
#include <tessera/store/detail/is_near.hpp>
#include <tessera/store/detail/lend.hpp>
#include <tessera/store/detail/value_watch.hpp>
#include <tessera/store/detail/write_many.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The abilities of a store's own members; others are derived, or missing.
struct StoreAbilities {
  bool lends = false;          ///< gives access to values in its own memory
  bool gets_many = false;      ///< fills many destinations in one call
  bool reads_in_turn = false;  ///< ReadsInTurn
  bool watches = false;        ///< tells whether a value has changed
  bool appends = false;        ///< AppendableStore
};

/// For reading chunks. Errors of reading values name key and store; elsewhere the caller adds them.
template <MemorySpace S>
class ErasedStore {
 protected:
  using Queue = queue_for<S>;

 public:
  explicit ErasedStore(StoreAbilities const& abilities) : can{abilities} {}
  virtual ~ErasedStore() = default;

  StoreAbilities const can;
  virtual std::string name() const = 0;
  /// Whether requests are cheap, as in memory or in files, unlike over a network.
  virtual bool is_near() const = 0;
  virtual std::optional<std::size_t> read(Key const&, ByteRange, Destination<S>, Queue&) const = 0;
  virtual std::optional<std::uint64_t> size(Key const&, Queue&) const = 0;
  virtual void get_many(std::span<ReadRequest<S>>, Queue&) const = 0;
  /// Reads into host memory.
  virtual void get_many_on_host(std::span<ReadRequest<space::Host>>, Queue&) const = 0;
  virtual void lend_many(std::span<LendRequest<S>>, Queue&) const = 0;
  /// The store's own lock, or else that of the array. Throws: Cancelled, if it has to wait and `stop` becomes true.
  virtual KeyLock lock(Key const&, Stop stop = nullptr) const = 0;
  virtual SequenceCounter& changes(Key const&) const = 0;  ///< the store's own, or the array's
  virtual ValueWatch watch(Key const&) const = 0;
};

/// For writing chunks; separate, so that read-only programs lack it.
template <MemorySpace S>
class ErasedWritableStore : public ErasedStore<S> {
 protected:
  using typename ErasedStore<S>::Queue;

 public:
  using ErasedStore<S>::ErasedStore;
  virtual void write(Key const&, ByteView<S>, Queue&) const = 0;
  /// Holds the lock of each key while it is written. Errors name the key.
  virtual void write_many(std::span<WriteRequest<S> const>, Queue&) const = 0;
  virtual bool append(Key const&, ByteView<S>, std::uint64_t size, Queue&) const = 0;
  virtual bool erase(Key const&, Queue&) const = 0;
};

/// A store of type S as a `Base`. Operations that it lacks throw StoreError.
template <class S, class Base = ErasedStore<space_of<S>>>
class ErasedStoreOf : public Base {
 protected:
  using Space = space_of<S>;
  using Queue = queue_for<Space>;
  static constexpr bool has_lock = requires(S const& store, Key const& key) { store.lock(key); };
  static constexpr bool has_changes = requires(S const& store, Key const& key) { store.changes(key); };

 public:
  /// `locks` are used if the store has none. Requires: the arguments outlive this.
  ErasedStoreOf(S const& store, KeyLocks& locks)
      : Base{StoreAbilities{LendingStore<S>, HasGetMany<S>, ReadsInTurn<S>, HasWatch<S>, AppendableStore<S>}},
        store_{store},
        locks_{locks} {}

  std::string name() const override { return name_of(store_); }
  bool is_near() const override { return detail::is_near(store_); }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination,
                                  Queue& on) const override {
    return detail::read(store_, key, range, destination, on);
  }
  std::optional<std::uint64_t> size(Key const& key, Queue& on) const override {
    return tessera::value_size(store_, key, on);
  }
  void get_many(std::span<ReadRequest<Space>> requests, Queue& on) const override {
    if constexpr (HasGetMany<S>)
      store_.get_many(requests, on);
    else
      tessera::get_many(store_, requests, on);
  }
  void get_many_on_host(std::span<ReadRequest<space::Host>> requests, Queue& on) const override {
    if constexpr (std::same_as<Space, space::Host> && HasGetMany<S>)
      store_.get_many(requests, on);
    else if constexpr (std::same_as<Space, space::Host>)
      tessera::get_many(store_, requests, on);
    else if constexpr (requires { store_.host_side(); } || CrossesFrom<space::Host, Space>)
      tessera::get_many(host_side(store_, on), requests, on.host());
    else
      refuse(*requests.front().key, "this store's values cannot be copied to the host");
  }
  void lend_many(std::span<LendRequest<Space>> requests, [[maybe_unused]] Queue& on) const override {
    if constexpr (LendingStore<S>)
      tessera::lend_many(store_, requests, on);
    else
      refuse(*requests.front().key, "this store cannot lend its values");
  }
  KeyLock lock(Key const& key, Stop stop = nullptr) const override {
    if constexpr (has_lock) {
      constexpr bool is_key_lock = requires {
        { store_.lock(key) } -> std::convertible_to<KeyLock>;
      };
      static_assert(is_key_lock,
                    "tessera: this store's 'lock(Key const&)' must return a KeyLock, or the "
                    "std::unique_lock<std::mutex> of a KeyLocks");
      if constexpr (is_key_lock)
        return lock_of(store_, key, stop);
      else
        return {};
    } else {
      return locks_.lock(key, stop);
    }
  }
  SequenceCounter& changes(Key const& key) const override {
    if constexpr (has_changes)
      return store_.changes(key);
    else
      return locks_.changes(key);
  }
  ValueWatch watch([[maybe_unused]] Key const& key) const override {
    if constexpr (HasWatch<S>)
      return store_.watch(key);
    else
      return ValueWatch{{}};
  }

 protected:
  [[noreturn]] void refuse(Key const& key, char const* why) const {
    StoreError error{why};
    error.in_key(key.path).in_store(name());
    throw error;
  }

  S const& store_;
  KeyLocks& locks_;
};

/// As ErasedStoreOf, with writing.
template <class S, class Base = ErasedWritableStore<space_of<S>>>
class ErasedWritableStoreOf : public ErasedStoreOf<S, Base> {
 protected:
  using typename ErasedStoreOf<S, Base>::Space;
  using typename ErasedStoreOf<S, Base>::Queue;
  using ErasedStoreOf<S, Base>::store_;

 public:
  using ErasedStoreOf<S, Base>::ErasedStoreOf;

  void write(Key const& key, [[maybe_unused]] ByteView<Space> value, [[maybe_unused]] Queue& on) const override {
    if constexpr (WritableStore<S>)
      store_.write(key, value, on);
    else
      this->refuse(key, "this store cannot be written");
  }
  void write_many(std::span<WriteRequest<Space> const> requests, [[maybe_unused]] Queue& on) const override {
    if constexpr (WritableStore<S>)
      detail::write_many(store_, requests, on, [&](Key const& key, Stop stop) { return this->lock(key, stop); });
    else
      for (auto const& request : requests) this->refuse(*request.key, "this store cannot be written");
  }
  bool append([[maybe_unused]] Key const& key, [[maybe_unused]] ByteView<Space> bytes,
              [[maybe_unused]] std::uint64_t size, [[maybe_unused]] Queue& on) const override {
    if constexpr (AppendableStore<S>)
      return store_.append(key, bytes, size, on);
    else
      return false;
  }
  bool erase(Key const& key, [[maybe_unused]] Queue& on) const override {
    if constexpr (WritableStore<S>)
      return store_.erase(key, on);
    else
      this->refuse(key, "this store cannot be written");
  }
};

}}}  // namespace tessera::v0::detail
