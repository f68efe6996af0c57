// NumPy's type strings, as Zarr v2 and the codecs of numcodecs have them: "<f8" (Zarr v2, "Data type encoding").
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tessera/core/data_type.hpp>
#include <tessera/core/reader.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct NumpyType {
  DataType type;
  bool is_big = false;  ///< the byte order, where it means something
};

[[noreturn, gnu::cold]] inline void refuse_numpy_type(MemberValue const& found, std::string_view why) {
  throw MetadataError{text({"data type ", describe(found.value())}),
                      text({"member ", found.where(), ": ", describe(found.value()), " is not supported: ", why})};
}

/// Throws: MetadataError naming the member, if it is no type string, or one of a type that tessera does not have.
[[gnu::cold]] inline NumpyType read_numpy_type(MemberValue const& found) {
  if (found.value().get_if<List>()) refuse_numpy_type(found, "a list of the fields of a structured type");
  std::string_view const name = found.string();
  constexpr std::string_view expected =
      "a type string of NumPy: a byte order '<', '>' or '|', a kind and a size in bytes, as in \"<f8\"";
  if (name.size() < 2 || std::string_view{"<>|"}.find(name[0]) == name.npos) found.refuse(expected);
  switch (name[1]) {
    case 'O':
      refuse_numpy_type(found, "objects of Python, such as strings of any length");
    case 'M':
    case 'm':
      refuse_numpy_type(found, "times");
    case 'U':
    case 'S':
      refuse_numpy_type(found, "strings");
  }
  auto const digits = name.substr(2);
  if (digits.empty() || digits.size() > 7 || digits.find_first_not_of("0123456789") != digits.npos || digits[0] == '0')
    found.refuse(expected);
  std::uint32_t size = 0;
  for (char const digit : digits) size = size * 10 + static_cast<std::uint32_t>(digit - '0');
  constexpr std::string_view kinds = "biufcV";
  auto const kind = kinds.find(name[1]);
  if (kind == kinds.npos) refuse_numpy_type(found, "an unknown kind");
  DataType const type{static_cast<DataKind>(kind), size};
  if (type.kind == DataKind::raw) {
    if (size > 1u << 20) refuse_numpy_type(found, "more than a MiB");
    return {type};
  }
  bool is_known = false;
  for (auto const one : data_types) is_known = is_known || one == type;
  if (!is_known) refuse_numpy_type(found, "no size of that kind");
  if (name[0] == '|' && size > 1) found.refuse("a byte order, '<' or '>'");
  return {type, name[0] == '>' && size > 1};
}

/// The type string that read_numpy_type reads so.
[[gnu::cold]] inline std::string write_numpy_type(NumpyType const& of) {
  if (of.type.varies()) return "|O";
  auto const order = of.type.size == 1 || of.type.kind == DataKind::raw ? "|" : of.is_big ? ">" : "<";
  return text({order, std::string(1, "biufcV"[static_cast<std::size_t>(of.type.kind)]), of.type.size});
}

}  // namespace detail
}}  // namespace tessera::v0
