// MemoryStore: values in memory of any space, for tests, and for data that is never written to a disk.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/at_key.hpp>
#include <tessera/store/detail/lend.hpp>
#include <tessera/store/detail/memory_values.hpp>
#include <tessera/store/detail/value_watch.hpp>
#include <tessera/store/detail/write_many.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 {

template <class B>
class MemoryStore : public detail::StoreOfNoBuffer<B> {
  using detail::StoreOfNoBuffer<B>::StoreOfNoBuffer;
};
MemoryStore() -> MemoryStore<void>;  // reports an error

/// Owns its values, shared by copies. Every thread may use them, on queues of any GPU: a value is in the memory of the
/// GPU whose queue wrote it; a read by the queue of another GPU copies it.
template <Buffer B>
class MemoryStore<B> {
  static_assert(AllocatableBuffer<B>,
                "tessera: a MemoryStore allocates its values: use a buffer type that can be allocated, "
                "e.g. MemoryStore<HostBuffer>");
  using Space = typename B::space_type;
  static_assert(!AllocatableBuffer<B> || CrossesFrom<Space, Space>,
                "tessera: a MemoryStore copies its values: include tessera/tessera.cuh");
  using Queue = queue_for<Space>;
  struct Stored {
    B buffer;
    decltype(std::declval<Queue&>().record()) ready{};  // readers may use other queues
    std::uint64_t number = 0;
    ByteView<Space> view() const { return buffer.view(); }
  };
  using Values = detail::MemoryValues<Stored>;
  using Value = typename Values::Value;

 public:
  using buffer_type = B;
  static constexpr bool refused = !AllocatableBuffer<B>;  ///< whether a static_assert has failed

