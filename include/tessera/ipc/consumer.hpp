// Consumer: attaches arrays in host memory that other processes published. Device memory: cuda.cuh. Attached: an array
// in another process's memory. IpcBuffer: bytes of another process, on lease.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/detail/memory_file.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/error.hpp>
#include <tessera/ipc/descriptor.hpp>
#include <tessera/ipc/detail/error.hpp>
#include <tessera/ipc/detail/link.hpp>
#include <tessera/ipc/detail/posix/identity.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/view/array_view.hpp>

namespace tessera { inline namespace v0 { namespace ipc {

/// The access of a lease: one process writes, or many read. Reading: shared with other readers.
struct Reading {};
/// Write access, of one process alone.
struct Writing {};
/// Reading or Writing.
template <class L>
concept LeaseKind = std::same_as<L, Reading> || std::same_as<L, Writing>;

/// A part of an allocation that another process published; a Buffer that only attaching creates. The lease ends with
/// the last buffer of the allocation in this process, or with `close()`; the kernel ends it when the process ends.
template <MemorySpace S, LeaseKind L = Reading>
class IpcBuffer {
 public:
  using space_type = S;
  using lease_type = L;

  IpcBuffer() = default;
  /// Requires: the part lies in the held allocation.
  IpcBuffer(detail::Hold hold, std::uint64_t first, std::size_t size)
      : hold_{std::move(hold)}, data_{hold_.opened().data + first}, size_{size} {}
  IpcBuffer(IpcBuffer&& other) noexcept { swap(other); }
  IpcBuffer& operator=(IpcBuffer&& other) noexcept {
    IpcBuffer before;
    swap(before), swap(other);
    return *this;
  }

  /// Throws: ProducerGone, if the producer has ended; IpcError, after close().
  ByteView<S> view() const { return checked(); }
  ByteSpan<S> span() requires std::same_as<L, Writing> { return checked(); }

  /// Returns the lease now. Requires: nothing uses the bytes any more, including queued work.
  void close() noexcept { hold_.release(); }
  /// Keeps the allocation open in this process.
  std::shared_ptr<void> owner() const { return hold_ ? hold_.opened().owner : nullptr; }
  /// Whether it holds the allocation: false after close().
  bool is_open() const { return static_cast<bool>(hold_); }

 private:
  ByteSpan<S> checked() const {
    if (!hold_) {
      if (data_) throw IpcError{"the buffer was closed"};
      return {};
    }
    hold_.expect_alive();
    return {data_, size_};
  }
  void swap(IpcBuffer& other) noexcept {
    std::swap(hold_, other.hold_), std::swap(data_, other.data_), std::swap(size_, other.size_);
  }

  detail::Hold hold_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

static_assert(Buffer<IpcBuffer<space::Host>> && !AllocatableBuffer<IpcBuffer<space::Host, Writing>>);

/// Move-only. The buffer spans the whole allocation, because strides may lead before the first element.
template <MemorySpace S, LeaseKind L = Reading>
class Attached {
 public:
  Attached() = default;
  Attached(Descriptor what, IpcBuffer<S, L> buffer) : what_{std::move(what)}, buffer_{std::move(buffer)} {}

  /// The type of the elements, their shape, and the whole descriptor, as they were published.
  DataType type() const { return what_.type; }
  Extents const& shape() const& { return what_.shape; }
  Descriptor const& descriptor() const& { return what_; }
  IpcBuffer<S, L> const& buffer() const& { return buffer_; }

  /// The elements, valid during this object's lifetime. Throws: ProducerGone; IpcError, if type or number of dimensions
  /// differ, or the elements are not aligned.
  template <class T, std::size_t Rank>
  ArrayView<T, Rank, S> view() const& {
    static_assert(std::is_const_v<T> || std::same_as<L, Writing>,
                  "tessera: the elements of a lease to read are const: call view<T const, N>(), or attach with a lease "
                  "to write, consumer.attach_to_write(descriptor)");
    using Plain = std::remove_const_t<T>;
    if (what_.type != data_type_of<Plain>())
      throw IpcError{to_text({"the array's elements are ", what_.type.name(), ", expected ",
                              data_type_of<Plain>().name(), ", which this program asks for"})};
    if (what_.shape.rank() != Rank)
      throw IpcError{to_text({"the array has ", what_.shape.rank(), " dimensions, expected ", Rank})};
    auto* const first = const_cast<std::byte*>(buffer_.view().data) + what_.offset;
    if (reinterpret_cast<std::uintptr_t>(first) % alignof(Plain) != 0)
      throw IpcError{to_text({"the array is not aligned to the ", alignof(Plain), " bytes of ", what_.type.name()})};
    ArrayView<T, Rank, S> view{reinterpret_cast<T*>(first), {}, {}};
    for (std::size_t d = 0; d < Rank; ++d) view.shape[d] = what_.shape[d], view.strides[d] = what_.strides[d];
    return view;
  }
  template <class T, std::size_t Rank>
  ArrayView<T, Rank, S> view() const&& = delete;  // would dangle

