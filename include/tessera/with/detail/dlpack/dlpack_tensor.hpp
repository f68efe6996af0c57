// dlpack::Tensor: a tensor of another library, whose memory arrays are read into and written from.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <tessera/core/detail/checked.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/view/detail/layout.hpp>
#include <tessera/with/detail/dlpack/dlpack_type.hpp>

namespace tessera { inline namespace v0 { namespace dlpack {

/// Owns a tensor: its destructor calls the tensor's deleter, once, unless the tensor was released. Move-only. For any
/// thread.
class Tensor {
 public:
  Tensor() = default;
  /// Takes ownership. Throws: ExchangeError, if the tensor is of another major version; the deleter is called then too,
  /// as DLPack's header says.
  explicit Tensor(DLManagedTensorVersioned* taken) : versioned_{taken} {
    if (!taken || taken->version.major == DLPACK_MAJOR_VERSION) return;
    auto const found = taken->version.major;
    reset();
    throw ExchangeError{to_text({"the tensor is of DLPack version ", found, ", expected ", DLPACK_MAJOR_VERSION})};
  }
  /// A tensor of the old form, without version and flags.
  explicit Tensor(DLManagedTensor* taken) : old_{taken} {}
  Tensor(Tensor&& other) noexcept { swap(other); }
  Tensor& operator=(Tensor&& other) noexcept {
    Tensor before{std::move(*this)};
    swap(other);
    return *this;
  }
  ~Tensor() { reset(); }

  bool empty() const { return !versioned_ && !old_; }
  bool is_old() const { return old_ != nullptr; }
  /// Requires: it is not empty.
  DLTensor const& get() const { return versioned_ ? versioned_->dl_tensor : old_->dl_tensor; }
  std::uint64_t flags() const { return versioned_ ? versioned_->flags : 0; }
  bool is_read_only() const { return (flags() & DLPACK_FLAG_BITMASK_READ_ONLY) != 0; }
  bool is_copied() const { return (flags() & DLPACK_FLAG_BITMASK_IS_COPIED) != 0; }

  /// Releases the tensor; the caller must call its deleter. Null, if it is of the other form.
  DLManagedTensorVersioned* release() { return std::exchange(versioned_, nullptr); }
  DLManagedTensor* release_old() { return std::exchange(old_, nullptr); }

 private:
  void swap(Tensor& other) noexcept { std::swap(versioned_, other.versioned_), std::swap(old_, other.old_); }
  void reset() noexcept {
    auto const drop = [](auto* tensor) {
      if (tensor && tensor->deleter) tensor->deleter(tensor);
    };
    drop(std::exchange(versioned_, nullptr));
    drop(std::exchange(old_, nullptr));
  }

