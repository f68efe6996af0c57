// The elements of an array as a Column: one dimension is an array of values, each further one a fixed-size list.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/place/detail/placer.hpp>
#include <tessera/view/detail/layout.hpp>
#include <tessera/with/detail/arrow/arrow_bits.hpp>
#include <tessera/with/detail/arrow/arrow_column.hpp>
#include <tessera/with/detail/arrow/arrow_format.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c { namespace detail {

// Strides of dimensions with at most one element, and of empty arrays, lead nowhere.
inline bool is_dense(Layout const& layout) {
  if (layout.swapped != 1) return false;
  auto const dense = Layout::c_order(layout.shape, layout.item_size);
  bool is_empty = false, is_same = true;
  for (std::size_t d = 0; d < layout.shape.rank(); ++d) {
    is_empty = is_empty || layout.shape[d] == 0;
    is_same = is_same && (layout.shape[d] == 1 || layout.strides[d] == dense.strides[d]);
  }
  return is_empty || is_same;
}

// Bools become bits, and times without a value (NaT) nulls, as Arrow has both.
inline void adapt(Column<space::Host>& values, std::byte const* data, DataType type) {
  if (type.kind == DataKind::boolean) {
    auto const bits = packed(data, values.length);
    values.buffers[1] = bits->data(), values.owner = bits;
  }
  if (type.kind != DataKind::datetime && type.kind != DataKind::timedelta) return;
  auto const has_value = [&](std::uint64_t i) {
    std::int64_t count = 0;
    std::memcpy(&count, data + i * sizeof count, sizeof count);
    return count != std::numeric_limits<std::int64_t>::min();
  };
  for (std::uint64_t i = 0; i < values.length; ++i) values.null_count += !has_value(i);
  if (values.null_count == 0) return;
  struct Both {
    std::shared_ptr<void const> values;
    std::shared_ptr<Bits> mask;
  };
  auto const both = std::make_shared<Both>(Both{values.owner, bits_of(values.length, has_value)});
  values.buffers[0] = both->mask->data(), values.owner = both;
}

// Elements in C order as lists: each dimension but the first becomes a fixed-size list.
template <MemorySpace S>
Column<S> in_lists(Column<S> column, Extents const& shape) {
  if (shape.rank() == 0) throw ExchangeError{"an array without dimensions has no length, as Arrow's arrays have"};
  for (std::size_t d = shape.rank(); d-- > 1;) {
    if (shape[d] > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
      throw ExchangeError{
          to_text({"dimension ", d, " has ", shape[d], " elements, expected at most 2^31 - 1 in a list of Arrow"})};
    Column<S> lists;
    lists.format = to_text({"+w:", shape[d]});
    lists.length = 1;
    for (std::size_t before = 0; before < d; ++before)
      lists.length = checked_product(lists.length, shape[before], "the shape");  // a later dimension may be 0
    lists.buffers = {nullptr};
    column.name = "item";
    lists.children.push_back(std::move(column));
    column = std::move(lists);
  }
  return column;
}

// Requires: the elements are dense, in C order and native byte order.
template <MemorySpace S>
Column<S> column_of(std::byte const* data, DataType type, Extents const& shape, std::shared_ptr<void const> owner) {
  Column<S> column;
  column.format = format_of(type);
  column.length = element_count(shape, "the shape");
  column.buffers = {nullptr, column.length == 0 ? nullptr : data};
  column.owner = std::move(owner);
  if constexpr (S::host_accessible) {
    adapt(column, data, type);
  } else if (type.kind == DataKind::boolean) {
    throw ExchangeError{"the bools are bytes in a device's memory, expected bits, as Arrow has them"};
  }
  return in_lists(std::move(column), shape);
}

// Elements in any layout; copied, if they are not dense.
inline Column<space::Host> column_of(std::byte const* data, DataType type, Layout const& layout,
                                     std::shared_ptr<void const> owner) {
  (void)format_of(type);  // before a copy
  if (is_dense(layout)) return column_of<space::Host>(data, type, layout.shape, std::move(owner));
  Queue<space::Host> on;
  auto const count = element_count(layout.shape, "the shape");
  auto const copy = std::make_shared<HostBuffer>(
      checked_size(checked_product(count, layout.item_size, "the copy"), "the copy"), on);
  Placement<space::Host> const whole{data, copy->span().data, layout.shape};
  auto const dense = Layout::c_order(layout.shape, layout.item_size);
  placer<space::Host>::place({&whole, 1}, {layout.item_size, layout.swapped, {}, layout.strides, dense.strides}, on);
  return column_of<space::Host>(copy->view().data, type, layout.shape, copy);
}

}}}}  // namespace tessera::v0::arrow_c::detail
