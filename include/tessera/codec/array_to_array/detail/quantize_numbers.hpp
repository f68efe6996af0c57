// QuantizeNumbers: some digits of fractions, in another number type.
#pragma once
#include <cstddef>

#include <tessera/codec/detail/numbers.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct QuantizeNumbers {
  static constexpr bool may_refuse = false;
  DataType from, to;
  double scale;
  std::size_t from_size = from.size, to_size = to.size;

  template <std::size_t Most>
  TESSERA_HOST_DEVICE std::size_t run(std::byte const* one, std::byte* other, std::size_t n) const {
    double numbers[Most];
    load_numbers(from, one, n, numbers);
    for (std::size_t i = 0; i < n; ++i)
      numbers[i] = rounded_as(from, nearest_integer(rounded_as(from, scale * numbers[i])) / scale);
    store_numbers(numbers, n, to, other);
    return n;
  }
};

}  // namespace detail
}}  // namespace tessera::v0
