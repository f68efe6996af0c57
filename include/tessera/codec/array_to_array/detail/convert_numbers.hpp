// ConvertNumbers: elements of one number type as another, as NumPy converts them.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/detail/elementwise.hpp>
#include <tessera/codec/detail/numbers.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct ConvertNumbers {
  static constexpr bool may_refuse = false;
  DataType from, to;
  std::size_t from_size = from.size, to_size = to.size;

  template <std::size_t Most>
  TESSERA_HOST_DEVICE std::size_t run(std::byte const* one, std::byte* other, std::size_t n) const {
    if (from == to) return CopyElements{from.size}.template run<Most>(one, other, n);  // keeps signalling NaNs
    if (holds_integers(from)) {
      std::uint64_t numbers[Most];
      load_integers(from, one, n, numbers);
      store_integers(numbers, from.kind == DataKind::signed_integer, n, to, other);
    } else {
      double numbers[Most];
      load_numbers(from, one, n, numbers);
      store_numbers(numbers, n, to, other);
    }
    return n;
  }
};

}  // namespace detail
}}  // namespace tessera::v0
