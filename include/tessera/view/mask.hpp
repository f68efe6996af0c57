// The elements at which a mask of the array's shape is true.
#pragma once
#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/view/contiguous_memory.hpp>
#include <tessera/view/layout.hpp>
#include <tessera/view/mask_bits.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// bool, or bytes, of which all but 0 are true: there is no contiguous std::vector of bool.
template <class T>
concept MaskElement = std::same_as < std::remove_const_t<T>,
bool > || std::same_as<std::remove_const_t<T>, std::uint8_t>;

template <class M>
concept MaskMemory = ContiguousMemory<M const> && requires(M const& memory) {
  requires MaskElement<std::remove_pointer_t<decltype(contiguous_memory<M const>::data(memory))>>;
};

template <class Space>
consteval void check_mask() {
  static_assert(Space::host_accessible,
                "tessera: this mask is in device memory, where the host cannot look for what is selected: give one in "
                "the host's memory");
}

}  // namespace detail

/// The mask is in memory that the host can touch, and is referred to, not copied. It selects elements in C order; the
/// memory for them has one dimension.
class Mask {
 public:
  template <detail::MaskElement T, std::size_t Rank, MemorySpace S>
  explicit Mask(ArrayView<T, Rank, S> const& mask)
      : data_{reinterpret_cast<std::uint8_t const*>(mask.data)}, layout_{mask.layout()} {
    detail::check_mask<S>();
  }
  /// Contiguous memory in C order, of as many elements as the array has.
  template <detail::MaskMemory M>
  explicit Mask(M const& mask)
      : data_{reinterpret_cast<std::uint8_t const*>(contiguous_memory<M const>::data(mask))},
        size_{contiguous_memory<M const>::size(mask)},
        has_shape_{false} {
    detail::check_mask<typename contiguous_memory<M const>::space>();
  }
  template <class M>
  requires(!detail::SaysWhere<M const>) explicit Mask(M const&) : data_{nullptr} {
    (void)detail::check_says_where<M const>();
  }

  /// Throws: SelectionError naming the dimension, if the mask has another shape than the array.
  MaskBits resolve(Extents const& shape) const {
    auto const layout = layout_for(shape);
    auto const elements = element_count(shape, "the array");
    MaskBits bits{shape, elements};
    if (elements == 0) return bits;
    auto const rank = shape.rank();
    auto row = Extents::filled(rank, 0);
    for (std::uint64_t first = 0;; first += rank == 0 ? 1 : shape[rank - 1]) {
      add_row(bits, first, layout, row);
      auto d = rank;  // the next row: all but the last dimension count
      while (d > 1 && ++row[d - 2] == shape[d - 2]) row[--d - 1] = 0;
      if (d <= 1) break;
    }
    bits.count_up();
    return bits;
  }

 private:
  Layout layout_for(Extents const& shape) const {
    if (!has_shape_) {
      auto const elements = element_count(shape, "the array");
      if (size_ != elements)
        throw SelectionError{text({"found a mask of ", size_, " elements, expected ", elements, " as the array has"})};
      return Layout::c_order(shape, 1);
    }
    detail::expect_rank("dimensions", layout_.shape.rank(), shape);
    for (std::size_t d = 0; d < shape.rank(); ++d)
      if (layout_.shape[d] != shape[d])
        throw SelectionError{
            text({"dimension ", d, ": found a mask of length ", layout_.shape[d], ", expected ", shape[d]})};
    return layout_;
  }

  void add_row(MaskBits& bits, std::uint64_t first, Layout const& layout, Extents const& row) const {
    auto const rank = layout.shape.rank();
    auto const* at = detail::address(data_, row, layout.strides);
    auto const length = rank == 0 ? 1 : layout.shape[rank - 1];
    auto const stride = rank == 0 ? 1 : layout.strides[rank - 1];
    for (std::uint64_t i = 0; i < length; i += 64) {
      auto const count = std::min<std::uint64_t>(64, length - i);
      std::uint64_t word = 0, k = 0;
      if (stride == 1)
        for (; k + 8 <= count; k += 8, at += 8) word |= bits_of_eight(at) << k;
      for (; k < count; ++k, at += stride) word |= std::uint64_t{*at != 0} << k;
      if (word != 0) bits.add(first + i, word);
    }
  }
  // Of eight bytes, the first of them lowest: whether each is 0, in its highest bit; a product gathers these.
  static std::uint64_t bits_of_eight(std::uint8_t const* at) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof bytes);
    constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7f;
    auto const set = (((bytes & low) + low) | bytes) >> 7 & ~low >> 7;
    if constexpr (std::endian::native == std::endian::little) return set * 0x0102040810204080 >> 56;
    return set * 0x8040201008040201 >> 56;
  }

  std::uint8_t const* data_;
  Layout layout_{};  // if it has a shape
  std::size_t size_ = 0;
  bool has_shape_ = true;
};

}}  // namespace tessera::v0
