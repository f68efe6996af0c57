// joined: the elements of two host columns of one type as one column, in new memory: a dictionary and its delta.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/detail/arrow_shape.hpp>
#include <tessera/core/error.hpp>
#include <tessera/with/detail/arrow/arrow_bits.hpp>
#include <tessera/with/detail/arrow/arrow_checked.hpp>
#include <tessera/with/detail/arrow/arrow_column.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c { namespace detail {

/// Joins host columns whose offsets and indices are checked, as those of a BatchReader.
class JoinedColumns {
  using Host = space::Host;
  using Memory = std::vector<HostBuffer>;

 public:
  /// `most`: bytes of new memory.
  explicit JoinedColumns(std::uint64_t most) : most_{most}, left_{most} {}

  /// Throws: ExchangeError, if that needs more memory, or offsets that their type does not have.
  Column<Host> join(Column<Host> const& a, Column<Host> const& b) {
    auto const memory = std::make_shared<Memory>();
    Column<Host> column{.format = a.format, .name = a.name, .length = a.length + b.length};
    if (column.length > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      refuse_array(a.name, a.format, to_text({"it has ", column.length, " elements with its delta"}));
    column.null_count = a.null_count + b.null_count;
    column.owner = memory;
    if (a.format == "n") return column;
    auto const shape = known_shape(a.name, a.format);
    column.buffers.push_back(column.null_count == 0 ? nullptr : bits(a, b, 0, *memory));
    if (shape.offsets == 4) join_parts<std::int32_t>(column, a, b, *memory);
    if (shape.offsets == 8) join_parts<std::int64_t>(column, a, b, *memory);
    if (shape.is_bool) column.buffers.push_back(bits(a, b, 1, *memory));
    if (shape.offsets == 0 && !shape.is_bool && shape.data.size != 0)
      column.buffers.push_back(bytes(a, b, 1, {a.offset, a.length}, {b.offset, b.length}, shape.data.size, *memory));
    auto const size = std::uint64_t{a.format == "+s" ? 1 : shape.list_size.value_or(0)};
    for (std::size_t i = 0; shape.offsets == 0 && i < a.children.size(); ++i)
      column.children.push_back(join(part(a.children[i], {a.offset * size, a.length * size}),
                                     part(b.children[i], {b.offset * size, b.length * size})));
    column.dictionary = a.dictionary;  // the same: expect_same_dictionaries
    return column;
  }

 private:
  struct Range {
    std::uint64_t first, count;
  };

  static Column<Host> part(Column<Host> column, Range range) {
    if (range.first == 0 && column.length == range.count) return column;
    column.offset += range.first, column.length = range.count;
    if (column.format == "n") column.null_count = static_cast<std::int64_t>(range.count);
    if (column.null_count == 0 || column.format == "n") return column;
    column.null_count = 0;
    for (std::uint64_t i = 0; i < column.length; ++i) column.null_count += !bit(column.buffers[0], column.offset + i);
    return column;
  }
  std::byte* room(std::uint64_t size, Memory& memory) {
    if (size > left_)
      throw ExchangeError{to_text({"a dictionary with its delta needs more than ", most_,
                                   " bytes, the limit of its MessageReader"})};
    left_ -= size;
    return memory.emplace_back(static_cast<std::size_t>(size)).span().data;
  }
  // Ranges of two buffers, in elements of `size` bytes.
  void const* bytes(Column<Host> const& a, Column<Host> const& b, std::size_t buffer, Range of_a, Range of_b,
                    std::uint64_t size, Memory& memory) {
    auto* const begin = room((of_a.count + of_b.count) * size, memory);
    auto* to = begin;
    for (auto const& [column, range] : {std::pair{&a, of_a}, std::pair{&b, of_b}}) {
      if (range.count == 0) continue;
      auto const* const from = static_cast<std::byte const*>(column->buffers[buffer]) + range.first * size;
      std::memcpy(to, from, static_cast<std::size_t>(range.count * size));
      to += range.count * size;
    }
    return begin;
  }
  // Of masks, where a missing one has no nulls, or of bools.
  void const* bits(Column<Host> const& a, Column<Host> const& b, std::size_t buffer, Memory& memory) {
    auto const count = a.length + b.length;
    auto const size = count / 8 + (count % 8 != 0);
    auto* const to = room(size, memory);
    std::memset(to, 0, static_cast<std::size_t>(size));
    std::uint64_t i = 0;
    for (auto const* const column : {&a, &b}) {
      auto const begin = i, end = begin + column->length;
      auto const* const from = column->buffers[buffer];
      while (i < end) {
        auto const whole = !from && i % 8 == 0 ? (end - i) / 8 : 0;  // a hostile length must not take a step per bit
        if (whole != 0) {
          std::memset(to + i / 8, 0xff, static_cast<std::size_t>(whole));
          i += whole * 8;
          continue;
        }
        if (!from || bit(from, column->offset + (i - begin))) to[i / 8] |= static_cast<std::byte>(1u << (i % 8));
        ++i;
      }
    }
    return to;
  }
  template <class Offset>
  static std::uint64_t offset(Column<Host> const& column, std::uint64_t i) {
    if (column.length == 0) return 0;  // it may have no offsets
    Offset found = 0;
    std::memcpy(&found, static_cast<std::byte const*>(column.buffers[1]) + (column.offset + i) * sizeof found,
                sizeof found);
    return static_cast<std::uint64_t>(found);
  }
  // The offsets, and what they lead to: bytes, or the elements of lists.
  template <class Offset>
  void join_parts(Column<Host>& column, Column<Host> const& a, Column<Host> const& b, Memory& memory) {
    auto const range = [](Column<Host> const& of) {
      auto const first = offset<Offset>(of, 0);
      return Range{first, offset<Offset>(of, of.length) - first};
    };
    auto const of_a = range(a), of_b = range(b);
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<Offset>::max());
    if (of_b.count > largest - of_a.count)
      refuse_array(a.name, a.format, to_text({"its offsets are above ", largest, " with its delta"}));
    auto* const to = room((column.length + 1) * sizeof(Offset), memory);
    for (std::uint64_t i = 0; i <= column.length; ++i) {
      bool const is_first = i < a.length;
      auto const place = is_first ? offset<Offset>(a, i) - of_a.first
                                  : of_a.count + offset<Offset>(b, i - a.length) - of_b.first;
      auto const number = static_cast<Offset>(place);
      std::memcpy(to + i * sizeof number, &number, sizeof number);
    }
    column.buffers.push_back(to);
    if (a.children.empty())
      column.buffers.push_back(bytes(a, b, 2, of_a, of_b, 1, memory));
    else
      column.children.push_back(join(part(a.children.front(), of_a), part(b.children.front(), of_b)));
  }

  std::uint64_t most_, left_;
};

}}}}  // namespace tessera::v0::arrow_c::detail
