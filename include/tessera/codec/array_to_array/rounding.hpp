// Numbers with fewer digits, which compress better. BitRound: few non-zero bits (zarr-extensions, codecs/bitround); for
// fractions also numcodecs' bitround. Quantize: numcodecs' quantize, which keeps some decimal digits of fractions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <tessera/codec/array_to_array/detail/convert_numbers.hpp>
#include <tessera/codec/array_to_array/detail/quantize_numbers.hpp>
#include <tessera/codec/array_to_array/detail/round_bits.hpp>
#include <tessera/codec/detail/elementwise.hpp>
#include <tessera/codec/detail/numbers.hpp>
#include <tessera/core/detail/numpy_type.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `keepbits`, the number of bits kept: mantissa bits of a fraction, bits of an integer from its highest
/// one on. For real and complex numbers. Decoding returns the stored numbers.
struct BitRound : detail::Elementwise<BitRound> {
  static constexpr std::string_view name = "bitround";

  std::uint32_t keepbits = 0;

  static BitRound from(ObjectReader& configuration);
  Value configuration() const;
  ChunkSpecification encoded(ChunkSpecification chunk) const;
  detail::CopyElements decoder(ChunkSpecification const& chunk) const;
  detail::RoundBits encoder(ChunkSpecification const& chunk) const;

 private:
  static DataType component(ChunkSpecification const& chunk);
};

/// Configuration: `digits` after the point, negative before it; `dtype` of the elements, and `astype` of the stored
/// numbers, by default the same: floating-point types by NumPy's names. Decoding returns the stored numbers.
struct Quantize : detail::Elementwise<Quantize> {
  static constexpr std::string_view name = "numcodecs.quantize";

  int digits = 0;
  std::optional<detail::NumpyType> dtype, astype;

  static Quantize from(ObjectReader& configuration);
  Value configuration() const;
  Quantize fitted(ChunkSpecification const& chunk) const;

  /// The type of encoded elements.
  DataType encoded_type(DataType type) const { return astype ? astype->type : type; }
  ChunkSpecification encoded(ChunkSpecification chunk) const;
  detail::ConvertNumbers decoder(ChunkSpecification const& chunk) const;
  detail::QuantizeNumbers encoder(ChunkSpecification const& chunk) const;

  /// The power of two by which numcodecs multiplies before rounding.
  double scale() const;
};

}  // namespace codec
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/array_to_array/detail/rounding.ipp>
#endif
