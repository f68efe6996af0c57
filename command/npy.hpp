// The header of a .npy file, version 1.0 (numpy.lib.format).
#pragma once
#include <bit>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/detail/numpy_type.hpp>

#include "failure.hpp"

namespace cli {
namespace detail {

inline std::string python_text(std::string_view text) {
  std::string result = "'";
  for (char const c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result += '\'';
}

}  // namespace detail

/// "'<f4'", "'|u1'", "[('a', '<i4'), ('b', '<f8')]": elements of this type, little endian. Throws: UsageError, if NumPy
/// has no equivalent.
inline std::string npy_type(tessera::detail::NumpyType const& of) {
  if (of.type.kind != tessera::DataKind::structure) {
    std::string name;
    try {
      name = tessera::detail::write_numpy_type(of);
    } catch (tessera::MetadataError const&) {
    }
    if (name.empty() || std::string_view{"<|"}.find(name[0]) == std::string_view::npos)
      throw UsageError{"NumPy has no elements of " + of.type.name() + "; --format json, bin, csv or txt is for them"};
    return detail::python_text(name);
  }
  std::string list;
  for (auto const& field : of.fields)
    list += (list.empty() ? "[(" : ", (") + detail::python_text(field.name) + ", " +
            npy_type({field.type, false, field.fields}) + ")";
  return list + "]";
}

/// Throws: UsageError, as npy_type, or if the fields of a struct are too many for it.
inline std::string npy_header(tessera::Extents const& shape, tessera::detail::NumpyType const& type) {
  std::string tuple;
  for (auto n : shape) tuple += std::to_string(n) + (shape.rank() == 1 ? "," : ", ");
  if (shape.rank() > 1) tuple.resize(tuple.size() - 2);
  auto header = "{'descr': " + npy_type(type) + ", 'fortran_order': False, 'shape': (" + tuple + "), }";
  constexpr std::size_t before = 10;  // "\x93NUMPY", the version, and the header's length in 16 bits
  while ((before + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  if (header.size() > 0xffff) throw UsageError{"the fields of " + type.type.name() + " are too many for a .npy file"};
  std::string result{"\x93NUMPY\x01\x00", 8};
  result += static_cast<char>(header.size() & 0xff);
  result += static_cast<char>(header.size() >> 8);
  return result + header;
}

}  // namespace cli
