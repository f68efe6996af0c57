// ScaleValues: the arithmetic of ScaleOffset, both ways.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/detail/numbers.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Fractions round as in IEEE 754. Integers are exact: results that the type cannot hold, and quotients with a
/// remainder, are refused.
struct ScaleValues {
  static constexpr bool may_refuse = true;
  struct Signed {
    std::uint64_t size = 0;
    bool is_negative = false;
  };
  DataType type;
  bool encodes;
  double scale, offset;
  Signed whole_scale, whole_offset;
  std::size_t from_size = type.size, to_size = from_size;

  template <std::size_t Most>
  TESSERA_HOST_DEVICE std::size_t run(std::byte const* from, std::byte* to, std::size_t n) const {
    if (holds_integers(type)) {
      std::uint64_t numbers[Most];
      load_integers(type, from, n, numbers);
      std::size_t made = 0;
      while (made < n && (encodes ? encode(numbers[made]) : decode(numbers[made]))) ++made;
      store_integers(numbers, is_signed(), made, type, to);
      return made;
    }
    double numbers[Most];
    load_numbers(type, from, n, numbers);
    for (std::size_t i = 0; i < n; ++i)
      numbers[i] = encodes ? rounded_as(type, rounded_as(type, numbers[i] - offset) * scale)
                           : rounded_as(type, rounded_as(type, numbers[i] / scale) + offset);
    store_numbers(numbers, n, type, to);
    return n;
  }

 private:
  TESSERA_HOST_DEVICE bool is_signed() const { return type.kind == DataKind::signed_integer; }
  TESSERA_HOST_DEVICE Signed seen(std::uint64_t bits) const {
    bool const is_negative = is_signed() && bits >> 63 != 0;
    return {is_negative ? ~bits + 1 : bits, is_negative};
  }
  TESSERA_HOST_DEVICE bool fits(Signed number) const {
    auto const most = ~std::uint64_t{0} >> (64 - 8 * type.size + is_signed());
    return number.size <= (!number.is_negative ? most : is_signed() ? most + 1 : 0);
  }
  // False: the type cannot hold the sum.
  TESSERA_HOST_DEVICE bool add(Signed& to, Signed other) const {
    if (to.is_negative == other.is_negative) {
      to.size += other.size;
      return to.size >= other.size && fits(to);
    }
    bool const is_less = to.size < other.size;
    to = {is_less ? other.size - to.size : to.size - other.size, is_less ? other.is_negative : to.is_negative};
    return fits(to);
  }
  TESSERA_HOST_DEVICE bool encode(std::uint64_t& bits) const {
    auto number = seen(bits);
    if (!add(number, {whole_offset.size, !whole_offset.is_negative})) return false;
    if (number.size != 0 && whole_scale.size > ~std::uint64_t{0} / number.size) return false;
    number = {number.size * whole_scale.size, number.is_negative != whole_scale.is_negative};
    bits = number.is_negative ? ~number.size + 1 : number.size;
    return fits(number);
  }
  TESSERA_HOST_DEVICE bool decode(std::uint64_t& bits) const {
    auto number = seen(bits);
    if (number.size % whole_scale.size != 0) return false;
    number = {number.size / whole_scale.size, number.is_negative != whole_scale.is_negative};
    if (!fits(number) || !add(number, whole_offset)) return false;
    bits = number.is_negative ? ~number.size + 1 : number.size;
    return true;
  }
};

}  // namespace detail
}}  // namespace tessera::v0
