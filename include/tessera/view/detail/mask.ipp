#pragma once
#include <tessera/view/mask.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/view/detail/mask_bits.hpp>
#include <tessera/view/layout.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL MaskBits Mask::resolve(Extents const& shape) const {
  auto const layout = layout_for(shape);
  auto const elements = element_count(shape, "the array");
  MaskBits bits{shape, elements};
  if (elements == 0) return bits;
  auto const rank = shape.rank();
  auto row = Extents::filled(rank, 0);
  for (std::uint64_t first = 0;; first += rank == 0 ? 1 : shape[rank - 1]) {
    add_row(bits, first, layout, row);
    auto d = rank;  // next row: increments all but the last dimension
    while (d > 1 && ++row[d - 2] == shape[d - 2]) row[--d - 1] = 0;
    if (d <= 1) break;
  }
  bits.count_up();
  return bits;
}

TESSERA_DECL Layout Mask::layout_for(Extents const& shape) const {
  if (!has_shape_) {
    auto const elements = element_count(shape, "the array");
    if (size_ != elements)
      throw SelectionError{to_text({"found a mask of ", size_, " elements, expected ", elements, " as in the array"})};
    return Layout::c_order(shape, 1);
  }
  detail::expect_rank("dimensions", layout_.shape.rank(), shape);
  for (std::size_t d = 0; d < shape.rank(); ++d)
    if (layout_.shape[d] != shape[d])
      throw SelectionError{
          to_text({"dimension ", d, ": found a mask of length ", layout_.shape[d], ", expected ", shape[d]})};
  return layout_;
}

TESSERA_DECL void Mask::add_row(MaskBits& bits, std::uint64_t first, Layout const& layout, Extents const& row) const {
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

TESSERA_DECL std::uint64_t Mask::bits_of_eight(std::uint8_t const* at) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7f;
  auto const set = (((bytes & low) + low) | bytes) >> 7 & ~low >> 7;
  if constexpr (std::endian::native == std::endian::little) return set * 0x0102040810204080 >> 56;
  return set * 0x8040201008040201 >> 56;
}

}}  // namespace tessera::v0
