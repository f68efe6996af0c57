// Data types and devices of DLPack 1.1, and tessera's counterparts. Needs <dlpack/dlpack.h> (Apache-2.0), which comes
// with tessera: link tessera::dlpack.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <dlpack/dlpack.h>

#include <tessera/core/data_type.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/with/detail/exchange_error.hpp>

namespace tessera { inline namespace v0 {

namespace dlpack {

/// DLPack's code for a format of floating-point numbers; nullopt, if it has none.
inline std::optional<std::uint8_t> code_of(NumberFormat format) {
  switch (format) {
    case NumberFormat::usual:
      return kDLFloat;
    case NumberFormat::bfloat16:
      return kDLBfloat;
    case NumberFormat::float8_e3m4:
      return kDLFloat8_e3m4;
    case NumberFormat::float8_e4m3:
      return kDLFloat8_e4m3;
    case NumberFormat::float8_e4m3b11fnuz:
      return kDLFloat8_e4m3b11fnuz;
    case NumberFormat::float8_e4m3fn:
      return kDLFloat8_e4m3fn;
    case NumberFormat::float8_e4m3fnuz:
      return kDLFloat8_e4m3fnuz;
    case NumberFormat::float8_e5m2:
      return kDLFloat8_e5m2;
    case NumberFormat::float8_e5m2fnuz:
      return kDLFloat8_e5m2fnuz;
    case NumberFormat::float8_e8m0fnu:
      return kDLFloat8_e8m0fnu;
    case NumberFormat::float6_e2m3fn:
      return kDLFloat6_e2m3fn;
    case NumberFormat::float6_e3m2fn:
      return kDLFloat6_e3m2fn;
    case NumberFormat::float4_e2m1fn:
      return kDLFloat4_e2m1fn;
    default:
      return std::nullopt;
  }
}

/// Bits of a number; fewer than those of its bytes, if it lies in the low bits of a byte.
inline std::uint8_t bits_of(DataType type) {
  switch (type.format) {
    case NumberFormat::int2:
      return 2;
    case NumberFormat::int4:
    case NumberFormat::float4_e2m1fn:
      return 4;
    case NumberFormat::float6_e2m3fn:
    case NumberFormat::float6_e3m2fn:
      return 6;
    default:
      return static_cast<std::uint8_t>(type.size * 8);
  }
}
/// Whether a tensor of the type has the flag IS_SUBBYTE_TYPE_PADDED: without it DLPack packs such numbers.
inline bool is_padded(DataType type) { return bits_of(type) % 8 != 0; }

/// Throws: ExchangeError, for types that DLPack does not have: raw bits, times, text, structs, complex numbers of small
/// formats.
inline DLDataType type_of(DataType type) {
  auto const bits = bits_of(type);
  bool const is_usual = type.format == NumberFormat::usual;
  switch (type.kind) {
    case DataKind::boolean:
      return {kDLBool, bits, 1};
    case DataKind::signed_integer:
    case DataKind::unsigned_integer:
      return {static_cast<std::uint8_t>(type.kind == DataKind::signed_integer ? kDLInt : kDLUInt), bits, 1};
    case DataKind::floating:
      if (auto const code = code_of(type.format)) return {*code, bits, 1};
      break;
    case DataKind::complex:
      if (!is_usual) break;
      return {kDLComplex, bits, 1};
    default:
      break;
  }
  throw ExchangeError{to_text({"DLPack has no data type for ", type.name()})};
}

/// For messages: "bfloat16", "float8_e5m2", "float32 of 4 lanes".
inline std::string name_of(DLDataType type) {
  constexpr std::string_view names[] = {"int",           "uint",
                                        "float",         "handle",
                                        "bfloat",        "complex",
                                        "bool",          "float8_e3m4",
                                        "float8_e4m3",   "float8_e4m3b11fnuz",
                                        "float8_e4m3fn", "float8_e4m3fnuz",
                                        "float8_e5m2",   "float8_e5m2fnuz",
                                        "float8_e8m0fnu", "float6_e2m3fn",
                                        "float6_e3m2fn", "float4_e2m1fn"};
  std::string name = type.code < std::size(names) ? std::string{names[type.code]} : to_text({"type code ", type.code});
  bool const has_bits = type.code > kDLBool && type.code < std::size(names);
  if (!has_bits && !(type.code == kDLBool && type.bits == 8)) name += std::to_string(type.bits);
  return type.lanes == 1 ? name : to_text({name, " of ", type.lanes, " lanes"});
}

/// `padded`: whether the tensor has the flag IS_SUBBYTE_TYPE_PADDED. Throws: ExchangeError, if tessera has no such data
/// type, or has it with one number in each byte and the tensor packs them.
inline DataType data_type_of(DLDataType type, bool padded = false) {
  auto const is = [&](DataType known) {
    auto const same = type_of(known);
    return same.code == type.code && same.bits == type.bits && same.lanes == type.lanes;
  };
  for (auto known : data_types)
    if (is(known)) return known;
  if (DataType const half{DataKind::complex, 4}; is(half)) return half;
  auto const taken = [&](DataType known) {
    if (is_padded(known) && !padded)
      throw ExchangeError{to_text({"the tensor packs its ", name_of(type), " numbers, expected one in each byte and the "
                                   "flag IS_SUBBYTE_TYPE_PADDED"})};
    return known;
  };
  for (auto format = detail::first_small_float; code_of(format);
       format = static_cast<NumberFormat>(static_cast<std::uint8_t>(format) + 1))
    if (DataType const known{DataKind::floating, detail::size_of(format), format}; is(known)) return taken(known);
  for (auto const kind : {DataKind::signed_integer, DataKind::unsigned_integer})
    for (auto const format : {NumberFormat::int2, NumberFormat::int4})
      if (DataType const known{kind, 1, format}; is(known)) return taken(known);
  throw ExchangeError{to_text({"the tensor's elements are ", name_of(type), ", which tessera has no data type for"})};
}

/// DLPack's device for a memory space. Only device memory has a device number.
template <MemorySpace S>
constexpr DLDevice device_of(int number = 0) {
  if constexpr (std::same_as<S, space::Host>)
    return {kDLCPU, 0};
  else if constexpr (std::same_as<S, space::Pinned>)
    return {kDLCUDAHost, 0};
  else if constexpr (std::same_as<S, space::Managed>)
    return {kDLCUDAManaged, 0};
  else
    return {kDLCUDA, number};
}
inline bool is_same(DLDevice a, DLDevice b) {
  return a.device_type == b.device_type && (a.device_type != kDLCUDA || a.device_id == b.device_id);
}

/// For messages: "CUDA device 1".
inline std::string name_of(DLDevice device) {
  switch (device.device_type) {
    case kDLCPU:
      return "the host";
    case kDLCUDA:
      return to_text({"CUDA device ", device.device_id});
    case kDLCUDAHost:
      return "pinned memory";
    case kDLCUDAManaged:
      return "managed memory";
    default:
      return to_text({"a device of type ", static_cast<std::int64_t>(device.device_type)});
  }
}

}  // namespace dlpack
}}  // namespace tessera::v0