  DLManagedTensorVersioned* versioned_ = nullptr;
  DLManagedTensor* old_ = nullptr;
};

/// The place and type of a tensor's elements. Strides are in bytes.
struct Elements {
  std::byte* data;
  DataType type;
  Layout layout;
};

/// In any memory. Requires: there is a tensor. Throws: ExchangeError, if tessera has no such data type or number of
/// dimensions, or the tensor contradicts itself.
inline Elements elements_of(Tensor const& of) {
  auto const& tensor = of.get();
  auto const type = data_type_of(tensor.dtype, (of.flags() & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0);
  if (tensor.ndim < 0 || static_cast<std::size_t>(tensor.ndim) > max_rank)
    throw ExchangeError{to_text({"the tensor has ", tensor.ndim, " dimensions, expected at most ", max_rank})};
  auto const rank = static_cast<std::size_t>(tensor.ndim);
  if (rank != 0 && !tensor.shape) throw ExchangeError{"the tensor has dimensions but no shape"};
  Extents shape;
  for (std::size_t d = 0; d < rank; ++d) {
    if (tensor.shape[d] < 0)
      throw ExchangeError{
          to_text({"dimension ", d, " of the tensor has length ", tensor.shape[d], ", expected 0 or more"})};
    shape.push_back(static_cast<std::uint64_t>(tensor.shape[d]));
  }
  bool is_empty = false;
  try {
    is_empty = checked_product(element_count(shape, "the tensor's shape"), type.size, "the tensor") == 0;
  } catch (MetadataError const& error) {
    throw ExchangeError{error.what()};
  }
  auto layout = Layout::c_order(shape, type.size);
  if (tensor.strides && !is_empty)
    for (std::size_t d = 0; d < rank; ++d) {
      if (shape[d] == 1) continue;  // no element lies that far away: producers may set any stride
      auto const stride = tensor.strides[d], most = std::numeric_limits<std::int64_t>::max() / type.size;
      if (stride > most || stride < -most)
        throw ExchangeError{to_text({"dimension ", d, " of the tensor has a stride of ", stride, " elements"})};
      layout.strides[d] = stride * static_cast<std::int64_t>(type.size);
    }
  if (!tensor.data && !is_empty) throw ExchangeError{"the tensor has elements but no memory"};
  return {is_empty ? nullptr : static_cast<std::byte*>(tensor.data) + tensor.byte_offset, type, layout};
}

namespace detail {

// A view of the caller's types, checked against the tensor.
template <class T, std::size_t Rank, MemorySpace S>
ArrayView<T, Rank, S> checked_view(Tensor const& tensor) {
  if (tensor.empty()) throw ExchangeError{"there is no tensor: it was moved or released"};
  auto const elements = elements_of(tensor);
  using Plain = std::remove_const_t<T>;
  auto const& shape = elements.layout.shape;
  if (elements.type != tessera::data_type_of<Plain>())
    throw ExchangeError{to_text({"the tensor's elements are ", elements.type.name(), ", expected ",
                                 tessera::data_type_of<Plain>().name(), ", which this program asks for"})};
  if (shape.rank() != Rank)
    throw ExchangeError{to_text({"the tensor has ", shape.rank(), " dimensions, expected ", Rank})};
  if (!std::is_const_v<T> && tensor.is_read_only())
    throw ExchangeError{"the tensor is read-only: ask for const elements"};
  if (reinterpret_cast<std::uintptr_t>(elements.data) % alignof(Plain) != 0)
    throw ExchangeError{
        to_text({"the tensor's memory is not aligned to the ", alignof(Plain), " bytes of ", elements.type.name()})};
  ArrayView<T, Rank, S> view{reinterpret_cast<T*>(elements.data), {}, {}};
  for (std::size_t d = 0; d < Rank; ++d) {
    view.shape[d] = shape[d];
    view.strides[d] = elements.layout.strides[d] / static_cast<std::int64_t>(sizeof(T));
  }
  return view;
}

[[noreturn]] inline void refuse_device(DLDevice found, std::string_view expected) {
  throw ExchangeError{to_text({"the tensor is in the memory of ", name_of(found), ", expected ", expected})};
}

}  // namespace detail

/// A view of a host tensor's memory, with const or other elements: a source of Array::write and a destination of
/// Array::read, during the tensor's lifetime. Pinned memory counts as host memory. Device and managed tensors:
/// with/dlpack.cuh. Throws: ExchangeError, if elements, dimensions or device differ, if the tensor is read-only and
/// elements are not const, or if its memory is not aligned.
template <class T, std::size_t Rank>
ArrayView<T, Rank, space::Host> view(Tensor const& tensor) {
  auto const result = detail::checked_view<T, Rank, space::Host>(tensor);
  auto const device = tensor.get().device;
  if (device.device_type != kDLCPU && device.device_type != kDLCUDAHost)
    detail::refuse_device(device, "that of the host");
  return result;
}
template <class T, std::size_t Rank>
ArrayView<T, Rank, space::Host> view(Tensor const&&) = delete;  // a view of a temporary would dangle

}}}  // namespace tessera::v0::dlpack
