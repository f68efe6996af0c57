#pragma once
#include <tessera/view/selections.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <tessera/core/detail/checked.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/detail/layout.hpp>
#include <tessera/view/detail/mask_bits.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL ResolvedSelection Blocks::resolve(Extents const& shape, Extents const& chunk_shape) const {
  auto grid = shape;
  for (std::size_t d = 0; d < grid.rank(); ++d) grid[d] = shape[d] / chunk_shape[d] + (shape[d] % chunk_shape[d] != 0);
  return resolve_in(grid, [&](std::size_t d, std::uint64_t chunk) {
    auto const first = chunk * chunk_shape[d];
    return std::pair{first, first + std::min(chunk_shape[d], shape[d] - first)};
  });
}

TESSERA_DECL ResolvedSelection Orthogonal::resolve(Extents const& shape) const {
  detail::expect_rank("lists", indices_.size(), shape);
  Region region;
  std::vector<IndexList> lists;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    auto const& of = indices_[d];
    detail::add_slice(region, of.is_list_ ? Slice{} : of.slice_, shape[d]);
    if (!of.is_list_) continue;
    region.count[d] = of.list_.size();
    lists.push_back({d, of.list_});
  }
  ResolvedSelection selected{region};
  selected.lists = std::move(lists);
  selected.expect_inside(shape);
  return selected;
}

TESSERA_DECL Points::Points(std::vector<Extents> const& places)
    : Points{places.empty() ? any_rank : places[0].rank(), places.size()} {
  auto* next = places_.get();
  for (auto const& place : places) {
    detail::expect_rank("coordinates", place.rank(), places[0]);
    next = std::copy(place.begin(), place.end(), next);
  }
}

TESSERA_DECL PointList Points::resolve(Extents const& shape) const {
  if (rank_ != any_rank) detail::expect_rank("coordinates", rank_, shape);
  PointList list{{places_.get(), numbers_}, places_, count_};
  ResolvedSelection{list}.expect_inside(shape);
  return list;
}

TESSERA_DECL Points::Points(std::size_t rank, std::size_t count)
    : count_{count},
      rank_{rank},
      numbers_{count == 0 ? 0 : checked_size(checked_product(count, rank, "a list of coordinates"), "a list")},
      places_{std::make_shared_for_overwrite<std::uint64_t[]>(numbers_)} {}

TESSERA_DECL void Points::expect_length(std::size_t d, std::size_t length) const {
  if (length != count_)
    throw SelectionError{
        to_text({"dimension ", d, ": found ", length, " coordinates, expected ", count_, " as in the others"})};
}

TESSERA_DECL MaskBits Mask::resolve(Extents const& shape) const {
  auto const layout = detail::layout_of_mask(has_shape_ ? &layout_ : nullptr, size_, shape);
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

TESSERA_DECL Layout detail::layout_of_mask(Layout const* found, std::size_t size, Extents const& shape) {
  if (!found) {
    auto const elements = element_count(shape, "the array");
    if (size != elements)
      throw SelectionError{to_text({"found a mask of ", size, " elements, expected ", elements, " as in the array"})};
    return Layout::c_order(shape, 1);
  }
  expect_rank("dimensions", found->shape.rank(), shape);
  for (std::size_t d = 0; d < shape.rank(); ++d)
    if (found->shape[d] != shape[d])
      throw SelectionError{
          to_text({"dimension ", d, ": found a mask of length ", found->shape[d], ", expected ", shape[d]})};
  return *found;
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
