// ScaleAndRound, UndoScaleOffset: the arithmetic of FixedScaleOffset, both ways.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/detail/numbers.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// enc / scale + offset, in the arithmetic of the stored numbers, or in double if these are integers.
struct UndoScaleOffset {
  static constexpr bool may_refuse = false;
  DataType from, to;
  double scale, offset;
  std::size_t from_size = from.size, to_size = to.size;

  template <std::size_t Most>
  TESSERA_HOST_DEVICE std::size_t run(std::byte const* one, std::byte* other, std::size_t n) const {
    double numbers[Most];
    load_numbers(from, one, n, numbers);
    for (std::size_t i = 0; i < n; ++i) numbers[i] = rounded_as(from, rounded_as(from, numbers[i] / scale) + offset);
    store_numbers(numbers, n, to, other);
    return n;
  }
};

/// (x - offset) * scale in the arithmetic of the elements, rounded. With integer elements an integer offset, and then
/// an integer scale, apply in integers, which wrap around.
struct ScaleAndRound {
  static constexpr bool may_refuse = false;
  DataType from, to;
  double scale, offset;
  std::uint64_t whole_scale, whole_offset;
  bool takes_whole_scale, takes_whole_offset;
  std::size_t from_size = from.size, to_size = to.size;

  template <std::size_t Most>
  TESSERA_HOST_DEVICE std::size_t run(std::byte const* one, std::byte* other, std::size_t n) const {
    double numbers[Most];
    if (takes_whole_offset) {
      std::uint64_t whole[Most];
      load_integers(from, one, n, whole);
      for (std::size_t i = 0; i < n; ++i) whole[i] = wrapped(whole[i] - whole_offset);
      if (takes_whole_scale) {
        for (std::size_t i = 0; i < n; ++i) whole[i] = wrapped(whole[i] * whole_scale);
        store_integers(whole, is_signed(), n, to, other);
        return n;
      }
      for (std::size_t i = 0; i < n; ++i)
        numbers[i] =
            is_signed() ? static_cast<double>(static_cast<std::int64_t>(whole[i])) : static_cast<double>(whole[i]);
    } else {
      load_numbers(from, one, n, numbers);
      for (std::size_t i = 0; i < n; ++i) numbers[i] = rounded_as(from, numbers[i] - offset);
    }
    for (std::size_t i = 0; i < n; ++i) numbers[i] = nearest_integer(rounded_as(from, numbers[i] * scale));
    store_numbers(numbers, n, to, other);
    return n;
  }

 private:
  TESSERA_HOST_DEVICE bool is_signed() const { return from.kind == DataKind::signed_integer; }
  TESSERA_HOST_DEVICE std::uint64_t wrapped(std::uint64_t number) const {
    auto const unused = 64 - 8 * from.size;
    auto const bits = number << unused;
    return is_signed() ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> unused) : bits >> unused;
  }
};

}  // namespace detail
}}  // namespace tessera::v0
