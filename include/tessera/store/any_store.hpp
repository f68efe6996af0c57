// A store chosen at run time. What is erased is the store; the memory space of its buffers stays in the type.
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

#include <tessera/store/append.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/is_near.hpp>
#include <tessera/store/key_lock.hpp>
#include <tessera/store/unfinished.hpp>
#include <tessera/store/watch.hpp>
#include <tessera/store/write_many.hpp>

namespace tessera { inline namespace v0 {

/// Holds any store of buffers of type B. What the store cannot do (write, list) throws StoreError here. Copies share
/// it.
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
                    "tessera: an AnyStore has one half; make it the half of a split: SplitStore{AnyStore<HostBuffer>"
                    "{documents}, AnyStore<B>{chunks}}");
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
  /// False, too, if the store cannot append.
  bool append(Key const& key, ByteView<Space> bytes, std::uint64_t size, Queue& on) const {
    return held_->append(key, bytes, size, on);
  }
  bool erase(Key const& key, Queue& on) const { return held_->erase(key, on); }
  void list(std::string_view prefix, Visitor visit) const { held_->list(prefix, visit); }
  void list_directory(std::string_view prefix, Visitor visit) const { held_->list_directory(prefix, visit); }
  void list_own(std::string_view prefix, Visitor visit) const { held_->list_own(prefix, visit); }
  void list_unfinished(std::string_view prefix, Visitor visit) const { held_->list_unfinished(prefix, visit); }
  std::size_t erase_unfinished(std::string_view prefix) const { return held_->erase_unfinished(prefix); }
  KeyLock lock(Key const& key) const { return held_->lock(key); }
  /// Of nothing, if the store has no such locks.
  FolderLock lock_folder(std::string_view path, Sharing sharing) const { return held_->lock_folder(path, sharing); }
  /// Of a store without: what its changes tell, which are of some other keys too.
  ValueWatch watch(Key const& key) const { return held_->watch(key); }
  /// True, too, if the store has no folders.
  bool has_folder(std::string_view path) const { return held_->has_folder(path); }
  /// Whether list and list_directory do.
  bool can_list() const { return held_->can_list(); }
  /// Whether requests of the store cost little beside their bytes.
  bool is_near() const { return held_->is_near(); }
  SequenceCounter& changes(Key const& key) const { return held_->changes(key); }

 private:
  template <class S>
  static constexpr bool is_split = requires(S const& store) {
    store.metadata_store();
  };

  struct Interface {
    virtual ~Interface() = default;
    virtual std::string name() const = 0;
    virtual std::optional<std::size_t> read(Key const&, ByteRange, Destination<Space>, Queue&) const = 0;
    virtual std::optional<std::uint64_t> size(Key const&, Queue&) const = 0;
    virtual void get_many(std::span<ReadRequest<Space>>, Queue&) const = 0;
    virtual void write(Key const&, ByteView<Space>, Queue&) const = 0;
    virtual void write_many(std::span<WriteRequest<Space> const>, Queue&) const = 0;
    virtual bool append(Key const&, ByteView<Space>, std::uint64_t, Queue&) const = 0;
    virtual bool erase(Key const&, Queue&) const = 0;
    virtual void list(std::string_view, Visitor) const = 0;
    virtual void list_directory(std::string_view, Visitor) const = 0;
    virtual void list_own(std::string_view, Visitor) const = 0;
    virtual void list_unfinished(std::string_view, Visitor) const = 0;
    virtual std::size_t erase_unfinished(std::string_view) const = 0;
    virtual KeyLock lock(Key const&) const = 0;
    virtual FolderLock lock_folder(std::string_view, Sharing) const = 0;
    virtual ValueWatch watch(Key const&) const = 0;
    virtual bool has_folder(std::string_view) const = 0;
    virtual bool can_list() const = 0;
    virtual bool is_near() const = 0;
    virtual SequenceCounter& changes(Key const&) const = 0;
  };

