// An array that owns its elements: what a read returns when it is given no memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <tessera/buffer/concept.hpp>
#include <tessera/core/checked.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/view/layout.hpp>

namespace tessera::inline v0 {

namespace detail {

template <MemorySpace S>
consteval void check_touched() {
  static_assert(
      S::host_accessible,
      "tessera: these elements are in device memory, which the host cannot touch: read them into memory that it can, "
      "array.read<PinnedBuffer>(selection, queue), or give their view() to a kernel, launch(queue, count, kernel)");
}

}  // namespace detail

/// Contiguous, in C order, in a buffer of type B. Where the number of dimensions is known at run time alone, there is
/// no `view()`. Move-only; a moved-from one may only be destroyed or assigned to.
template <class T, std::size_t Rank, AllocatableBuffer B>
class OwnedArray {
  using Space = typename B::space_type;

 public:
  OwnedArray(Extents const& shape, queue_for<Space>& on)
      : shape_{shape},
        size_{element_count(shape, "the shape")},
        buffer_(checked_size(checked_product(size_, sizeof(T), "the array"), "the array"), on) {}

  Extents const& shape() const { return shape_; }
  std::uint64_t size() const { return size_; }  ///< elements
  /// From one element to the next along each dimension, in elements.
  Strides strides() const { return Layout::c_order(shape_, 1).strides; }
  T* data() & { return reinterpret_cast<T*>(buffer_.span().data); }
  T const* data() const& { return reinterpret_cast<T const*>(buffer_.view().data); }
  T const* data() const&& = delete;  // of a temporary: it would dangle

  ArrayView<T, Rank, Space> view() & requires(Rank <= max_rank) {
    return ArrayView<T, Rank, Space>::c_order(data(), shape_);
  }
  ArrayView<T const, Rank, Space> view() const&& = delete;
  ArrayView<T const, Rank, Space> view() const& requires(Rank <= max_rank) {
    return ArrayView<T const, Rank, Space>::c_order(data(), shape_);
  }

  /// Elements and ranges, where the host can touch them. Name the array before you loop over its elements().
  template <class... Index>
  T& operator()(Index... index) & {
    detail::check_touched<Space>();
    return view()(index...);
  }
  template <class... Index>
  T const& operator()(Index... index) const& {
    detail::check_touched<Space>();
    return view()(index...);
  }
  template <class... Index>
  T operator()(Index... index) const&& {
    return (*this)(index...);
  }
  std::span<T> elements() & {
    detail::check_touched<Space>();
    return {data(), size_};
  }
  std::span<T const> elements() const& {
    detail::check_touched<Space>();
    return {data(), size_};
  }
  std::span<T const> elements() const&& = delete;

 private:
  Extents shape_;
  std::uint64_t size_;
  B buffer_;
};

}  // namespace tessera::inline v0
