// BatchWriter: the elements of a table, or of a dictionary, as a message whose body is their memory.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/detail/checked.hpp>
#include <tessera/core/error.hpp>
#include <tessera/with/detail/arrow/arrow_bits.hpp>
#include <tessera/with/detail/arrow/arrow_checked.hpp>
#include <tessera/with/detail/arrow/arrow_column.hpp>
#include <tessera/with/detail/arrow_messages/compress.hpp>
#include <tessera/with/detail/arrow_messages/message.hpp>
#include <tessera/with/detail/arrow_messages/write_schema.hpp>
#include <tessera/with/detail/flat_writer.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c { namespace detail {

// `fetch(to, from, size)` copies bytes of space S to the host, and returns when they are there. `encoder`: for bodies
// in host memory; null: they are not compressed.
template <MemorySpace S, class Fetch>
class BatchWriter {
 public:
  explicit BatchWriter(Fetch fetch, BodyEncoder const* encoder = nullptr)
      : fetch_{std::move(fetch)}, encoder_{encoder} {}

  /// Elements of a struct are its children. `dictionary`: the number of the dictionary; not one, if it is negative.
  Message<S> message(std::vector<Column<S> const*> const& columns, std::uint64_t first, std::uint64_t count,
                     std::int64_t dictionary) {
    for (auto const* column : columns) add(*column, column->offset + first, count);
    if constexpr (std::same_as<S, space::Host>)
      if (encoder_) compress();
    message_.body_size = place_;
    message_.owner = owners_;
    bool const is_dictionary = dictionary >= 0;
    tessera::detail::FlatWriter flat;
    auto at = message_table(flat, is_dictionary ? flat_dictionary_batch : flat_record_batch, place_);
    if (is_dictionary) {
      auto const batch = flat.table({{0, 8, static_cast<std::uint64_t>(dictionary)}, {1, 4}, {2, 1, 0}});
      flat.link(flat.place(at, 2), batch);
      at = batch;
    }
    std::vector<tessera::detail::FlatNumber> fields{{0, 8, count}, {1, 4}, {2, 4}};
    if (encoder_) fields.push_back({3, 4});
    auto const batch = flat.table(std::move(fields));
    flat.link(flat.place(at, is_dictionary ? 1 : 2), batch);
    flat.link(flat.place(batch, 1), flat.pairs(nodes_));
    flat.link(flat.place(batch, 2), flat.pairs(buffers_));
    if (encoder_)
      flat.link(flat.place(batch, 3), flat.table({{0, 1, static_cast<std::uint64_t>(encoder_->number)}, {1, 1, 0}}));
    message_.header = framed(flat.bytes());
    return std::move(message_);
  }

 private:
  struct Owners {
    std::vector<std::shared_ptr<void const>> all{};
  };