  std::string name() const { return "memory store"; }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination, Queue& on) const {
    return detail::at_key(*this, key, [&]() -> std::optional<std::size_t> {
      auto found = find_range(key, range, on);
      if (!found) return std::nullopt;
      auto const size = found->bytes.size;
      copy(*found->value, found->bytes, destination(size), on);
      on.keep(std::move(found->value));
      return size;
    });
  }

  /// A lent value stays unchanged when the key is written. A value on another GPU is lent as a copy.
  std::optional<Lent<Space>> lend(Key const& key, ByteRange range, Queue& on) const {
    return detail::at_key(*this, key, [&]() -> std::optional<Lent<Space>> {
      auto found = find_range(key, range, on);
      if (!found) return std::nullopt;
      if (!is_reached(*found->value, on)) found = copied(std::move(*found), on);
      return Lent<Space>{found->bytes, std::move(found->value)};
    });
  }

  /// If a value in host memory is replaced and is not lent, a later value of the same size reuses its memory.
  void write(Key const& key, ByteView<Space> bytes, Queue& on) const {
    detail::at_key(*this, key, [&] {
      auto value = values_->spare(bytes.size);
      if (!value) value = std::make_shared<Stored>(Stored{B(bytes.size, on)});
      crossing<Space, Space>::copy(bytes, value->buffer.span(), on);
      value->ready = on.record();
      constexpr bool is_of_no_resource = std::same_as<B, HostBuffer>;
      values_->put(key, std::move(value), is_of_no_resource);
    });
  }

  /// See AppendableStore. Copies everything into a new value, because the old one may be lent.
  bool append(Key const& key, ByteView<Space> bytes, std::uint64_t size, Queue& on) const {
    return detail::at_key(*this, key, [&] {
      auto const before = values_->find(key);
      if (!before || before->view().size != size) return false;
      auto value = std::make_shared<Stored>(Stored{B(before->view().size + bytes.size, on)});
      on.after(before->ready);
      auto const to = value->buffer.span();
      copy(*before, before->view(), to.sub(0, before->view().size), on);
      on.keep(before);  // at once: the next copy may fail
      crossing<Space, Space>::copy(bytes, to.sub(before->view().size, bytes.size), on);
      value->ready = on.record();
      return values_->replace(key, before, std::move(value));  // false: written meanwhile
    });
  }

  bool erase(Key const& key, Queue&) const {
    return detail::at_key(*this, key, [&] { return values_->erase(key); });
  }

  /// Moves all keys below a folder to another, atomically. Returns whether any existed. Throws: StoreError, if the
  /// other has keys, or is inside the first.
  bool rename(std::string_view from, std::string_view to) const {
    Key const before{std::string{from}}, after{std::string{to}};
    return detail::at_key(*this, before, [&] {
      check_key(after);
      auto const held = values_->locks.lock_all();  // else a concurrent update would write to the old key
      return values_->rename(before.path, after.path);
    });
  }

  std::optional<std::uint64_t> size(Key const& key, Queue&) const {
    return detail::at_key(*this, key, [&]() -> std::optional<std::uint64_t> {
      auto const value = values_->find(key);
      if (!value) return std::nullopt;
      return value->view().size;
    });
  }

  /// Locks a key, to read its value, change it and write it back. Hold one lock at a time, because several keys may
  /// share a lock.
  auto lock(Key const& key, Stop stop = nullptr) const { return values_->locks.lock(key, stop); }
  /// Locks a folder: exclusively, to change everything below it together, or shared, to change parts of it.
  FolderLock lock_folder(std::string_view path, Sharing sharing, Stop stop = nullptr) const {
    return values_->locks.lock_folder(path, sharing, stop);
  }
  /// See ValueWatch.
  ValueWatch watch(Key const& key) const { return ValueWatch{values_->version(key)}; }
  SequenceCounter& changes(Key const& key) const { return values_->locks.changes(key); }

  void list(std::string_view prefix, Visitor visit) const {
    each_below(prefix, [&](std::string_view path, std::size_t size) { visit({path, false, size}); });
  }

  void list_directory(std::string_view prefix, Visitor visit) const {
    auto const start = prefix.empty() ? 0 : prefix.size() + 1;
    std::string folder;  // keys are sorted, so those of a folder are adjacent
    each_below(prefix, [&](std::string_view path, std::size_t size) {
      auto const slash = path.find('/', start);
      if (slash == path.npos) return visit({path, false, size});
      if (folder == path.substr(0, slash)) return;
      folder = path.substr(0, slash);
      visit({folder, true, 0});
    });
  }

 private:
  struct Found {
    ByteView<Space> bytes;
    Value value;
  };
  // Bytes that the queue may use from now on, if it can access them.
  std::optional<Found> find_range(Key const& key, ByteRange range, Queue& on) const {
    auto value = values_->find(key);
    if (!value) return std::nullopt;
    auto const [offset, size] = range.resolve(value->view().size);
    on.after(value->ready);
    auto const bytes = value->view().sub(offset, size);
    return Found{bytes, std::move(value)};
  }
  static bool is_reached(Stored const& value, Queue const& on) {
    if constexpr (requires { value.buffer.is_reached_by(on); })
      return value.buffer.is_reached_by(on);
    else
      return true;
  }
  static void copy(Stored const& value, ByteView<Space> from, ByteSpan<Space> to, Queue& on) {
    if constexpr (requires { value.buffer.copy_across(from, to, on); })
      if (!is_reached(value, on)) return value.buffer.copy_across(from, to, on);
    crossing<Space, Space>::copy(from, to, on);
  }
  static Found copied(Found found, Queue& on) {
    auto here = std::make_shared<Stored>(Stored{B(found.bytes.size, on)});
    copy(*found.value, found.bytes, here->buffer.span(), on);
    on.keep(std::move(found.value));
    return {here->view(), std::move(here)};
  }

  template <class F>
  void each_below(std::string_view prefix, F&& f) const {
    Key const folder_key{std::string{prefix}};
    if (!prefix.empty()) detail::at_key(*this, folder_key, [] {});
    auto const found = values_->list(prefix.empty() ? std::string{} : folder_key.path + '/');
    // Visited without the lock: the visitor may use the store.
    for (auto const& [path, size] : found) f(std::string_view{path}, size);
  }

  std::shared_ptr<Values> values_ = std::make_shared<Values>();
};

static_assert(Store<MemoryStore<HostBuffer>> && ListableStore<MemoryStore<HostBuffer>>);
static_assert(LendingStore<MemoryStore<HostBuffer>> && AppendableStore<MemoryStore<HostBuffer>>);

}}  // namespace tessera::v0
