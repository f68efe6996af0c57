// read_floating, write_floating: floating-point fill values of every width: numbers, words, bits.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/small_float.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/object_reader.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}
template <class T>
T value_of(std::span<std::byte const> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// A floating-point type: its special values, its bits as numbers.
struct FloatingType {
  std::uint32_t size;
  NumberFormat format;

  SmallFloat small() const { return small_float(format); }
  bool is_small() const { return size <= 2; }
  std::uint64_t sign() const;
  std::uint64_t infinity() const;
  std::uint64_t nan() const;
  bool has_infinity() const { return !is_small() || small().has_infinity(); }
  bool has_nan() const { return !is_small() || small().has_nan(); }
  /// The bits that a number may have set.
  std::uint64_t all() const;
  std::optional<std::uint64_t> parse(std::string const& text) const;
  /// nullopt: NaN.
  std::optional<double> value(std::uint64_t bits) const;
  // Native byte order: the integer's low bytes, or its last ones on a big-endian machine.
  std::vector<std::byte> bytes(std::uint64_t bits) const;
  std::uint64_t bits(std::span<std::byte const> bytes) const;
};

TESSERA_DECL std::vector<std::byte> read_floating(MemberValue const& found, FloatingType type);
TESSERA_DECL Value write_floating(std::span<std::byte const> bytes, FloatingType type);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/floating_fill.ipp>
#endif
