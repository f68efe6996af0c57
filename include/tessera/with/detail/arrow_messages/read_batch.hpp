// BatchReader: the columns of a message, in the memory of its body.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/detail/arrow_shape.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/with/detail/arrow/arrow_bits.hpp>
#include <tessera/with/detail/arrow/arrow_checked.hpp>
#include <tessera/with/detail/arrow/arrow_column.hpp>
#include <tessera/with/detail/arrow_messages/compressed_body.hpp>
#include <tessera/with/detail/arrow_messages/read_schema.hpp>
#include <tessera/with/detail/flat_table.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c { namespace detail {

template <MemorySpace S>
class BatchReader {
  using Table = tessera::detail::FlatTable;

 public:
  /// Throws: ExchangeError, MetadataError.
  BatchReader(Table const& batch, BatchBody<S> body, std::map<std::int64_t, Column<S>> const& dictionaries)
      : body_{body.bytes}, dictionaries_{dictionaries}, owner_{std::move(body.owner)},
        length_{batch.get<std::int64_t>(0)}, nodes_{batch.vector(1, 16)}, buffers_{body.places} {
    if (length_ < 0) throw ExchangeError{to_text({"the batch has ", length_, " rows, expected 0 or more"})};
  }

  std::uint64_t length() const { return static_cast<std::uint64_t>(length_); }

  /// The next column, of at least that many elements.
  Column<S> column(FieldType const& type, std::uint64_t least) {
    expect_few(1);
    auto const [length, nulls] = next(nodes_, node_, "columns");
    auto const shape = known_shape(type.name, type.format);
    auto const refuse = [&](std::string_view why) { refuse_array(type.name, type.format, why); };
    if (length < 0 || nulls < 0 || nulls > length || static_cast<std::uint64_t>(length) < least)
      refuse(to_text({"it has ", length, " elements and ", nulls, " nulls, expected at least ", least, " elements"}));
    Column<S> column;
    column.format = type.format, column.name = type.name, column.owner = owner_;
    column.length = static_cast<std::uint64_t>(length), column.null_count = nulls;
    if (type.format == "n") {
      column.null_count = length;
      return column;
    }
    auto const count = column.length, bits = count / 8 + (count % 8 != 0);
    auto const mask = buffer(type, nulls == 0 ? 0 : bits);
    column.buffers.push_back(nulls == 0 ? nullptr : mask.data);
    auto const each = std::uint64_t{shape.offsets != 0 ? shape.offsets : shape.is_bool ? 0 : shape.data.size};
    if (each != 0 && count > body_.size / each)
      refuse(to_text({"it has ", count, " elements in a body of ", body_.size, " bytes"}));
    ByteView<S> offsets, data;
    if (shape.offsets != 0) {
      offsets = buffer(type, count == 0 ? 0 : (count + 1) * shape.offsets);
      column.buffers.push_back(offsets.data);
    }
    if (shape.data.size != 0) {
      data = buffer(type, shape.offsets != 0 ? 0 : shape.is_bool ? bits : count * each);
      column.buffers.push_back(data.data);
    }
    auto const size = std::uint64_t{type.format == "+s" ? 1 : shape.list_size.value_or(0)};
    if (size != 0 && count > ~std::uint64_t{0} / size) refuse(to_text({"it has ", count, " lists of ", size}));
    for (auto const& child : type.children) column.children.push_back(this->column(child, count * size));
    if (type.number) {
      auto const found = dictionaries_.find(*type.number);
      if (found == dictionaries_.end()) refuse(to_text({"there was no message with dictionary ", *type.number}));
      expect_few(columns_in(found->second));
      constexpr auto most = 2 * tessera::detail::most_arrow_depth;  // at each level of the schema also a dictionary
      if (levels_in(found->second) > most) refuse(to_text({"its dictionary has more than ", most, " levels"}));
      column.dictionary.push_back(found->second);
    }
    if constexpr (S::host_accessible) {
      auto const limit = shape.has_children && shape.offsets != 0 ? column.children.front().length : data.size;
      if (shape.offsets == 4) expect_offsets<std::int32_t>(column, offsets, limit);
      if (shape.offsets == 8) expect_offsets<std::int64_t>(column, offsets, limit);
      if (type.number) expect_indices(column, shape.data);
    }
    return column;
  }
  /// All columns and buffers were used.
  void expect_end() const {
    auto const size = [](auto const& list) { return list ? list->size() / 16 : 0; };
    if (size(nodes_) != node_ || size(buffers_) != buffer_)
      throw ExchangeError{to_text({"the batch has ", size(nodes_), " columns and ", size(buffers_),
                                   " buffers, expected ", node_, " and ", buffer_, " of the schema"})};
  }

