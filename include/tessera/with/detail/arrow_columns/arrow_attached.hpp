// An attached column as a Column of Arrow's, in the other process's memory.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <tessera/ipc/attached_column.hpp>
#include <tessera/with/detail/arrow/arrow_bits.hpp>
#include <tessera/with/detail/arrow/arrow_column.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c { namespace detail {

// What columns made from one attached column own: the leases, and the bits made from its bytes.
template <MemorySpace S>
struct Leases {
  ipc::AttachedColumn<S> column;
  std::vector<std::shared_ptr<Bits>> bits{};
};

// Throws: ProducerGone; ExchangeError, if the memory is not aligned as Arrow's consumers expect it.
template <MemorySpace S>
std::byte const* memory_of(std::optional<ipc::Attached<S>> const& buffer, std::size_t alignment) {
  if (!buffer) return nullptr;
  auto const* const first = buffer->buffer().view().data + buffer->descriptor().offset;
  if (reinterpret_cast<std::uintptr_t>(first) % alignment != 0)
    throw ExchangeError{to_text({"a buffer of ", buffer->type().name(), " is not aligned to ", alignment, " bytes"})};
  return first;
}

// Arrow's consumers trust offsets: they are read once here, while the other process may still write them.
template <class Offset>
void expect_ranges(ipc::ColumnDescriptor const& what, std::byte const* offsets, std::uint64_t limit) {
  Offset last = 0;
  for (std::uint64_t i = 0; i <= what.length; ++i) {
    Offset next = 0;
    std::memcpy(&next, offsets + (what.offset + i) * sizeof next, sizeof next);
    if (next < last || static_cast<std::uint64_t>(next) > limit)
      ipc::detail::refuse_column(what, to_text({"its offset ", i, " is ", next, ", expected ", last, " to ", limit}));
    last = next;
  }
}

// The same for indices into a dictionary, of elements that are not null. Without nulls, consumers ignore the mask.
template <class Index>
void expect_indices(ipc::AttachedColumn<space::Host> const& column, std::byte const* indices) {
  auto const& what = column.descriptor();
  auto const limit = what.dictionary.front().length;
  for (std::uint64_t i = 0; i < what.length; ++i) {
    Index index = 0;
    std::memcpy(&index, indices + (what.offset + i) * sizeof index, sizeof index);
    if (static_cast<std::uint64_t>(static_cast<std::int64_t>(index)) >= limit &&
        (what.null_count == 0 || column.is_valid(i)))
      ipc::detail::refuse_column(what, to_text({"its element ", i, " is an index of ", static_cast<std::int64_t>(index),
                                                " into a dictionary of ", limit}));
  }
}
inline void expect_indices(ipc::AttachedColumn<space::Host> const& column, std::byte const* indices) {
  bool const is_signed = column.descriptor().data->type.kind == DataKind::signed_integer;
  switch (column.descriptor().data->type.size) {
    case 1:
      return is_signed ? expect_indices<std::int8_t>(column, indices) : expect_indices<std::uint8_t>(column, indices);
    case 2:
      return is_signed ? expect_indices<std::int16_t>(column, indices) : expect_indices<std::uint16_t>(column, indices);
    case 4:
      return is_signed ? expect_indices<std::int32_t>(column, indices) : expect_indices<std::uint32_t>(column, indices);
    default:
      return is_signed ? expect_indices<std::int64_t>(column, indices) : expect_indices<std::uint64_t>(column, indices);
  }
}

// Bytes of 0 or 1 up to the slice's end, as bits; only host memory can be read for that.
template <MemorySpace S>
void const* bits_in(std::byte const* bytes, ipc::ColumnDescriptor const& what, Leases<S>& leases, char const* name) {
  if constexpr (S::host_accessible) {
    leases.bits.push_back(packed(bytes, what.offset + what.length));
    return leases.bits.back()->data();
  } else {
    throw ExchangeError{to_text({"column \"", what.name, "\": its ", name, " has bytes in a device's memory, expected "
                                 "bits, as Arrow has them: publish it as bits in uint8"})};
  }
}

template <MemorySpace S>
Column<S> column_of(ipc::AttachedColumn<S> const& from, std::shared_ptr<Leases<S>> const& leases) {
  auto const& what = from.descriptor();
  Column<S> column{what.schema, what.name, what.length, what.offset, what.null_count};
  column.owner = leases;
  for (auto const& child : from.children()) column.children.push_back(column_of(child, leases));
  for (auto const& one : from.dictionary()) column.dictionary.push_back(column_of(one, leases));
  if (what.schema == "n") {
    column.null_count = static_cast<std::int64_t>(what.length);
    return column;
  }
  auto const* const mask = memory_of(from.mask(), 1);
  bool const is_bytes = mask && what.mask->kind == ipc::Mask::Kind::bytes;
  column.buffers.push_back(is_bytes ? bits_in(mask, what, *leases, "mask") : mask);
  if (!mask) column.null_count = 0;
  auto const* const offsets = memory_of(from.offsets(), from.offsets() ? from.offsets()->type().size : 1);
  if (offsets) {
    if constexpr (S::host_accessible) {
      auto const limit = what.data ? what.data->shape[0] : what.children.front().length;
      what.offsets->type.size == 4 ? expect_ranges<std::int32_t>(what, offsets, limit)
                                   : expect_ranges<std::int64_t>(what, offsets, limit);
    }
    column.buffers.push_back(offsets);
  }
  if (!from.data()) return column;
  auto const* const data = memory_of(from.data(), what.schema.starts_with("d:") ? std::min<std::size_t>(
                                                      what.data->type.size, 8) : what.data->type.component());
  bool const is_bool = what.data->type.kind == DataKind::boolean;
  column.buffers.push_back(is_bool ? bits_in(data, what, *leases, "data") : data);
  if constexpr (S::host_accessible)
    if (!what.dictionary.empty()) expect_indices(from, data);
  return column;
}

}}}}  // namespace tessera::v0::arrow_c::detail
