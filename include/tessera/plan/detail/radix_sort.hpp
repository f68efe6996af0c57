// radix_sort: sorting in linear time.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/detail/checked.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// An array of records, not initialised. A million records are in huge pages.
template <class R>
requires std::is_trivially_copyable_v<R>
class Records {
 public:
  Records() = default;
  explicit Records(std::uint64_t size)
      : memory_{checked_size(checked_product(size, sizeof(R), "a selection"), "a selection")},
        data_{reinterpret_cast<R*>(memory_.span().data)},
        size_{static_cast<std::size_t>(size)} {}

  std::size_t size() const { return size_; }
  R* begin() { return data_; }
  R const* begin() const { return data_; }
  R& operator[](std::size_t i) { return data_[i]; }
  R const& operator[](std::size_t i) const { return data_[i]; }
  /// Drops the records from there on.
  void end_at(std::size_t size) { size_ = size; }

 private:
  HostBuffer memory_{};
  R* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Sorts by a member, which is at most `most`; equal ones keep their order. `scratch` has the same size.
template <class R, class N>
void radix_sort(Records<R>& records, Records<R>& scratch, N R::*number, std::uint64_t most) {
  constexpr unsigned most_bits = 11;  // bits per pass: so that the write positions fit into the first-level cache
  auto const bits = static_cast<unsigned>(std::bit_width(most)), passes = (bits + most_bits - 1) / most_bits;
  for (unsigned pass = 0; pass < passes; ++pass) {
    auto const each = (bits + passes - 1) / passes;
    auto const size = records.size(), digits = std::size_t{1} << each;
    auto const* const from = records.begin();
    auto* const to = scratch.begin();
    auto const digit = [&](R const& record) {
      return static_cast<std::size_t>(record.*number >> (pass * each)) & (digits - 1);
    };
    std::size_t next[std::size_t{1} << most_bits];
    std::fill_n(next, digits, std::size_t{0});
    for (std::size_t i = 0; i < size; ++i) ++next[digit(from[i])];
    std::size_t before = 0;
    for (std::size_t k = 0; k < digits; ++k) before += std::exchange(next[k], before);
    for (std::size_t i = 0; i < size; ++i) to[next[digit(from[i])]++] = from[i];
    std::swap(records, scratch);
  }
}

}}}  // namespace tessera::v0::detail
