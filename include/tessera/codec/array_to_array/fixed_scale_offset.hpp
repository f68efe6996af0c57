// numcodecs' fixedscaleoffset: fractions as integers, (x - offset) * scale, rounded.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <tessera/codec/elementwise.hpp>
#include <tessera/codec/json_number.hpp>
#include <tessera/codec/number_type.hpp>

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

/// (x - offset) * scale in the arithmetic of the elements, rounded. To integers an offset that is one is subtracted as
/// integers, and so for the scale: they wrap around.
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

namespace codec {

/// Configuration: `offset` and `scale`, numbers; `dtype` of the elements, and `astype` of what is stored, the same
/// where it is not there: types of numbers by NumPy's names. Arithmetic and rounding are NumPy's.
struct FixedScaleOffset : detail::Elementwise<FixedScaleOffset> {
  static constexpr std::string_view name = "numcodecs.fixedscaleoffset";

  detail::JsonNumber scale, offset;
  std::optional<detail::NumpyType> dtype, astype;

  static FixedScaleOffset from(ObjectReader& configuration) {
    FixedScaleOffset codec;
    codec.scale = detail::JsonNumber::from(configuration.at("scale"));
    codec.offset = detail::JsonNumber::from(configuration.at("offset"));
    codec.dtype = detail::find_number_type(configuration, "dtype");
    codec.astype = detail::find_number_type(configuration, "astype");
    return codec;
  }
  Value configuration() const {
    Members members{{"scale", scale.given}, {"offset", offset.given}};
    if (dtype) members.push_back({"dtype", detail::write_numpy_type(*dtype)});
    if (astype) members.push_back({"astype", detail::write_numpy_type(*astype)});
    return members;
  }
  FixedScaleOffset fitted(DataType type) const {
    auto fitted = *this;
    if (!fitted.dtype) fitted.dtype = detail::NumpyType{type};
    return fitted;
  }

  DataType encoded_type(DataType type) const { return astype ? astype->type : type; }
  ChunkSpecification encoded(ChunkSpecification chunk) const {
    detail::expect_number_type("dtype", dtype, chunk.type);
    for (auto const* number : {&scale, &offset})  // NumPy has no such arithmetic
      if (detail::holds_integers(chunk.type) && number->is_integer && !number->fits(chunk.type))
        throw MetadataError{
            text({"member configuration.", number == &scale ? "scale" : "offset", ": found ", describe(number->given),
                  ", expected an integer that ", chunk.type.name(), " has, or a fraction, as 1.0 is"})};
    chunk.fill = detail::encoded_fill(*this, chunk, encoded_type(chunk.type));
    chunk.type = encoded_type(chunk.type);
    return chunk;
  }
  detail::UndoScaleOffset decoder(ChunkSpecification const& chunk) const {
    auto const type = encoded_type(chunk.type);
    return {type, chunk.type, detail::rounded_as(type, scale.number), detail::rounded_as(type, offset.number)};
  }
  detail::ScaleAndRound encoder(ChunkSpecification const& chunk) const {
    bool const are_whole = detail::holds_integers(chunk.type) && offset.is_integer;
    return {chunk.type,
            encoded_type(chunk.type),
            detail::rounded_as(chunk.type, scale.number),
            detail::rounded_as(chunk.type, offset.number),
            scale.integer,
            offset.integer,
            are_whole && scale.is_integer,
            are_whole};
  }
};

}  // namespace codec
}}  // namespace tessera::v0
