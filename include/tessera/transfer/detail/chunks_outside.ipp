#pragma once
#include <tessera/transfer/detail/chunks_outside.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/chunk_edges.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL ChunksOutside::ChunksOutside(Extents const& kept, Extents const& shown, Extents const& chunk_shape,
                                          std::vector<ChunkEdges> const& edges)
    : kept_{kept}, chunk_shape_{chunk_shape} {
  for (std::size_t d = 0; d < edges.size(); ++d) {
    ChunkAxis const axis{edges[d], shown[d]};
    auto const& whole = axes_.emplace_back(edges[d], axis.end());  // chunks of full length
    grid_.push_back(axis.chunks());
    within_.push_back(kept[d] >= shown[d] ? axis.chunks() : whole.chunk_of(kept[d]));
  }
  for (auto d = edges.size(); d < shown.rank(); ++d) {
    auto const length = chunk_shape[d], chunks = shown[d] / length + (shown[d] % length != 0);
    grid_.push_back(chunks);
    within_.push_back(kept[d] >= shown[d] ? chunks : kept[d] / length);
  }
  auto const all = count_or_most(grid_);
  size_ = all == ~std::uint64_t{0} ? all : all - count_or_most(within_);
  if (grid_ == within_) size_ = 0;
}

TESSERA_DECL Extents ChunksOutside::whole_chunks() const {
  auto whole = grid_;
  for (std::size_t d = 0; d < whole.rank(); ++d) whole[d] = axes_.empty() ? grid_[d] * chunk_shape_[d] : axes_[d].end();
  return whole;
}

TESSERA_DECL bool ChunksOutside::is_cut(Extents const& chunk) const {
  for (std::size_t d = 0; d < chunk.rank(); ++d)
    if (chunk_at(d, chunk[d]).first >= kept_[d]) return false;
  return true;
}

TESSERA_DECL ChunkAxis::Placed ChunksOutside::chunk_at(std::size_t d, std::uint64_t place) const {
  if (!axes_.empty()) return axes_[d].chunk(place);
  return {place * chunk_shape_[d], chunk_shape_[d]};
}

TESSERA_DECL bool ChunksOutside::has(Extents const& place) const {
  bool within = true;
  for (std::size_t d = 0; d < place.rank(); ++d) {
    if (place[d] >= grid_[d]) return false;
    within = within && place[d] < within_[d];
  }
  return !within;
}

TESSERA_DECL Extents ChunksOutside::place_in(Extents const& first, Extents const& count, std::uint64_t n) {
  auto place = first;
  for (auto d = count.rank(); d-- > 0; n /= count[d]) place[d] += n % count[d];
  return place;
}

}}}  // namespace tessera::v0::detail
