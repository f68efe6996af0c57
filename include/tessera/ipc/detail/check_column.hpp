// check_column: which buffers a schema requires, and whether a column, which is not trusted, has them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tessera/core/data_type.hpp>
#include <tessera/core/error.hpp>
#include <tessera/ipc/column.hpp>
#include <tessera/ipc/error.hpp>

namespace tessera { inline namespace v0 { namespace ipc {
namespace detail {

inline constexpr std::size_t most_depth = 16, most_columns = 4096;

/// What a schema requires: values of a type (none, if its size is 0), offsets of that many bytes each, children.
struct Shape {
  DataType data{DataKind::unsigned_integer, 0};
  std::uint32_t offsets = 0;
  bool has_children = false, is_bool = false;
};
inline std::optional<Shape> shape_of(std::string_view schema) {
  constexpr std::string_view letters = "cCsSiIlLefg";
  constexpr DataType types[] = {
      {DataKind::signed_integer, 1},   {DataKind::unsigned_integer, 1}, {DataKind::signed_integer, 2},
      {DataKind::unsigned_integer, 2}, {DataKind::signed_integer, 4},   {DataKind::unsigned_integer, 4},
      {DataKind::signed_integer, 8},   {DataKind::unsigned_integer, 8}, {DataKind::floating, 2},
      {DataKind::floating, 4},         {DataKind::floating, 8}};
  constexpr DataType byte{DataKind::unsigned_integer, 1}, time{DataKind::signed_integer, 8};
  if (schema.size() == 1) {
    if (auto const at = letters.find(schema[0]); at != letters.npos) return Shape{types[at]};
    if (schema == "b") return Shape{.data = byte, .is_bool = true};
    if (schema == "u" || schema == "z") return Shape{byte, 4};
    if (schema == "U" || schema == "Z") return Shape{byte, 8};
  }
  bool const has_unit = schema.size() >= 3 && std::string_view{"smun"}.find(schema[2]) != std::string_view::npos;
  if (has_unit && ((schema.starts_with("ts") && schema.size() >= 4 && schema[3] == ':') ||
                   (schema.starts_with("tD") && schema.size() == 3)))
    return Shape{time};
  if (schema.starts_with("w:") && schema.size() < 10) {
    std::uint32_t size = 0;
    for (auto digit : schema.substr(2)) {
      if (digit < '0' || digit > '9') return std::nullopt;
      size = size * 10 + static_cast<std::uint32_t>(digit - '0');
    }
    if (size != 0) return Shape{{DataKind::raw, size}};
  }
  if (schema == "+l") return Shape{.offsets = 4, .has_children = true};
  if (schema == "+L") return Shape{.offsets = 8, .has_children = true};
  if (schema == "+s") return Shape{.has_children = true};
  return std::nullopt;
}

[[noreturn]] inline void refuse_column(ColumnDescriptor const& column, std::string_view why) {
  throw IpcError{to_text({"column \"", column.name, "\" of schema \"", column.schema, "\": ", why})};
}

/// A buffer of a column: contiguous, one-dimensional, with at least `count` elements of the right type.
inline void check_buffer(ColumnDescriptor const& column, std::optional<Descriptor> const& buffer, std::string_view what,
                         std::uint64_t count, bool is_right_type) {
  if (!buffer) refuse_column(column, to_text({"it has no ", what}));
  if (!is_right_type) refuse_column(column, to_text({"its ", what, " are ", buffer->type.name()}));
  if (buffer->shape.rank() != 1 || (buffer->strides[0] != 1 && buffer->shape[0] > 1))
    refuse_column(column, to_text({"its ", what, " are not contiguous in one dimension"}));
  if (buffer->shape[0] < count)
    refuse_column(column, to_text({"it has ", buffer->shape[0], " ", what, ", expected ", count}));
}

/// Whether the values are bools packed into bits.
inline bool is_packed(ColumnDescriptor const& column) {
  return column.schema == "b" && column.data && column.data->type == DataType{DataKind::unsigned_integer, 1};
}

/// Throws: IpcError, unless the column and its children have the buffers that their schemas require, long enough.
inline void check_column(ColumnDescriptor const& column, std::size_t& count, std::size_t depth = 0) {
  auto const shape = shape_of(column.schema);
  if (!shape) refuse_column(column, "the schema is unknown");
  if (depth == most_depth) refuse_column(column, to_text({"columns are nested deeper than ", most_depth, " levels"}));
  if (++count > most_columns) refuse_column(column, to_text({"there are more than ", most_columns, " columns"}));
  auto const end = column.offset + column.length;
  if (end < column.offset || end > ~std::uint64_t{0} / 16)
    refuse_column(column, "its length exceeds the address space");
  if (column.null_count < -1 ||
      (column.null_count > 0 && static_cast<std::uint64_t>(column.null_count) > column.length))
    refuse_column(column, "its null count is invalid");
  if (column.null_count > 0 && !column.mask) refuse_column(column, "it has nulls but no mask");
  auto const is_byte = [](Descriptor const& d) { return d.type.size == 1; };
  if (column.mask)
    check_buffer(column, column.mask->buffer, "bytes of a mask",
                 column.mask->kind == Mask::Kind::bits ? end / 8 + (end % 8 != 0) : end, is_byte(column.mask->buffer));
  if (shape->offsets != 0)
    check_buffer(column, column.offsets, "offsets", end + 1,
                 column.offsets && column.offsets->type == DataType{DataKind::signed_integer, shape->offsets});
  else if (column.offsets)
    refuse_column(column, "it has offsets, but its schema has none");
  bool const is_text = shape->offsets != 0 && !shape->has_children;
  if (shape->has_children == column.data.has_value()) refuse_column(column, "its data does not match its schema");
  if (column.data) {
    bool const fits =
        column.data->type == shape->data || (shape->is_bool && column.data->type == DataType{DataKind::boolean, 1});
    check_buffer(column, column.data, is_text ? "characters" : "values",
                 is_text             ? 0
                 : is_packed(column) ? end / 8 + (end % 8 != 0)
                                     : end,
                 fits);
  }
  if (!shape->has_children && !column.children.empty())
    refuse_column(column, "it has child columns, but its schema has none");
  if (shape->has_children && shape->offsets != 0 && column.children.size() != 1)
    refuse_column(column, "a list must have exactly one child column");
  for (auto const& child : column.children) {
    check_column(child, count, depth + 1);
    if (shape->offsets == 0 && child.length < end) refuse_column(child, "it is shorter than the struct around it");
  }
}
inline void check_column(ColumnDescriptor const& column) {
  std::size_t count = 0;
  check_column(column, count);
}

/// Arrow's format string for values of a type.
inline std::string schema_of(DataType type) {
  constexpr char integers[] = {'c', 'C', 's', 'S', 'i', 'I', 'l', 'L'};
  std::size_t const power = type.size == 1 ? 0 : type.size == 2 ? 1 : type.size == 4 ? 2 : 3;
  switch (type.format == NumberFormat::usual ? type.kind : DataKind::complex) {  // complex: refused below
    case DataKind::boolean:
      return "b";
    case DataKind::signed_integer:
    case DataKind::unsigned_integer:
      return {integers[2 * power + (type.kind == DataKind::unsigned_integer)]};
    case DataKind::floating:
      return {"eefg"[power]};
    case DataKind::raw:
      return to_text({"w:", type.size});
    default:
      break;
  }
  throw IpcError{to_text({"Arrow has no schema for values of ", type.name()})};
}

}  // namespace detail
}}}  // namespace tessera::v0::ipc
