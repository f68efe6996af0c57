#pragma once
#include <tessera/core/data_type.hpp>

#include <cstdint>
#include <string>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/number_format.hpp>
#include <tessera/core/time_unit.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL std::string DataType::name() const {
  auto const with = [](char const* name, std::string const& what) { return std::string{name} + "[" + what + "]"; };
  auto const bits = std::to_string(std::uint64_t{size} * 8);
  switch (kind) {
    case DataKind::boolean:
      return "bool";
    case DataKind::signed_integer:
    case DataKind::unsigned_integer: {
      std::string const name = kind == DataKind::signed_integer ? "int" : "uint";
      return name + (format == NumberFormat::int2 ? "2" : format == NumberFormat::int4 ? "4" : bits);
    }
    case DataKind::floating:
      return format == NumberFormat::usual ? "float" + bits : std::string{detail::format_name(format)};
    case DataKind::complex:
      if (format != NumberFormat::usual) return "complex_" + std::string{detail::format_name(format)};
      return size == 4 ? "complex_float16" : "complex" + bits;
    case DataKind::raw:
      return "r" + bits;
    case DataKind::datetime:
    case DataKind::timedelta:
      return with(kind == DataKind::datetime ? "numpy.datetime64" : "numpy.timedelta64",
                  (scale == 1 ? "" : std::to_string(scale)) + std::string{detail::unit_name(unit)});
    case DataKind::utf32:
      return with("fixed_length_utf32", std::to_string(size));
    case DataKind::null_terminated:
      return with("null_terminated_bytes", std::to_string(size));
    case DataKind::structure:
      return with("struct", std::to_string(size));
    case DataKind::string:
      return "string";
    case DataKind::bytes:
      return "bytes";
  }
  return "?";
}

}}  // namespace tessera::v0
