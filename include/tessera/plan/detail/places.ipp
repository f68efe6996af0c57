#pragma once
#include <tessera/plan/detail/places.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void Places::add(Extents const& place) {
  numbers_.insert(numbers_.end(), place.begin(), place.end());
  ++size_;
}

TESSERA_DECL Extents Places::operator[](std::size_t i) const {
  Extents place;
  for (std::size_t d = 0; d < rank_; ++d) place.push_back(numbers_[i * rank_ + d]);
  return place;
}

TESSERA_DECL void Places::sort() {
  std::vector<std::size_t> order(size_);
  for (std::size_t i = 0; i < size_; ++i) order[i] = i;
  auto const at = [&](std::size_t i) { return numbers_.data() + i * rank_; };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::lexicographical_compare(at(a), at(a) + rank_, at(b), at(b) + rank_);
  });
  auto const is_same = [&](std::size_t a, std::size_t b) { return std::equal(at(a), at(a) + rank_, at(b)); };
  order.erase(std::unique(order.begin(), order.end(), is_same), order.end());
  std::vector<std::uint64_t> sorted;
  sorted.reserve(order.size() * rank_);
  for (auto const i : order) sorted.insert(sorted.end(), at(i), at(i) + rank_);
  numbers_ = std::move(sorted);
  size_ = order.size();
}

}}}  // namespace tessera::v0::detail
