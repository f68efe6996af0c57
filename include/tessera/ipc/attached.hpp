// Attached: an array in another process's memory.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <tessera/core/data_type.hpp>
#include <tessera/core/text.hpp>
#include <tessera/ipc/descriptor.hpp>
#include <tessera/ipc/ipc_buffer.hpp>
#include <tessera/view/array_view.hpp>

namespace tessera { inline namespace v0 { namespace ipc {

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

  /// Gives the lease back now, unless another array of the allocation is attached. Requires: the elements are no longer
  /// used.
  void close() noexcept { buffer_.close(); }

 private:
  Descriptor what_;
  IpcBuffer<S, L> buffer_;
};

}}}  // namespace tessera::v0::ipc