  // Elements `first` on of the column's buffers: its offset is counted already.
  void add(Column<S> const& column, std::uint64_t first, std::uint64_t count) {
    auto const shape = known_shape(column.name, column.format);
    if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) - first)
      refuse_array(column.name, column.format, to_text({"it has ", count, " elements"}));
    owners_->all.push_back(column.owner);
    if (column.format == "n") {
      nodes_.push_back({count, static_cast<std::int64_t>(count)});
      return;
    }
    auto const* const mask = column.null_count == 0 ? nullptr : buffer(column, 0);
    bool const is_whole = first == column.offset && count == column.length;
    auto const nulls = !mask                                 ? 0
                       : is_whole && column.null_count >= 0 ? column.null_count
                                                            : count_nulls(mask, first, count);
    nodes_.push_back({count, nulls});
    add_bits(column, nulls == 0 ? nullptr : mask, first, count);
    if (shape.offsets != 0) {
      auto const* const offsets = buffer(column, 1);
      auto const width = std::uint64_t{shape.offsets};
      put(column, offsets, first * width, count == 0 ? 0 : (count + 1) * width);
      if (!shape.has_children)
        put(column, buffer(column, 2), 0,
            count == 0 ? 0 : offset_at(column, offsets + (first + count) * width, shape.offsets));
    } else if (shape.is_bool) {
      if (!buffer(column, 1) && count != 0) refuse_array(column.name, column.format, "it has elements but no memory");
      add_bits(column, buffer(column, 1), first, count);
    } else if (shape.data.size != 0) {
      put(column, buffer(column, 1), first * shape.data.size,
          checked_product(count, shape.data.size, "the column"));
    }
    for (auto const& child : column.children) {
      auto const size = std::uint64_t{column.format == "+s" ? 1 : shape.list_size.value_or(0)};
      if (shape.offsets != 0)
        add(child, child.offset, child.length);
      else
        add(child, child.offset + first * size, count * size);
    }
  }

  static std::byte const* buffer(Column<S> const& column, std::size_t i) {
    return i < column.buffers.size() ? static_cast<std::byte const*>(column.buffers[i]) : nullptr;
  }
  void put(Column<S> const& column, std::byte const* data, std::uint64_t first, std::uint64_t size) {
    if (!data && size != 0) refuse_array(column.name, column.format, "it has elements but no memory");
    put(size == 0 ? nullptr : data + first, size);
  }
  void put(std::byte const* data, std::uint64_t size) {
    buffers_.push_back({place_, static_cast<std::int64_t>(size)});
    if (size != 0) message_.body.push_back({place_, {data, checked_size(size, "the column")}});
    place_ += (size + 63) / 64 * 64;
  }
  // Buffers without bytes stay so.
  void compress() {
    auto const plain = std::exchange(message_.body, {});
    auto const encoded = std::make_shared<EncodedBuffers const>(plain, *encoder_);
    owners_->all.push_back(encoded);
    place_ = 0;
    std::size_t i = 0;
    for (auto& [place, size] : buffers_) {
      place = place_;
      if (size == 0) continue;
      auto const now = encoded->size(i, plain[i]);
      encoded->add(message_.body, i, place_, plain[i]);
      size = static_cast<std::int64_t>(now);
      place_ += (now + 63) / 64 * 64;
      ++i;
    }
  }
  // Bits that do not begin in a byte are copied, which only host memory allows.
  void add_bits(Column<S> const& column, std::byte const* bits, std::uint64_t first, std::uint64_t count) {
    auto const size = count / 8 + (count % 8 != 0);
    if (!bits || size == 0) return put(nullptr, 0);
    if (first % 8 == 0) return put(bits + first / 8, size);
    if constexpr (S::host_accessible) {
      auto const moved = bits_of(count, [&](std::uint64_t i) { return bit(bits, first + i); });
      owners_->all.push_back(moved);
      put(reinterpret_cast<std::byte const*>(moved->data()), size);
    } else {
      refuse_array(column.name, column.format, to_text({"its bits begin with element ", first, " in a device's memory, "
                                                        "expected a multiple of 8"}));
    }
  }
  std::int64_t count_nulls(std::byte const* mask, std::uint64_t first, std::uint64_t count) {
    Bits bits(checked_size(count / 8 + 2, "the mask"));
    if (count != 0) {
      auto const begin = first / 8, end = (first + count - 1) / 8 + 1;
      fetch_(bits.data(), mask + begin, static_cast<std::size_t>(end - begin));
    }
    std::int64_t nulls = 0;
    for (std::uint64_t i = 0; i < count; ++i) nulls += !bit(bits.data(), first % 8 + i);
    return nulls;
  }
  std::uint64_t offset_at(Column<S> const& column, std::byte const* at, std::uint32_t width) {
    std::int32_t narrow = 0;
    std::int64_t wide = 0;
    width == 4 ? fetch_(&narrow, at, 4) : fetch_(&wide, at, 8);
    auto const last = width == 4 ? narrow : wide;
    if (last < 0) refuse_array(column.name, column.format, to_text({"its last offset is ", last}));
    return static_cast<std::uint64_t>(last);
  }

  Fetch fetch_;
  BodyEncoder const* encoder_;
  Message<S> message_{};
  std::shared_ptr<Owners> owners_ = std::make_shared<Owners>();
  std::vector<std::pair<std::uint64_t, std::int64_t>> nodes_, buffers_;
  std::uint64_t place_ = 0;
};

// The table's dictionaries, each before those that need it, and then its elements.
template <MemorySpace S, class Fetch>
std::vector<Message<S>> batches_of(Column<S> const& table, Fetch const& fetch, BodyEncoder const* encoder = nullptr) {
  expect_table(table);
  if (table.null_count != 0 && !table.buffers.empty() && table.buffers[0])
    refuse_array(table.name, table.format, "rows may be null, which a table cannot say");
  std::vector<Message<S>> messages;
  each_dictionary(table, [&](Column<S> const& dictionary) {
    messages.push_back(BatchWriter<S, Fetch>{fetch, encoder}.message({&dictionary}, 0, dictionary.length,
                                                                     static_cast<std::int64_t>(messages.size())));
  });
  std::vector<Column<S> const*> columns;
  for (auto const& child : table.children) columns.push_back(&child);
  messages.push_back(BatchWriter<S, Fetch>{fetch, encoder}.message(columns, table.offset, table.length, -1));
  return messages;
}

}}}}  // namespace tessera::v0::arrow_c::detail
