// AsType: numcodecs' astype, which converts elements to another number type.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <tessera/codec/detail/elementwise.hpp>
#include <tessera/codec/detail/numbers.hpp>
#include <tessera/core/detail/numpy_type.hpp>

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

namespace codec {

/// Configuration: `encode_dtype`, and `decode_dtype`, by default the elements' type: number types by NumPy's names.
/// Conversion is NumPy's: integers wrap around, fractions are truncated to integers.
struct AsType : detail::Elementwise<AsType> {
  static constexpr std::string_view name = "numcodecs.astype";

  detail::NumpyType encode_dtype;
  std::optional<detail::NumpyType> decode_dtype;

  static AsType from(ObjectReader& configuration);
  Value configuration() const;
  AsType fitted(ChunkSpecification const& chunk) const;

  ChunkSpecification encoded(ChunkSpecification chunk) const;
  detail::ConvertNumbers decoder(ChunkSpecification const& chunk) const;
  detail::ConvertNumbers encoder(ChunkSpecification const& chunk) const;
};

}  // namespace codec
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/array_to_array/detail/as_type.ipp>
#endif
