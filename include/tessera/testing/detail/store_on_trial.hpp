// StoreOnTrial: type-erases a store, so that the rules are compiled once for each memory space.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/cast/cast.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/lend.hpp>
#include <tessera/store/detail/write_many.hpp>
#include <tessera/store/get.hpp>

namespace tessera { inline namespace v0 { namespace testing::detail {

/// The optional operations that a store's type has.
struct StoreCan {
  bool write, append, list, lend, lock, write_many;
};
template <class S>
concept HasLock = requires(S const& store, Key const& key) {
  store.lock(key);
};
template <class S>
inline constexpr StoreCan store_can{WritableStore<S>, AppendableStore<S>, ListableStore<S>,
                                    LendingStore<S>,  HasLock<S>,         tessera::detail::HasWriteMany<S>};

/// Unlike AnyStore, it copies the store when it is copied, and adds no locks. Operations that the store lacks do
/// nothing.
template <MemorySpace Space>
class StoreOnTrial {
  using Queue = queue_for<Space>;

 public:
  using buffer_type = buffer_in_t<Space>;

  template <class S>
  requires(!std::same_as<S, StoreOnTrial>) explicit StoreOnTrial(S store)
      : held_{std::make_unique<Held<S>>(std::move(store))} {}
  StoreOnTrial(StoreOnTrial const& other) : held_{other.held_->copy()} {}
  StoreOnTrial(StoreOnTrial&&) = default;
  StoreOnTrial& operator=(StoreOnTrial other) {
    held_ = std::move(other.held_);
    return *this;
  }

  std::string name() const { return held_->name(); }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination, Queue& on) const {
    return held_->read(key, range, destination, on);
  }
  std::optional<std::uint64_t> size(Key const& key, Queue& on) const { return held_->size(key, on); }
  void get_many(std::span<ReadRequest<Space>> requests, Queue& on) const { held_->get_many(requests, on); }
  std::optional<Lent<Space>> lend(Key const& key, ByteRange range, Queue& on) const {
    return held_->lend(key, range, on);
  }
  void lend_many(std::span<LendRequest<Space>> requests, Queue& on) const { held_->lend_many(requests, on); }
  void write(Key const& key, ByteView<Space> value, Queue& on) const { held_->write(key, value, on); }
  void write_many(std::span<WriteRequest<Space> const> requests, Queue& on) const { held_->write_many(requests, on); }
  bool append(Key const& key, ByteView<Space> bytes, std::uint64_t size, Queue& on) const {
    return held_->append(key, bytes, size, on);
  }
  bool erase(Key const& key, Queue& on) const { return held_->erase(key, on); }
  /// The store's own lock; null if it has none.
  std::shared_ptr<void const> lock(Key const& key) const { return held_->lock(key); }
  void list(std::string_view prefix, Visitor visit) const { held_->list(prefix, visit); }
  void list_directory(std::string_view prefix, Visitor visit) const { held_->list_directory(prefix, visit); }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual std::unique_ptr<Interface const> copy() const = 0;
    virtual std::string name() const = 0;
    virtual std::optional<std::size_t> read(Key const&, ByteRange, Destination<Space>, Queue&) const = 0;
    virtual std::optional<std::uint64_t> size(Key const&, Queue&) const = 0;
    virtual void get_many(std::span<ReadRequest<Space>>, Queue&) const = 0;
    virtual std::optional<Lent<Space>> lend(Key const&, ByteRange, Queue&) const = 0;
    virtual void lend_many(std::span<LendRequest<Space>>, Queue&) const = 0;
    virtual void write(Key const&, ByteView<Space>, Queue&) const = 0;
    virtual void write_many(std::span<WriteRequest<Space> const>, Queue&) const = 0;
    virtual bool append(Key const&, ByteView<Space>, std::uint64_t, Queue&) const = 0;
    virtual bool erase(Key const&, Queue&) const = 0;
    virtual std::shared_ptr<void const> lock(Key const&) const = 0;
    virtual void list(std::string_view, Visitor) const = 0;
    virtual void list_directory(std::string_view, Visitor) const = 0;
  };

  template <class S>
  struct Held final : Interface {
    static constexpr StoreCan can = store_can<S>;

    explicit Held(S given) : store{std::move(given)} {}
    std::unique_ptr<Interface const> copy() const override { return std::make_unique<Held>(store); }
    std::string name() const override { return name_of(store); }
    std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination,
                                    Queue& on) const override {
      return store.read(key, range, destination, on);
    }
    std::optional<std::uint64_t> size(Key const& key, Queue& on) const override {
      return tessera::value_size(store, key, on);
    }
    void get_many(std::span<ReadRequest<Space>> requests, Queue& on) const override {
      tessera::get_many(store, requests, on);
    }
    std::optional<Lent<Space>> lend([[maybe_unused]] Key const& key, [[maybe_unused]] ByteRange range,
                                    [[maybe_unused]] Queue& on) const override {
      if constexpr (can.lend)
        return tessera::lend(store, key, range, on);
      else
        return std::nullopt;
    }
    void lend_many([[maybe_unused]] std::span<LendRequest<Space>> requests, [[maybe_unused]] Queue& on) const override {
      if constexpr (can.lend) tessera::lend_many(store, requests, on);
    }
    void write([[maybe_unused]] Key const& key, [[maybe_unused]] ByteView<Space> value,
               [[maybe_unused]] Queue& on) const override {
      if constexpr (can.write) store.write(key, value, on);
    }
    void write_many([[maybe_unused]] std::span<WriteRequest<Space> const> requests,
                    [[maybe_unused]] Queue& on) const override {
      if constexpr (can.write) tessera::write_many(store, requests, on);
    }
    bool append([[maybe_unused]] Key const& key, [[maybe_unused]] ByteView<Space> bytes,
                [[maybe_unused]] std::uint64_t size, [[maybe_unused]] Queue& on) const override {
      if constexpr (can.append)
        return store.append(key, bytes, size, on);
      else
        return false;
    }
    bool erase([[maybe_unused]] Key const& key, [[maybe_unused]] Queue& on) const override {
      if constexpr (can.write)
        return store.erase(key, on);
      else
        return false;
    }
    std::shared_ptr<void const> lock([[maybe_unused]] Key const& key) const override {
      if constexpr (can.lock)
        return std::shared_ptr<void const>{new auto(store.lock(key))};
      else
        return nullptr;
    }
    void list([[maybe_unused]] std::string_view prefix, [[maybe_unused]] Visitor visit) const override {
      if constexpr (can.list) store.list(prefix, visit);
    }
    void list_directory([[maybe_unused]] std::string_view prefix, [[maybe_unused]] Visitor visit) const override {
      if constexpr (can.list) store.list_directory(prefix, visit);
    }

    S store;
  };

  std::unique_ptr<Interface const> held_;
};

}}}  // namespace tessera::v0::testing::detail
