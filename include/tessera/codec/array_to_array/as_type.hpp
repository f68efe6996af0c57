// numcodecs' astype: elements as numbers of another type.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <tessera/codec/elementwise.hpp>
#include <tessera/codec/number_type.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct ConvertNumbers {
  static constexpr bool may_refuse = false;
  DataType from, to;
  std::size_t from_size = from.size, to_size = to.size;

  template <std::size_t Most>
  TESSERA_HOST_DEVICE std::size_t run(std::byte const* one, std::byte* other, std::size_t n) const {
    if (from == to) return CopyElements{from.size}.template run<Most>(one, other, n);  // a NaN that signals still does
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

/// Configuration: `encode_dtype`, and `decode_dtype`, that of the elements where it is not there: types of numbers by
/// NumPy's names. Numbers become others as NumPy makes them: integers wrap around, fractions lose what is behind the
/// point.
struct AsType : detail::Elementwise<AsType> {
  static constexpr std::string_view name = "numcodecs.astype";

  detail::NumpyType encode_dtype;
  std::optional<detail::NumpyType> decode_dtype;

  static AsType from(ObjectReader& configuration) {
    AsType codec;
    codec.encode_dtype = detail::read_number_type(configuration.at("encode_dtype"));
    codec.decode_dtype = detail::find_number_type(configuration, "decode_dtype");
    return codec;
  }
  Value configuration() const {
    Members members{{"encode_dtype", detail::write_numpy_type(encode_dtype)}};
    if (decode_dtype) members.push_back({"decode_dtype", detail::write_numpy_type(*decode_dtype)});
    return members;
  }
  AsType fitted(DataType type) const {
    auto fitted = *this;
    if (!fitted.decode_dtype) fitted.decode_dtype = detail::NumpyType{type};
    return fitted;
  }

  DataType encoded_type(DataType) const { return encode_dtype.type; }
  ChunkSpecification encoded(ChunkSpecification chunk) const {
    detail::expect_number_type("decode_dtype", decode_dtype, chunk.type);
    chunk.fill = detail::encoded_fill(*this, chunk, encode_dtype.type);
    chunk.type = encode_dtype.type;
    return chunk;
  }
  detail::ConvertNumbers decoder(ChunkSpecification const& chunk) const { return {encode_dtype.type, chunk.type}; }
  detail::ConvertNumbers encoder(ChunkSpecification const& chunk) const { return {chunk.type, encode_dtype.type}; }
};

}  // namespace codec
}}  // namespace tessera::v0
