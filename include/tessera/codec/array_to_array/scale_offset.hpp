// scale_offset: (x - offset) * scale in the arithmetic of the elements (zarr-extensions, codecs/scale_offset).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tessera/codec/elementwise.hpp>
#include <tessera/codec/json_number.hpp>
#include <tessera/codec/numbers.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Fractions as IEEE 754 rounds them. Integers exactly: one that is not such an integer is refused, and so is a
/// quotient with a remainder.
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
  // False: the sum is no such element.
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

namespace codec {

/// Configuration: `offset`, 0 where it is not there, and `scale`, 1 where it is not there, and never 0: numbers of the
/// elements' type.
struct ScaleOffset : detail::Elementwise<ScaleOffset> {
  static constexpr std::string_view name = "scale_offset";

  detail::JsonNumber offset, scale{Value::integer(1), 1, 1};

  static ScaleOffset from(ObjectReader& configuration) {
    ScaleOffset codec;
    if (auto const found = configuration.find("offset")) codec.offset = detail::JsonNumber::from(*found);
    if (auto const found = configuration.find("scale")) {
      codec.scale = detail::JsonNumber::from(*found);
      if (codec.scale.number == 0) found->refuse("a number but 0, by which decoding divides");
    }
    return codec;
  }
  Value configuration() const { return Members{{"offset", offset.given}, {"scale", scale.given}}; }

  ChunkSpecification encoded(ChunkSpecification chunk) const {
    if (!detail::holds_numbers(chunk.type))
      throw MetadataError{text({"found elements of ", chunk.type.name(), ", which it does not take"})};
    for (auto const* number : {&offset, &scale})
      if (detail::holds_integers(chunk.type) && !number->fits(chunk.type))
        throw MetadataError{text({"member configuration.", number == &scale ? "scale" : "offset", ": found ",
                                  describe(number->given), ", expected a number of ", chunk.type.name()})};
    try {
      chunk.fill = detail::encoded_fill(*this, chunk, chunk.type);
    } catch (CodecError const&) {
      throw MetadataError{text({"the fill value, with scale and offset, is no number of ", chunk.type.name()})};
    }
    return chunk;
  }
  detail::ScaleValues decoder(ChunkSpecification const& chunk) const { return values(chunk, false); }
  detail::ScaleValues encoder(ChunkSpecification const& chunk) const { return values(chunk, true); }

 private:
  detail::ScaleValues values(ChunkSpecification const& chunk, bool encodes) const {
    auto const whole = [](detail::JsonNumber const& number) -> detail::ScaleValues::Signed {
      return {number.is_negative ? ~number.integer + 1 : number.integer, number.is_negative};
    };
    return {chunk.type,
            encodes,
            detail::rounded_as(chunk.type, scale.number),
            detail::rounded_as(chunk.type, offset.number),
            whole(scale),
            whole(offset)};
  }
};

}  // namespace codec
}}  // namespace tessera::v0
