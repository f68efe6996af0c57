// taken_column: another library's array as a Column in the memory of that library.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <tessera/core/error.hpp>
#include <tessera/with/detail/arrow/arrow_checked.hpp>
#include <tessera/with/detail/arrow/arrow_column.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c { namespace detail {

// Lengths of buffers are not in the interface; those of children are checked. Throws: ExchangeError.
template <MemorySpace S>
Column<S> taken_column(ArrowSchema const& schema, ArrowArray const& array, std::shared_ptr<void const> const& owner,
                       std::size_t depth = 0) {
  auto const shape = checked_shape(schema, array, depth);
  Column<S> column;
  column.format = schema.format, column.name = schema.name ? schema.name : "";
  column.length = static_cast<std::uint64_t>(array.length), column.offset = static_cast<std::uint64_t>(array.offset);
  column.null_count = array.null_count;
  auto const end = column.length + column.offset;  // each at most 2^63 - 1
  if (array.n_buffers != 0) column.buffers.assign(array.buffers, array.buffers + array.n_buffers);
  bool const has_mask = array.n_buffers != 0 && column.buffers[0];
  if (column.null_count > array.length || (column.null_count > 0 && !has_mask && column.format != "n"))
    refuse_array(schema, to_text({"the array has ", column.null_count, " nulls",
                                  has_mask ? ", expected at most as many as elements" : " but no mask"}));
  if (column.format == "n")
    column.null_count = array.length;
  else if (!has_mask)
    column.null_count = 0;
  if (shape.data.size != 0 && shape.offsets == 0 && end != 0 && !column.buffers.back())
    refuse_array(schema, "it has elements but no memory");
  if (shape.offsets != 0 && end != 0 && !column.buffers[1]) refuse_array(schema, "it has elements but no offsets");
  if (shape.has_children ? column.format != "+s" && array.n_children != 1 : array.n_children != 0)
    refuse_array(schema,
                 to_text({"the array has ", array.n_children, " children, expected ", int{shape.has_children}}));
  if (schema.dictionary && !shape.is_index()) refuse_array(schema, "it has a dictionary, but is not of integers");
  for (std::int64_t i = 0; i < array.n_children; ++i) {
    column.children.push_back(taken_column<S>(*schema.children[i], *array.children[i], owner, depth + 1));
    auto const size = std::uint64_t{column.format == "+s" ? 1 : shape.list_size.value_or(0)};
    if (size != 0 && column.children.back().length / size < end)
      refuse_array(*schema.children[i], "it is shorter than the lists or the struct around it");
  }
  if (schema.dictionary)
    column.dictionary.push_back(taken_column<S>(*schema.dictionary, *array.dictionary, owner, depth + 1));
  column.owner = owner;
  return column;
}

}}}}  // namespace tessera::v0::arrow_c::detail
