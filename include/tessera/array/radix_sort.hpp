// Sorting in time in proportion to how much there is.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace tessera::inline v0::detail {

/// Records, not initialised, and room for as many.
template <class R>
struct SortedRecords {
  SortedRecords() = default;
  explicit SortedRecords(std::size_t n) : size{n}, records{new R[n]}, room{new R[n]} {}
  std::size_t size = 0;
  std::unique_ptr<R[]> records{}, room{};
};

/// By a number of each, which is `most` at most; those that have it in common stay in their order.
template <class R, class N>
void radix_sort(SortedRecords<R>& all, N R::*number, std::uint64_t most) {
  constexpr unsigned most_bits = 11;  // at a time: so many places to write to stay in the first cache
  auto const bits = static_cast<unsigned>(std::bit_width(most)), passes = (bits + most_bits - 1) / most_bits;
  for (unsigned pass = 0; pass < passes; ++pass) {
    auto const each = (bits + passes - 1) / passes;
    auto const digit = [&](R const& record) {
      return static_cast<std::size_t>(record.*number >> (pass * each)) & ((std::size_t{1} << each) - 1);
    };
    std::size_t next[std::size_t{1} << most_bits];
    std::fill_n(next, std::size_t{1} << each, std::size_t{0});
    for (std::size_t i = 0; i < all.size; ++i) ++next[digit(all.records[i])];
    std::size_t before = 0;
    for (std::size_t k = 0; k < std::size_t{1} << each; ++k) before += std::exchange(next[k], before);
    for (std::size_t i = 0; i < all.size; ++i) all.room[next[digit(all.records[i])]++] = all.records[i];
    std::swap(all.records, all.room);
  }
}

}  // namespace tessera::inline v0::detail
