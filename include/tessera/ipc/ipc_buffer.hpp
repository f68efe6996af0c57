// IpcBuffer: bytes of another process, on lease.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <tessera/buffer/concept.hpp>
#include <tessera/ipc/detail/link.hpp>
#include <tessera/ipc/error.hpp>
#include <tessera/memory/bytes.hpp>

namespace tessera { inline namespace v0 { namespace ipc {

/// The access of a lease: one process writes, or many read. Reading: with others that read.
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

  /// Gives the lease back now. Requires: nothing uses the bytes any more, including queued work.
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

}}}  // namespace tessera::v0::ipc
