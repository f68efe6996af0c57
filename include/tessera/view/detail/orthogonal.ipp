#pragma once
#include <tessera/view/orthogonal.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 {

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

}}  // namespace tessera::v0
