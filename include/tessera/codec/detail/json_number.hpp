// JsonNumber: a number of a configuration, as written in its document and as used in arithmetic.
#pragma once
#include <cstdint>

#include <tessera/core/data_type.hpp>
#include <tessera/core/object_reader.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// An integer is written without fraction and exponent. Python distinguishes 1 from 1.0: integers combined with 1 stay
/// integers.
struct JsonNumber {
  Value given = Value::integer(0);
  double number = 0;          ///< the nearest double
  std::uint64_t integer = 0;  ///< modulo 2^64
  bool is_integer = true, is_negative = false;

  /// Throws: MetadataError naming the member, if it is not a number, or is an integer of more than 64 bits.
  [[gnu::cold]] static JsonNumber from(MemberValue const& found);

  /// Whether it is an integer that elements of this type, of 8 to 64 bits, can hold.
  bool fits(DataType type) const;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/detail/json_number.ipp>
#endif
