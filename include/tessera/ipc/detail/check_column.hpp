// check_column: whether a column, which is not trusted, has the buffers that its schema requires.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/arrow_shape.hpp>
#include <tessera/core/error.hpp>
#include <tessera/ipc/detail/column.hpp>
#include <tessera/ipc/detail/error.hpp>

namespace tessera { inline namespace v0 { namespace ipc {
namespace detail {

inline constexpr auto most_depth = tessera::detail::most_arrow_depth;
inline constexpr auto most_columns = tessera::detail::most_arrow_columns;

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
  auto const shape = tessera::detail::arrow_shape(column.schema);
  if (!shape) refuse_column(column, "the schema is unknown");
  if (depth == most_depth) refuse_column(column, to_text({"columns are nested deeper than ", most_depth, " levels"}));
  if (++count > most_columns) refuse_column(column, to_text({"there are more than ", most_columns, " columns"}));
  auto const end = column.offset + column.length;
  if (end < column.offset || end > ~std::uint64_t{0} / 16)
    refuse_column(column, "its length exceeds the address space");
  if (column.null_count < -1 ||
      (column.null_count > 0 && static_cast<std::uint64_t>(column.null_count) > column.length))
    refuse_column(column, "its null count is invalid");
  bool const is_null = column.schema == "n";  // all elements are, without a mask
  if (is_null && column.mask) refuse_column(column, "it has a mask, but its schema has none");
  if (column.null_count > 0 && !column.mask && !is_null) refuse_column(column, "it has nulls but no mask");
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
  if ((shape->has_children || is_null) == column.data.has_value())
    refuse_column(column, "its data does not match its schema");
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
  if (shape->has_children && column.schema != "+s" && column.children.size() != 1)
    refuse_column(column, "a list must have exactly one child column");
  if (column.dictionary.size() > 1 || (!column.dictionary.empty() && !shape->is_index()))
    refuse_column(column, "only a column of integers may have a dictionary, and only one");
  for (auto const& child : column.children) {
    check_column(child, count, depth + 1);
    if (column.schema == "+s" && child.length < end) refuse_column(child, "it is shorter than the struct around it");
    auto const size = std::uint64_t{shape->list_size.value_or(0)};
    if (size != 0 && child.length / size < end) refuse_column(child, "it is shorter than the lists around it");
  }
  for (auto const& dictionary : column.dictionary) check_column(dictionary, count, depth + 1);
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
