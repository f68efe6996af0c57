// Messages of Arrow's IPC format (https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-
// communication-ipc): tables as bytes, without Arrow's library. Metadata is in host memory, bodies are in the columns'
// space. In a stream each header is followed by its body. Device memory: arrow_messages.cuh.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/with/arrow.hpp>
#include <tessera/with/detail/arrow_messages/message.hpp>
#include <tessera/with/detail/arrow_messages/read_batch.hpp>
#include <tessera/with/detail/arrow_messages/read_schema.hpp>
#include <tessera/with/detail/arrow_messages/write_batch.hpp>
#include <tessera/with/detail/arrow_messages/write_schema.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c {

/// The first message of a stream: the names and types of a table, a struct of format "+s". It has no body. Throws:
/// ExchangeError, if the column is no table.
template <MemorySpace S>
Message<S> schema_message(Column<S> const& table) {
  detail::expect_table(table);
  Message<S> message;
  message.header = detail::SchemaWriter{}.header(table);
  return message;
}
/// The messages of a table's elements: its dictionaries, and then its rows. Bodies are the columns' memory; bits of a
/// slice that does not begin with a byte are copied. Throws: ExchangeError, if the column is no table, rows are null,
/// or memory is missing.
inline std::vector<Message<space::Host>> batch_messages(Column<space::Host> const& table) {
  return detail::batches_of(table, [](void* to, void const* from, std::size_t size) { std::memcpy(to, from, size); });
}
/// Copies a message's buffers to the places that they have in its body; padding becomes zeros. Throws: ExchangeError,
/// if there are fewer than `body_size` bytes.
inline void put_body(Message<space::Host> const& message, ByteSpan<space::Host> to) {
  if (to.size < message.body_size)
    throw ExchangeError{to_text({"there are ", to.size, " bytes, expected ", message.body_size, " of a body"})};
  std::memset(to.data, 0, static_cast<std::size_t>(message.body_size));
  for (auto const& part : message.body) std::memcpy(to.data + part.offset, part.bytes.data, part.bytes.size);
}
/// What ends a stream: a header without a body.
inline std::vector<std::byte> end_of_stream() { return detail::framed({}); }

/// The bytes of the body that follows a header. Throws: ExchangeError, if the header is not of Arrow's IPC format.
inline std::uint64_t body_size(ByteView<space::Host> header) {
  return detail::read_flat([&] { return detail::content_of({header.data, header.size}).body_size; });
}

/// Reads the messages of a stream, from the schema on. Nothing in them is trusted.
template <MemorySpace S>
class MessageReader {
 public:
  /// The columns of a message with rows, as a table; nullopt for the schema and for dictionaries, which later messages
  /// use. The columns are in the body's memory, and keep its owner. In host memory, offsets and indices are checked; in
  /// device memory only the places of buffers are, and consumers trust what is in them. Throws: ExchangeError, if the
  /// body has fewer than body_size(header) bytes or is not aligned to 8, if the message is damaged or compressed, for
  /// types that the library does not have, for names of more than 16 KiB, and for dictionaries that change or add to an
  /// earlier one.
  std::optional<Column<S>> read(ByteView<space::Host> header, ByteView<S> body, std::shared_ptr<void const> owner) {
    return detail::read_flat([&] { return read_content(header, body, std::move(owner)); });
  }

 private:
  std::optional<Column<S>> read_content(ByteView<space::Host> header, ByteView<S> body,
                                        std::shared_ptr<void const> owner) {
    auto const content = detail::content_of({header.data, header.size});
    if (body.size < content.body_size || reinterpret_cast<std::uintptr_t>(body.data) % 8 != 0)
      throw ExchangeError{to_text({"the body has ", body.size, " bytes, expected ", content.body_size,
                                   ", aligned to 8 bytes"})};
    body.size = static_cast<std::size_t>(content.body_size);
    if (content.kind == detail::flat_schema) {
      if (has_schema_) throw ExchangeError{"there is a second schema, expected a batch"};
      schema_ = detail::SchemaReader{}.read(content.table);
      has_schema_ = true;
      return std::nullopt;
    }
    if (!has_schema_) throw ExchangeError{"there is no schema before the batch"};
    if (content.kind == detail::flat_dictionary_batch) {
      read_dictionary(content.table, body, std::move(owner));
      return std::nullopt;
    }
    if (content.kind != detail::flat_record_batch)
      throw ExchangeError{to_text({"the message is of kind ", int{content.kind}, ", expected a schema, a dictionary or "
                                   "a record batch"})};
    detail::BatchReader<S> batch{content.table, body, dictionaries_, std::move(owner)};
    Column<S> table{.format = "+s", .length = batch.length(), .buffers = {nullptr}};
    for (auto const& type : schema_) table.children.push_back(batch.column(type, batch.length()));
    batch.expect_end();
    return table;
  }
  void read_dictionary(tessera::detail::FlatTable const& table, ByteView<S> body, std::shared_ptr<void const> owner) {
    auto const number = table.template get<std::int64_t>(0);
    auto const* const type = type_of(schema_, number);
    auto const data = table.table(1);
    if (!type || !data) throw ExchangeError{to_text({"no column of the schema has dictionary ", number})};
    if (table.template get<std::uint8_t>(2) != 0 || dictionaries_.contains(number))
      throw ExchangeError{to_text({"dictionary ", number, " is changed, expected one for each stream"})};
    detail::BatchReader<S> batch{*data, body, dictionaries_, std::move(owner)};
    auto column = batch.column(*type, batch.length());
    batch.expect_end();
    dictionaries_.emplace(number, std::move(column));
  }
  static detail::FieldType const* type_of(std::vector<detail::FieldType> const& fields, std::int64_t number) {
    for (auto const& field : fields) {
      if (field.number == number) return &field.dictionary.front();
      if (auto const* const found = type_of(field.children, number)) return found;
      if (auto const* const found = type_of(field.dictionary, number)) return found;
    }
    return nullptr;
  }

  bool has_schema_ = false;
  std::vector<detail::FieldType> schema_;
  std::map<std::int64_t, Column<S>> dictionaries_;
};

}}}  // namespace tessera::v0::arrow_c