  /// Returns the lease now, unless another array of the allocation is attached. Requires: the elements are no longer
  /// used.
  void close() noexcept { buffer_.close(); }

 private:
  Descriptor what_;
  IpcBuffer<S, L> buffer_;
};

/// Keeps one connection to each producer that it attached arrays from. Use one for a process: it opens an allocation
/// once, however many slices of it are attached. Thread-safe; not usable in a child made by fork(). Attached arrays may
/// outlive it.
class Consumer {
 public:
  /// The array of a descriptor, or of a slice of it, with a lease to read. Throws: MetadataError, IpcError, if the
  /// descriptor is wrong; ProducerGone; LeaseRefused, if a process has a lease to write.
  Attached<space::Host> attach(Descriptor const& array) { return attach_host<Reading>(array); }
  Attached<space::Host> attach(std::string_view json) { return attach(parse_descriptor(json)); }
  /// With a lease to write, which excludes every other lease. Throws: LeaseRefused, if any process has a lease.
  Attached<space::Host, Writing> attach_to_write(Descriptor const& array) { return attach_host<Writing>(array); }
  Attached<space::Host, Writing> attach_to_write(std::string_view json) {
    return attach_to_write(parse_descriptor(json));
  }

  /// For additional kinds of memory: `open(reply, file)` returns an Opened; called once for each allocation and access.
  template <MemorySpace S, LeaseKind L, class Open>
  Attached<S, L> attach_by(Descriptor const& array, Open&& open) {
    auto const link = link_to(array.producer);
    detail::Hold hold{link, link->take({array.memory.number, array.memory.kind, std::same_as<L, Writing>}, open)};
    auto const size = hold.opened().size;
    detail::expect_within(array, size);
    return {array, IpcBuffer<S, L>{std::move(hold), 0, checked_size(size, "the allocation")}};
  }
  /// A producer's pool, which contains allocations: `open(reply, file)` returns an Opened; called once for all of them.
  template <class Open>
  detail::Hold hold_pool(Identity const& producer, std::uint64_t number, Open&& open) {
    auto const link = link_to(producer);
    return {link, link->take({number, "pool", false}, open)};
  }

 private:
  template <LeaseKind L>
  Attached<space::Host, L> attach_host(Descriptor const& array) {
    if (array.memory.kind != "shared-memory")
      throw IpcError{to_text({"the array is in memory of kind ", array.memory.kind,
                              ", expected shared-memory: attach device "
                              "memory with ipc::attach(consumer, descriptor, queue) from tessera/ipc/cuda.cuh"})};
    return attach_by<space::Host, L>(array, [](detail::Reply const&, detail::File file) {
      using tessera::detail::MemoryFile;
      if (!file) throw IpcError{"the producer sent no memory file with the lease"};
      constexpr auto access = std::same_as<L, Writing> ? MemoryFile::Access::write : MemoryFile::Access::read;
      auto opened = std::make_shared<MemoryFile>(file.release(), access);
      return detail::Opened{opened->data(), opened->size(), opened};
    });
  }

  std::shared_ptr<detail::Link> link_to(Identity const& producer) {
    std::lock_guard lock{mutex_};
    if (producer.host != host_)
      throw ProducerGone{"the descriptor was made on another host, or before this host was restarted"};
    if (auto const found = links_.find(producer.session); found != links_.end()) return found->second;
    std::erase_if(links_, [](auto const& old) { return old.second.use_count() == 1 && !old.second->is_alive(); });
    return links_.emplace(producer.session, std::make_shared<detail::Link>(producer)).first->second;
  }

  std::string host_ = detail::boot_id();
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<detail::Link>> links_;
};

}}}  // namespace tessera::v0::ipc
