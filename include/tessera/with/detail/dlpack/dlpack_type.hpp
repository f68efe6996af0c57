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
#include <tessera/core/text.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 {

/// Memory cannot be handed to a consumer, or taken from a producer, as requested.
struct ExchangeError : detail::Located<ExchangeError> {
  using Located::Located;
};

namespace dlpack {

/// DLPack's code for a format of floating-point numbers; nullopt, if it has none or packs the numbers.
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
    default:
      return std::nullopt;  // DLPack packs those of six and four bits
  }
}

/// Throws: ExchangeError, for types that DLPack does not have: raw bits, times, text, structs, numbers of a few bits.
inline DLDataType type_of(DataType type) {
  auto const bits = static_cast<std::uint8_t>(type.size * 8);
  bool const is_usual = type.format == NumberFormat::usual;
  switch (type.kind) {
    case DataKind::boolean:
      return {kDLBool, bits, 1};
    case DataKind::signed_integer:
    case DataKind::unsigned_integer:
      if (!is_usual) break;
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

/// Throws: ExchangeError, if tessera has no such data type.
inline DataType data_type_of(DLDataType type) {
  auto const is = [&](DataType known) {
    auto const same = type_of(known);
    return same.code == type.code && same.bits == type.bits && same.lanes == type.lanes;
  };
  for (auto known : data_types)
    if (is(known)) return known;
  if (DataType const half{DataKind::complex, 4}; is(half)) return half;
  for (auto format = detail::first_small_float; code_of(format);
       format = static_cast<NumberFormat>(static_cast<std::uint8_t>(format) + 1))
    if (DataType const known{DataKind::floating, detail::size_of(format), format}; is(known)) return known;
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
