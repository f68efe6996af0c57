// Producer: publishes arrays in host memory to other processes of the same user and host. Device memory: cuda.cuh.
// Published: an array that other processes can attach while this handle exists; leases keep its memory longer.
#pragma once
#include <chrono>
#include <concepts>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/array/owned_array.hpp>
#include <tessera/buffer/detail/shared_buffer.hpp>  // IWYU pragma: export
#include <tessera/core/detail/checked.hpp>
#include <tessera/ipc/descriptor.hpp>
#include <tessera/ipc/detail/posix/identity.hpp>
#include <tessera/ipc/detail/publications.hpp>
#include <tessera/ipc/detail/server.hpp>
#include <tessera/place/detail/placer.hpp>
#include <tessera/view/array_view.hpp>

namespace tessera { inline namespace v0 { namespace ipc {

/// Move-only. After its destruction no process can attach the array; the memory is released when the last lease is
/// given back. A moved-from object is empty.
class Published {
 public:
  Published() = default;
  Published(std::shared_ptr<detail::Publications> all, Descriptor what)
      : all_{std::move(all)}, what_{std::move(what)} {}
  Published(Published&& other) noexcept { swap(other); }
  Published& operator=(Published&& other) noexcept {
    Published before;
    swap(before), swap(other);
    return *this;
  }
  ~Published() {
    if (all_) all_->withdraw(what_.memory.number);
  }

  /// What another process attaches. It attaches slices, too: `published.descriptor().slice({{0, 64}, all})`.
  Descriptor const& descriptor() const& { return what_; }
  Descriptor descriptor() && { return std::move(what_); }
  std::string json(Octets how = Octets::base64) const { return to_json(what_, how); }  ///< the descriptor, to be sent
  /// Leases held: one by each process, however many slices it has attached.
  std::size_t holders() const { return all_ ? all_->holders(what_.memory.number) : 0; }
  /// Ends publishing now, if no lease is held: the memory is free when this returns. False: a lease is held.
  bool withdraw_unheld() noexcept { return !all_ || all_->withdraw_unheld(what_.memory.number); }

 private:
  void swap(Published& other) noexcept { std::swap(all_, other.all_), std::swap(what_, other.what_); }

  std::shared_ptr<detail::Publications> all_;
  Descriptor what_;
};

/// Owns a socket, and a thread that grants leases. Thread-safe; not usable in a child made by fork(). After its
/// destruction, consumers get ProducerGone at their next use. The destructor waits, for `patience` at most, for leases
/// of device memory, which must not be freed while other processes have it open; memory still open then is never freed.
/// Host memory needs no wait.
class Producer {
 public:
  /// Throws: IpcError.
  Producer() : Producer{std::chrono::seconds{600}} {}
  explicit Producer(std::chrono::seconds patience)
      : server_{std::make_unique<detail::Server>(identity_.session, all_, patience)} {}

  Identity const& identity() const { return identity_; }  ///< of this process, as in its descriptors
  /// Allocations, including withdrawn ones with leases; and leases.
  std::size_t allocations() const { return all_->count(); }
  std::size_t leases() const { return all_->leases(); }

  /// Publishes an array read into shared memory, `producer.publish(array.read<SharedBuffer>(all))`, without a copy.
  template <class T, std::size_t Rank>
  Published publish(OwnedArray<T, Rank, SharedBuffer> array) {
    return publish(array.buffer(), data_type_of<T>(), array.shape());
  }
  /// Publishes elements of a type in C order, in shared memory. Throws: IpcError, if they do not fit into the buffer.
  Published publish(SharedBuffer const& buffer, DataType type, Extents const& shape) {
    using tessera::detail::MemoryFile;
    auto const file = buffer.view().size != 0 ? buffer.file() : std::make_shared<MemoryFile const>(1);
    detail::Exported allocation{.kind = "shared-memory"};
    allocation.size = file->size(), allocation.data = file->data();
    allocation.open = [file](bool writes) {
      return file->open(writes ? MemoryFile::Access::write : MemoryFile::Access::read);
    };
    allocation.owner = file;
    Descriptor described;
    described.type = type, described.shape = shape, described.strides = Layout::c_order(shape, 1).strides;
    return publish(std::move(allocation), std::move(described));
  }
  /// Publishes a copy of the elements, in shared memory and in C order. Throws: Error, if there is too little memory.
  template <class T, std::size_t Rank, MemorySpace S>
  Published publish(ArrayView<T, Rank, S> view) {
    static_assert(std::same_as<S, space::Host>,
                  "tessera: this view's elements are not in host memory: include <tessera/ipc/cuda.cuh> and "
                  "publish an array in a buffer that can be exported, ipc::publish(producer, array, queue)");
    if constexpr (std::same_as<S, space::Host>) {
      auto const layout = view.layout();
      return publish(dense(reinterpret_cast<std::byte const*>(view.data), layout),
                     data_type_of<std::remove_const_t<T>>(), layout.shape);
    } else {
      return {};  // nvcc needs it, too
    }
  }
  /// For additional kinds of memory: publishes an allocation and the array in it. Throws: IpcError, if descriptors
  /// cannot state the element type, or in a child made by fork().
  Published publish(detail::Exported allocation, Descriptor array) {
    server_->expect_here();
    detail::expect_describable(array.type);
    array.producer = identity_;
    array.memory = {allocation.kind,  allocation.device, 0, allocation.size, allocation.handle,
                    allocation.event, allocation.pool};
    detail::expect_within(array, allocation.size);
    array.memory.number = all_->add(std::move(allocation));
    return {all_, std::move(array)};
  }
  /// For additional kinds of memory: a pool, which contains allocations. `publish()` returns it; called once while the
  /// result is in use.
  template <class Publish>
  std::shared_ptr<Published const> once(void const* pool, Publish&& publish) {
    std::lock_guard lock{mutex_};
    std::erase_if(pools_, [](auto const& known) { return known.second.expired(); });
    if (auto const known = pools_.find(pool); known != pools_.end())
      if (auto found = known->second.lock()) return found;
    auto made = std::make_shared<Published const>(publish());
    pools_[pool] = made;
    return made;
  }

 private:
  // A copy in C order.
  static SharedBuffer dense(std::byte const* from, Layout const& layout) {
    auto const bytes = checked_product(element_count(layout.shape, "the shape"), layout.item_size, "the array");
    SharedBuffer copy{checked_size(bytes, "the array")};
    if (bytes == 0) return copy;
    Queue<space::Host> on;
    Placement<space::Host> const whole{from, copy.span().data, layout.shape};
    auto const packed = Layout::c_order(layout.shape, layout.item_size);
    PlacementForm const form{layout.item_size, 1, {}, layout.strides, packed.strides};
    placer<space::Host>::place(std::span{&whole, 1}, form, on);
    return copy;
  }

  Identity identity_ = detail::new_identity();
  std::shared_ptr<detail::Publications> all_ = std::make_shared<detail::Publications>();
  std::mutex mutex_;
  std::map<void const*, std::weak_ptr<Published const>> pools_;
  std::unique_ptr<detail::Server> server_;
};

}}}  // namespace tessera::v0::ipc
