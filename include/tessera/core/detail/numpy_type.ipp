#pragma once
#include <tessera/core/detail/numpy_type.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/bounds.hpp>
#include <tessera/core/detail/decimal.hpp>
#include <tessera/core/object_reader.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void refuse_numpy_type(MemberValue const& found, std::string_view why) {
  throw MetadataError{to_text({"data type ", describe(found.value())}),
                      to_text({"member ", found.where(), ": ", describe(found.value()), " is not supported: ", why})};
}

// "<M8[10ns]" counts units of 10 ns; NumPy omits the generic unit.
[[gnu::cold]] TESSERA_DECL NumpyType read_numpy_time(MemberValue const& found, std::string_view name) {
  constexpr std::string_view expected = "a 64-bit time and its unit, as in \"<M8[ns]\" and \"<m8[10s]\"";
  DataType type{name[1] == 'M' ? DataKind::datetime : DataKind::timedelta, 8};
  auto rest = name.substr(2);
  if (!rest.starts_with('8') || name[0] == '|') found.refuse(expected);
  rest.remove_prefix(1);
  if (!rest.empty()) {
    if (rest.size() < 3 || rest.front() != '[' || rest.back() != ']') found.refuse(expected);
    rest = rest.substr(1, rest.size() - 2);
    auto const digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits > 0 &&
        (!parse_integer(std::string{rest.substr(0, digits)}, type.scale) || type.scale == 0 || type.scale > 0x7fffffff))
      found.refuse(expected);
    auto const unit = time_unit_named(rest.substr(digits));
    if (!unit) found.refuse(expected);
    type.unit = *unit;
  }
  return {type, name[0] == '>'};
}

TESSERA_DECL NumpyType read_numpy_type(MemberValue const& found) {
  if (found.value().get_if<List>()) return read_numpy_fields(found);
  std::string_view const name = found.string();
  if (auto const small = small_number_named(name)) return {*small};  // TensorStore writes these names
  constexpr std::string_view expected =
      "a NumPy type string: a byte order '<', '>' or '|', a kind and a size in bytes, as in \"<f8\"";
  if (name.size() < 2 || std::string_view{"<>|"}.find(name[0]) == name.npos) found.refuse(expected);
  if (name[1] == 'O') refuse_numpy_type(found, "Python objects, such as strings of any length");
  if (name[1] == 'M' || name[1] == 'm') return read_numpy_time(found, name);
  auto const digits = name.substr(2);
  if (digits.empty() || digits.size() > 7 || digits.find_first_not_of("0123456789") != digits.npos || digits[0] == '0')
    found.refuse(expected);
  std::uint32_t size = 0;
  for (char const digit : digits) size = size * 10 + static_cast<std::uint32_t>(digit - '0');
  if (name[1] == 'U') size *= 4;
  constexpr std::string_view kinds = "biufcV";
  auto const kind = kinds.find(name[1]);
  bool const is_text = name[1] == 'U' || name[1] == 'S';
  if (kind == kinds.npos && !is_text) refuse_numpy_type(found, "an unknown kind");
  DataType const type{
      is_text ? name[1] == 'U' ? DataKind::utf32 : DataKind::null_terminated : static_cast<DataKind>(kind), size};
  if (is_text || type.kind == DataKind::raw) {
    if (size > 1u << 20) refuse_numpy_type(found, "more than a MiB");
    if (name[0] == '|' && type.component() > 1) found.refuse("a byte order, '<' or '>'");
    return {type, name[0] == '>' && type.component() > 1};
  }
  bool is_known = false;
  for (auto const one : data_types) is_known = is_known || one == type;
  if (!is_known) refuse_numpy_type(found, "this kind has no type of that size");
  if (name[0] == '|' && size > 1) found.refuse("a byte order, '<' or '>'");
  return {type, name[0] == '>' && size > 1};
}

TESSERA_DECL NumpyType read_numpy_fields(MemberValue const& found) {
  NumpyType result;
  std::optional<bool> is_big;
  std::uint64_t at = 0;
  if (found.list().empty()) found.refuse("at least one field");
  auto const check_count = [&](std::size_t count) {
    if (count > bounds::fields) refuse_numpy_type(found, "too many fields");
  };
  check_count(found.list().size());
  for (std::size_t i = 0; i < found.list().size(); ++i) {
    auto const item = found.item(i);
    if (item.list().size() == 3) refuse_numpy_type(item, "a field that is an array");
    if (item.list().size() != 2) item.refuse("a name and a data type");
    auto name = item.item(0);
    if (name.value().get_if<List>()) {
      if (name.list().size() != 2) name.refuse("a name, or a title and a name");
      name = name.item(1);
    }
    auto one = read_numpy_type(item.item(1));
    if (name.string().empty() && one.type.kind != DataKind::raw) name.refuse("a name that is not empty");
    for (auto const& other : result.fields)
      if (!name.string().empty() && other.name == name.string()) name.refuse("a name that no other field has");
    if (one.type.component() > 1) {
      if (is_big && *is_big != one.is_big) refuse_numpy_type(item, "fields in two byte orders");
      is_big = one.is_big;
    }
    result.fields.push_back({name.string(), one.type, static_cast<std::uint32_t>(at), std::move(one.fields)});
    at += one.type.size;
    if (at > 1u << 20) refuse_numpy_type(found, "more than a MiB");
    if (one.type.kind == DataKind::structure) check_count(count_fields(result.fields));
  }
  result.type = structure_of(result.fields);
  result.is_big = is_big.value_or(false);
  return result;
}

TESSERA_DECL std::string write_numpy_type(NumpyType const& of) {
  auto const& type = of.type;
  if (type.varies()) return "|O";
  auto const* const order = type.component() == 1 ? "|" : of.is_big ? ">" : "<";
  switch (type.kind) {
    case DataKind::datetime:
    case DataKind::timedelta: {
      auto const* const kind = type.kind == DataKind::datetime ? "M8" : "m8";
      if (type.unit == TimeUnit::generic && type.scale == 1) return to_text({order, kind});
      return to_text({order, kind, "[", type.scale == 1 ? "" : std::to_string(type.scale), unit_name(type.unit), "]"});
    }
    case DataKind::utf32:
      return to_text({order, "U", type.size / 4});
    case DataKind::null_terminated:
      return to_text({"|S", type.size});
    case DataKind::structure:
      break;
    default: {
      bool const is_known = type.kind == DataKind::raw ||
                            std::find(std::begin(data_types), std::end(data_types), type) != std::end(data_types);
      if (is_known) return to_text({order, std::string(1, "biufcV"[static_cast<std::size_t>(type.kind)]), type.size});
      // TensorStore writes these names.
      if (type.kind != DataKind::complex && !of.is_big) return type.name();
    }
  }
  throw MetadataError{to_text({"data type ", type.name()}), to_text({"NumPy has no type string for ", type.name()})};
}

TESSERA_DECL Value numpy_type_value(NumpyType const& of) {
  if (of.type.kind != DataKind::structure) return write_numpy_type(of);
  List list;
  for (auto const& field : of.fields) {
    List pair;
    pair.push_back(field.name);
    pair.push_back(numpy_type_value({field.type, of.is_big && field.type.component() > 1, field.fields}));
    list.push_back(std::move(pair));
  }
  return list;
}

}}}  // namespace tessera::v0::detail