 private:
  static std::pair<std::int64_t, std::int64_t> next(FlatBytes const& list, std::size_t& at, std::string_view what) {
    if (!list || list->size() / 16 <= at)
      throw ExchangeError{to_text({"the batch has ", at, " ", what, ", expected more of the schema"})};
    auto const begin = 16 * at++;
    return {Table::number<std::int64_t>(*list, begin), Table::number<std::int64_t>(*list, begin + 8)};
  }
  // Dictionaries that refer to each other could have more columns than memory.
  void expect_few(std::size_t more) {
    if (columns_ += more; columns_ > tessera::detail::most_arrow_columns)
      throw ExchangeError{to_text({"the batch has more than ", tessera::detail::most_arrow_columns,
                                   " columns with those of dictionaries"})};
  }
  static std::size_t columns_in(Column<S> const& column) {
    std::size_t count = 1;
    for (auto const& child : column.children) count += columns_in(child);
    for (auto const& dictionary : column.dictionary) count += columns_in(dictionary);
    return count;
  }
  // One dictionary refers to the next: the schema may be flat.
  static std::size_t levels_in(Column<S> const& column) {
    std::size_t levels = 0;
    for (auto const& child : column.children) levels = std::max(levels, levels_in(child));
    for (auto const& dictionary : column.dictionary) levels = std::max(levels, levels_in(dictionary));
    return levels + 1;
  }
  // The next buffer; null, if it is empty.
  ByteView<S> buffer(FieldType const& type, std::uint64_t least) {
    auto const [offset, size] = next(buffers_, buffer_, "buffers");
    if (offset < 0 || size < 0 || static_cast<std::uint64_t>(offset) > body_.size ||
        static_cast<std::uint64_t>(size) > body_.size - static_cast<std::uint64_t>(offset) || offset % 8 != 0)
      refuse_array(type.name, type.format,
                   to_text({"a buffer has ", size, " bytes at byte ", offset, " of a body of ", body_.size,
                            ", expected it inside, at a multiple of 8"}));
    if (static_cast<std::uint64_t>(size) < least)
      refuse_array(type.name, type.format, to_text({"a buffer has ", size, " bytes, expected ", least}));
    if (size == 0) return {};
    return body_.sub(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
  }

  template <class Offset>
  static void expect_offsets(Column<S> const& column, ByteView<S> offsets, std::uint64_t limit) {
    Offset last = 0;
    for (std::uint64_t i = 0; column.length != 0 && i <= column.length; ++i) {
      Offset next = 0;
      std::memcpy(&next, offsets.data + i * sizeof next, sizeof next);
      if (next < last || static_cast<std::uint64_t>(next) > limit)
        refuse_array(column.name, column.format,
                     to_text({"its offset ", i, " is ", next, ", expected ", last, " to ", limit}));
      last = next;
    }
  }
  static void expect_indices(Column<S> const& column, DataType index) {
    auto const limit = column.dictionary.front().length;
    bool const is_signed = index.kind == DataKind::signed_integer;
    auto const* const data = static_cast<std::byte const*>(column.buffers[1]);
    for (std::uint64_t i = 0; i < column.length; ++i) {
      if (column.buffers[0] && !bit(column.buffers[0], i)) continue;
      std::uint64_t found = 0;
      std::memcpy(&found, data + i * index.size, index.size);
      bool const is_negative = is_signed && found >> (8 * index.size - 1) != 0;
      if (is_negative || found >= limit)
        refuse_array(column.name, column.format,
                     to_text({"its element ", i, " is ", is_negative ? "a negative index" : "an index", " into a "
                              "dictionary of ", limit}));
    }
  }

  ByteView<S> body_;
  std::map<std::int64_t, Column<S>> const& dictionaries_;
  std::shared_ptr<void const> owner_;
  std::int64_t length_;
  FlatBytes nodes_, buffers_;
  std::size_t node_ = 0, buffer_ = 0, columns_ = 0;
};

}}}}  // namespace tessera::v0::arrow_c::detail
