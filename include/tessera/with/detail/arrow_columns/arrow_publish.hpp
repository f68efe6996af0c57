// Another library's Arrow array, copied into shared memory and published as a column.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tessera/buffer/detail/shared_buffer.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/ipc/producer.hpp>
#include <tessera/ipc/published_column.hpp>
#include <tessera/with/detail/arrow/arrow_checked.hpp>
#include <tessera/with/detail/arrow/arrow_owned.hpp>
#include <tessera/with/detail/arrow_columns/arrow_views.hpp>
#include <tessera/with/detail/exchange_error.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c { namespace detail {

// Copies arrays buffer by buffer, and keeps what was published.
class ColumnCopy {
 public:
  explicit ColumnCopy(ipc::Producer& producer) : producer_{producer} {}

  ipc::ColumnDescriptor copy(ArrowSchema const& schema, ArrowArray const& array, std::size_t depth = 0) {
    ipc::ColumnDescriptor column;
    column.schema = schema.format ? schema.format : "", column.name = schema.name ? schema.name : "";
    if (column.schema == "vu" || column.schema == "vz") return copy_views(std::move(column), schema, array);
    auto const shape = checked_shape(schema, array, depth);
    bool const is_null = column.schema == "n", has_data = shape.data.size != 0;
    column.length = static_cast<std::uint64_t>(array.length), column.offset = static_cast<std::uint64_t>(array.offset);
    column.null_count = array.null_count;
    auto const end = column.offset + column.length, bytes = end / 8 + (end % 8 != 0);
    if (!is_null && array.buffers[0])
      column.mask = ipc::Mask{ipc::Mask::Kind::bits, publish(column, array.buffers[0], byte, bytes)};
    else if (!is_null)
      column.null_count = 0;  // without a mask no element is null, though some producers leave the count open
    // An array without elements has one offset, but its buffer may be empty.
    void const* const offsets = shape.offsets == 0 ? nullptr : end == 0 ? &zero : array.buffers[1];
    if (shape.offsets != 0)
      column.offsets = publish(column, offsets, {DataKind::signed_integer, shape.offsets}, end + 1);
    if (has_data) {
      auto const* const data = array.buffers[array.n_buffers - 1];
      if (shape.offsets != 0)
        column.data = publish(column, data, byte, last(column, offsets, shape.offsets));
      else
        column.data = shape.is_bool ? publish(column, data, byte, bytes) : publish(column, data, shape.data, end);
    }
    for (std::int64_t i = 0; i < array.n_children; ++i)
      column.children.push_back(copy(*schema.children[i], *array.children[i], depth + 1));
    if (schema.dictionary) column.dictionary.push_back(copy(*schema.dictionary, *array.dictionary, depth + 1));
    return column;
  }
  std::vector<ipc::Published> published() && { return std::move(published_); }

 private:
  static constexpr DataType byte{DataKind::unsigned_integer, 1};
  static constexpr std::int64_t zero = 0;

  [[noreturn]] static void refuse(ipc::ColumnDescriptor const& column, std::string_view why) {
    refuse_array(column.name, column.schema, why);
  }
  ipc::ColumnDescriptor copy_views(ipc::ColumnDescriptor column, ArrowSchema const& schema, ArrowArray const& array) {
    auto const text = text_of_views(schema, array);
    column.schema = column.schema == "vu" ? "U" : "Z";
    column.length = static_cast<std::uint64_t>(array.length), column.null_count = array.null_count;
    if (!text.mask)
      column.null_count = 0;
    else
      column.mask = ipc::Mask{ipc::Mask::Kind::bits, publish(column, text.mask->data(), byte, text.mask->size())};
    column.offsets = publish(column, text.offsets.data(), {DataKind::signed_integer, 8}, text.offsets.size());
    column.data = publish(column, text.characters.data(), byte, text.characters.size());
    return column;
  }
  // Where the last element's characters end.
  static std::uint64_t last(ipc::ColumnDescriptor const& column, void const* offsets, std::uint32_t size) {
    auto const* const at = static_cast<std::byte const*>(offsets) + (column.offset + column.length) * size;
    std::int32_t narrow = 0;
    std::int64_t wide = 0;
    size == 4 ? std::memcpy(&narrow, at, 4) : std::memcpy(&wide, at, 8);
    auto const end = size == 4 ? narrow : wide;
    if (end < 0) refuse(column, to_text({"its last offset is ", end}));
    return static_cast<std::uint64_t>(end);
  }
  // Only an empty buffer may be missing.
  ipc::Descriptor publish(ipc::ColumnDescriptor const& column, void const* from, DataType type, std::uint64_t count) {
    auto const size = checked_size(checked_product(count, type.size, "the array"), "the array");
    if (!from && size != 0) refuse(column, to_text({"a buffer is missing, expected ", size, " bytes"}));
    SharedBuffer buffer{size};
    if (size != 0) std::memcpy(buffer.span().data, from, size);
    published_.push_back(producer_.publish(buffer, type, {count}));
    return published_.back().descriptor();
  }

  ipc::Producer& producer_;
  std::vector<ipc::Published> published_;
};

inline ipc::PublishedColumn published(ipc::Producer& producer, ArrowSchema const& schema, ArrowArray const& array) {
  if (!schema.release || !array.release) throw ExchangeError{"the schema or the array was released or moved"};
  ColumnCopy copies{producer};
  auto column = copies.copy(schema, array);
  return ipc::PublishedColumn::of(std::move(column), std::move(copies).published());
}

}}}}  // namespace tessera::v0::arrow_c::detail
