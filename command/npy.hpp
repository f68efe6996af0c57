// The header of a .npy file, version 1.0 (numpy.lib.format).
#pragma once
#include <bit>
#include <cstddef>
#include <string>

#include <tessera/core/data_type.hpp>
#include <tessera/core/dimensions.hpp>

namespace cli {

/// "<f4", "|u1": elements of this type, little endian.
inline std::string npy_type(tessera::DataType type) {
  auto const kind = "biufcV"[static_cast<std::size_t>(type.kind)];
  std::string name{type.component() == 1 ? '|' : '<', kind};
  return name += std::to_string(type.size);
}

inline std::string npy_header(tessera::Extents const& shape, tessera::DataType type) {
  std::string tuple;
  for (auto n : shape) tuple += std::to_string(n) + (shape.rank() == 1 ? "," : ", ");
  if (shape.rank() > 1) tuple.resize(tuple.size() - 2);
  auto header = "{'descr': '" + npy_type(type) + "', 'fortran_order': False, 'shape': (" + tuple + "), }";
  constexpr std::size_t before = 10;  // "\x93NUMPY", the version, and the header's length in 16 bits
  while ((before + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string result{"\x93NUMPY\x01\x00", 8};
  result += static_cast<char>(header.size() & 0xff);
  result += static_cast<char>(header.size() >> 8);
  return result + header;
}

}  // namespace cli
