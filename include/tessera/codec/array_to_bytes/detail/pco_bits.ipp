#pragma once
#include <tessera/codec/array_to_bytes/detail/pco_bits.hpp>

#include <cstdint>
#include <string_view>

#include <tessera/core/error.hpp>
#include <tessera/memory/bytes.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::uint64_t PcoBits::left() const { return std::uint64_t{8} * from_.size - at_; }

TESSERA_DECL void PcoBits::expect(std::uint64_t count, std::string_view what) const {
  if (count > left()) throw CodecError{to_text({"the ", from_.size, " bytes end within ", what})};
}

TESSERA_DECL std::uint64_t PcoBits::take(unsigned count) {
  if (count > left()) throw CodecError{to_text({"the ", from_.size, " bytes end before the last number"})};
  if (count == 0) return 0;
  auto const* const from = from_.data + at_ / 8;
  auto const shift = static_cast<unsigned>(at_ % 8);
  auto const bytes = (shift + count + 7) / 8;  // at most 9
  std::uint64_t low = 0;
  if (from_.size - at_ / 8 >= 8)
    for (unsigned i = 0; i < 8; ++i) low |= std::uint64_t{static_cast<std::uint8_t>(from[i])} << 8 * i;
  else
    for (unsigned i = 0; i < bytes; ++i) low |= std::uint64_t{static_cast<std::uint8_t>(from[i])} << 8 * i;
  auto bits = low >> shift;
  if (bytes == 9) bits |= std::uint64_t{static_cast<std::uint8_t>(from[8])} << (64 - shift);
  at_ += count;
  return bits & ~std::uint64_t{0} >> (64 - count);
}

TESSERA_DECL void PcoBits::align(std::string_view what) {
  if (at_ % 8 != 0 && take(8 - static_cast<unsigned>(at_ % 8)) != 0)
    throw CodecError{to_text({"found nonzero bits after ", what})};
}

}}}  // namespace tessera::v0::detail
