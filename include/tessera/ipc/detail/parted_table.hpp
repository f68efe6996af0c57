// The parts of a PartedTable: their rows, devices and types.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/core/value.hpp>
#include <tessera/ipc/detail/check_column.hpp>
#include <tessera/ipc/detail/column.hpp>
#include <tessera/ipc/detail/error.hpp>

namespace tessera { inline namespace v0 { namespace ipc { namespace detail {

using Parts = std::vector<ColumnDescriptor>;

inline std::uint64_t rows_of(Parts const& parts) {
  std::uint64_t rows = 0;
  for (auto const& part : parts) {
    if (part.length > ~rows) throw IpcError{"the parts of the table have more than 2^64 - 1 rows"};
    rows += part.length;
  }
  return rows;
}

inline Parts slice_of(Parts const& parts, std::uint64_t first, std::uint64_t count) {
  auto const rows = rows_of(parts);
  if (first > rows || count > rows - first)
    throw SelectionError{to_text({"rows ", first, " to ", first + count, " do not lie in a table of ", rows})};
  Parts slices;
  for (auto const& part : parts) {
    auto const begin = std::min(first, part.length), taken = std::min(count, part.length - begin);
    if (taken != 0) slices.push_back(part.slice(begin, taken));
    first -= begin, count -= taken;
  }
  return slices;
}

/// Calls f with each buffer of a column and of those inside it.
template <class F>
void for_each_buffer(ColumnDescriptor const& column, F&& f) {
  if (column.data) f(*column.data);
  if (column.offsets) f(*column.offsets);
  if (column.mask) f(column.mask->buffer);
  for (auto const& child : column.children) for_each_buffer(child, f);
  for (auto const& one : column.dictionary) for_each_buffer(one, f);
}

/// That of the first buffer; empty, if there is none.
inline std::string const& device_of(ColumnDescriptor const& part) {
  static std::string const none;
  auto const* found = &none;
  bool is_first = true;
  for_each_buffer(part, [&](Descriptor const& buffer) {
    if (std::exchange(is_first, false)) found = &buffer.memory.device;
  });
  return *found;
}

/// Whether rows of both can follow each other.
inline bool are_alike(ColumnDescriptor const& one, ColumnDescriptor const& other) {
  return one.name == other.name && one.schema == other.schema && one.logical == other.logical &&
         std::ranges::equal(one.children, other.children, are_alike) &&
         std::ranges::equal(one.dictionary, other.dictionary, are_alike);
}

/// Throws: IpcError.
inline void check_parts(Parts const& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto const& part = parts[i];
    check_column(part);
    auto const& device = device_of(part);
    for_each_buffer(part, [&](Descriptor const& buffer) {
      if (buffer.memory.device != device)
        throw IpcError{to_text({"part ", i, " of the table has memory of ", describe(device), " and of ",
                                describe(buffer.memory.device), ", expected one device for each part"})};
    });
    if (!are_alike(part, parts.front()))
      throw IpcError{to_text({"part ", i, " of the table has other names or types than part 0"})};
  }
  (void)rows_of(parts);
}

}}}}  // namespace tessera::v0::ipc::detail