  template <class S>
  struct Holder final : Interface {
    explicit Holder(S s) : store{std::move(s)} {}
    std::string name() const override { return name_of(store); }
    std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination,
                                    Queue& on) const override {
      return store.read(key, range, destination, on);
    }
    std::optional<std::uint64_t> size(Key const& key, Queue& on) const override {
      return tessera::size(store, key, on);
    }
    void get_many(std::span<ReadRequest<Space>> requests, Queue& on) const override {
      tessera::get_many(store, requests, on);
    }
    void write([[maybe_unused]] Key const& key, [[maybe_unused]] ByteView<Space> value,
               [[maybe_unused]] Queue& on) const override {
      if constexpr (WritableStore<S>)
        store.write(key, value, on);
      else
        refuse("written", key.path);
    }
    void write_many([[maybe_unused]] std::span<WriteRequest<Space> const> requests,
                    [[maybe_unused]] Queue& on) const override {
      if constexpr (!WritableStore<S>)
        for (auto const& request : requests) refuse("written", request.key->path);
      else if constexpr (has_lock)
        tessera::write_many(store, requests, on);
      else
        detail::write_each(store, requests, on, [&](Key const& key) { return lock(key); });
    }
    bool append([[maybe_unused]] Key const& key, [[maybe_unused]] ByteView<Space> bytes,
                [[maybe_unused]] std::uint64_t size, [[maybe_unused]] Queue& on) const override {
      if constexpr (AppendableStore<S>)
        return store.append(key, bytes, size, on);
      else
        return false;
    }
    bool erase([[maybe_unused]] Key const& key, [[maybe_unused]] Queue& on) const override {
      if constexpr (WritableStore<S>)
        return store.erase(key, on);
      else
        refuse("written", key.path);
    }
    void list([[maybe_unused]] std::string_view prefix, [[maybe_unused]] Visitor visit) const override {
      if constexpr (ListableStore<S>)
        store.list(prefix, visit);
      else
        refuse("listed", prefix);
    }
    void list_directory([[maybe_unused]] std::string_view prefix, [[maybe_unused]] Visitor visit) const override {
      if constexpr (ListableStore<S>)
        store.list_directory(prefix, visit);
      else
        refuse("listed", prefix);
    }
    void list_own([[maybe_unused]] std::string_view prefix, [[maybe_unused]] Visitor visit) const override {
      if constexpr (ListableStore<S>)
        detail::list_own(store, prefix, visit);
      else
        refuse("listed", prefix);
    }
    void list_unfinished(std::string_view prefix, Visitor visit) const override {
      detail::list_unfinished(store, prefix, visit);
    }
    std::size_t erase_unfinished(std::string_view prefix) const override {
      return detail::erase_unfinished(store, prefix);
    }
    KeyLock lock(Key const& key) const override {
      if constexpr (has_lock)
        return store.lock(key);
      else
        return locks.lock(key);
    }
    FolderLock lock_folder(std::string_view path, Sharing sharing) const override {
      return detail::lock_folder(store, path, sharing);
    }
    ValueWatch watch(Key const& key) const override {
      if constexpr (detail::HasWatch<S>)
        return store.watch(key);
      else
        return watch_changes(changes(key).sequence());
    }
    // While a value is being replaced it is like none that was before.
    ValueWatch watch_changes(std::uint64_t sequence) const {
      bool const is_known = sequence != SequenceCounter::unknown;
      return ValueWatch{{{sequence, is_known ? 0 : ++watched}, true, is_known}};
    }
    bool has_folder(std::string_view path) const override { return detail::has_folder(store, path); }
    bool can_list() const override { return detail::can_list(store); }
    bool is_near() const override { return detail::is_near(store); }
    SequenceCounter& changes(Key const& key) const override { return detail::changes_of(store, key, locks); }
    [[noreturn]] void refuse(std::string const& what, std::string_view key) const {
      StoreError error{"this store cannot be " + what};
      error.in_key(key).in_store(name_of(store));
      throw error;
    }

    static constexpr bool has_lock = requires(S const& s, Key const& key) {
      { s.lock(key) } -> std::convertible_to<KeyLock>;
    };
    S store;
    mutable KeyLocks locks;  // for stores that have none
    mutable std::atomic<std::uint64_t> watched{0};
  };

  std::shared_ptr<Interface const> held_;
};

}}  // namespace tessera::v0
