// Messages of Arrow's IPC format (https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-
// communication-ipc): tables as bytes, without Arrow's library. Metadata is in host memory, bodies are in the columns'
// space. In a stream each header is followed by its body. Device memory: device.cuh.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <tessera/array/detail/run_call.hpp>
#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/with/arrow/c_data.hpp>
#include <tessera/with/detail/arrow_messages/compress.hpp>
#include <tessera/with/detail/arrow_messages/compressed_body.hpp>
#include <tessera/with/detail/arrow_messages/decompress.hpp>
#include <tessera/with/detail/arrow_messages/dictionaries.hpp>
#include <tessera/with/detail/arrow_messages/joined.hpp>
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
/// The same with compressed bodies, each buffer by itself, on the threads of `on`: `batch_messages(table,
/// arrow_c::Zstd{})` or `arrow_c::Lz4Frame{}` (arrow/zstd.hpp, arrow/lz4.hpp). The message owns the compressed buffers;
/// buffers that would not become shorter stay the columns' memory. Throws: as above; CodecError.
template <MemorySpace S, class Compression>
requires requires { Compression::arrow_number; } std::vector<Message<S>> batch_messages(Column<S> const& table,
                                                                                        Compression const& by,
                                                                                        Queue<space::Host> on = {}) {
  constexpr bool is_of_host = std::same_as<S, space::Host>;
  static_assert(is_of_host,
                "tessera: messages are compressed in host memory: copy the columns there, or write them as they are, "
                "batch_messages(table, queue)");
  if constexpr (is_of_host) {
    auto const bound = [&](std::size_t plain) { return by.encoded_bound(plain); };
    auto const encode = [&](ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& queue) {
      return by.encode(from, to, queue);
    };
    detail::BodyEncoder const encoder{Compression::arrow_number, bound, encode, on};
    auto const copy = [](void* to, void const* from, std::size_t size) { std::memcpy(to, from, size); };
    return detail::batches_of(table, copy, &encoder);
  } else {
    return {};
  }
}
/// Copies a message's buffers to the places that they have in its body; padding becomes zeros. Throws: ExchangeError,
/// if there are fewer than `body_size` bytes.
inline void put_body(Message<space::Host> const& message, ByteSpan<space::Host> to) {
  if (to.size < message.body_size)
    throw ExchangeError{to_text({"there are ", to.size, " bytes, expected ", message.body_size, " of a body"})};
  if (message.body_size != 0) std::memset(to.data, 0, static_cast<std::size_t>(message.body_size));
  for (auto const& part : message.body) std::memcpy(to.data + part.offset, part.bytes.data, part.bytes.size);
}
/// What ends a stream: a header without a body.
inline std::vector<std::byte> end_of_stream() { return detail::framed({}); }

/// The bytes of the body that follows a header. Throws: ExchangeError, if the header is not of Arrow's IPC format.
inline std::uint64_t body_size(ByteView<space::Host> header) {
  return detail::read_flat([&] { return detail::content_of({header.data, header.size}).body_size; });
}

/// Reads the messages of a stream, from the schema on. Nothing in them is trusted. Bodies may be compressed by those
/// of the given types, such as `MessageReader<space::Host, arrow_c::Lz4Frame, arrow_c::Zstd>` (lz4.hpp,
/// zstd.hpp).
template <MemorySpace S, class... Compressions>
class MessageReader {
 public:
  /// `most`: bytes that a body may decompress to, and that a dictionary may have to which a message adds. The threads
  /// of `on` decompress the buffers of a body.
  explicit MessageReader(std::uint64_t most = std::uint64_t{4} << 30, Queue<space::Host> on = {})
      : most_{most}, host_{std::move(on)} {}

  /// The columns of a message with rows, as a table; nullopt for the schema and for dictionaries, which later messages
  /// use: one replaces an earlier one of its number, or adds to it, for tables that are read later. The columns are in
  /// the body's memory, and keep its owner; those of a compressed body in host memory are in new memory, which they
  /// own. In host memory, offsets and indices are checked; in device memory only the places of buffers are, and
  /// consumers trust what is in them. Throws: ExchangeError, if the body has fewer than body_size(header) bytes or is
  /// not aligned to 8, if the message is damaged, for types and compressions that the reader does not have, above
  /// `most`, and for names of more than 16 KiB. In device memory also for compressed bodies, and for dictionaries that
  /// add to an earlier one: these need a queue.
  std::optional<Column<S>> read(ByteView<space::Host> header, ByteView<S> body, std::shared_ptr<void const> owner) {
    return detail::read_flat([&] {
      auto const content = checked_content(header, body);
      body.size = static_cast<std::size_t>(content.body_size);
      if constexpr (S::host_accessible) {
        detail::DecompressedBody made;  // which has the places that are read
        auto const body_of = [&](Flat const& batch) { return decompressed(batch, body, std::move(owner), made); };
        return read_content(content, header, body_of, [&](Addition const& adds) {
          auto const delta = detail::only_column(adds.type, adds.batch, body_of(adds.batch), dictionaries_);
          return detail::JoinedColumns{most_}.join(dictionaries_.at(adds.number), delta);
        });
      } else {
        auto const body_of = [&](Flat const& batch) { return plain(batch, body, std::move(owner)); };
        return read_content(content, header, body_of, [](Addition const& adds) -> Column<S> {
          throw ExchangeError{to_text({"dictionary ", adds.number, " has a delta, which needs a queue of the device: "
                                       "expected read<DeviceBuffer>(header, body, owner, queue)"})};
        });
      }
    });
  }

  /// The same of a body in device memory, whose bytes are there in the order of `on`. A dictionary that adds to an
  /// earlier one is joined to it in pageable host memory, where its offsets and indices are checked: the body crosses
  /// to the host, the first time that of the earlier dictionary too, and `on` is waited for; then the whole dictionary
  /// crosses to a new buffer B, such as a DeviceBuffer. The reader keeps both. A dictionary's body must last until
  /// another replaces it or the first is added to it, and all calls must use one queue, or each must be ordered behind
  /// those before. Throws: as above; DeviceError.
  template <AllocatableBuffer B>
  requires(std::same_as<typename B::space_type, S> && !S::host_accessible)
  std::optional<Column<S>> read(ByteView<space::Host> header, ByteView<S> body, std::shared_ptr<void const> owner,
                                Queue<S>& on) {
    return detail::read_flat([&] {
      auto const content = checked_content(header, body);
      body.size = static_cast<std::size_t>(content.body_size);
      try {
        auto const body_of = [&](Flat const& batch) { return plain(batch, body, std::move(owner)); };
        return read_content(content, header, body_of, [&](Addition const& adds) {
          auto const there = plain(adds.batch, body, nullptr);
          auto const here = std::make_shared<HostBuffer>(body.size);
          crossing<space::Host, S>::copy(body, here->span(), on);
          on.wait();
          return joined<B>(adds, {here->view(), there.places, here}, on);
        });
      } catch (...) {  // the caller may now free memory of a copy under way
        tessera::detail::wait_and_throw(on);
      }
    });
  }

  /// The same of a body in host memory: its buffers are decompressed there, if they are compressed, and cross in one
  /// copy to a new buffer B, such as a DeviceBuffer, which the columns own. A dictionary that adds to an earlier one is
  /// joined to it first, as above. Waits for no other copy: the body must last until the queue has done its work so
  /// far. Throws: as above; DeviceError.
  template <AllocatableBuffer B>
  requires(std::same_as<typename B::space_type, S>)
  std::optional<Column<S>> read(ByteView<space::Host> header, ByteView<space::Host> body, Queue<S>& on) {
    return detail::read_flat([&] {
      auto const content = checked_content(header, body);
      body.size = static_cast<std::size_t>(content.body_size);
      detail::DecompressedBody made;
      try {
        auto const body_of = [&](Flat const& batch) {
          auto const here = decompressed(batch, body, nullptr, made);
          auto const there = std::make_shared<B>(here.bytes.size, on);
          crossing<S, space::Host>::copy(here.bytes, there->span(), on);
          on.keep(made.memory);
          return detail::BatchBody<S>{there->view(), here.places, there};
        };
        return read_content(content, header, body_of, [&](Addition const& adds) {
          if constexpr (std::same_as<S, space::Host>) {
            auto const delta = detail::only_column(adds.type, adds.batch, body_of(adds.batch), dictionaries_);
            return detail::JoinedColumns{most_}.join(dictionaries_.at(adds.number), delta);
          } else {
            return joined<B>(adds, decompressed(adds.batch, body, nullptr, made), on);
          }
        });
      } catch (...) {  // the caller may now free memory of a copy under way
        tessera::detail::wait_and_throw(on);
      }
    });
  }

 private:
  using Flat = tessera::detail::FlatTable;
  // What a message adds to a dictionary.
  struct Addition {
    std::int64_t number;
    detail::FieldType const& type;
    Flat const& batch;
  };

  static detail::FlatContent checked_content(ByteView<space::Host> header, auto const& body) {
    auto const content = detail::content_of({header.data, header.size});
    if (body.size < content.body_size || reinterpret_cast<std::uintptr_t>(body.data) % 8 != 0)
      throw ExchangeError{to_text({"the body has ", body.size, " bytes, expected ", content.body_size,
                                   ", aligned to 8 bytes"})};
    return content;
  }
  // `made` owns the places of buffers that were decompressed.
  detail::BatchBody<space::Host> decompressed(Flat const& batch, ByteView<space::Host> body,
                                              std::shared_ptr<void const> owner, detail::DecompressedBody& made) {
    auto const places = batch.vector(2, 16);
    auto const number = detail::compression_of(batch);
    if (!number) return {body, places, std::move(owner)};
    made = detail::decompressed(places, body, detail::listed_compression<Compressions...>(*number), most_, host_);
    return {made.memory->view(), std::as_bytes(std::span{made.places}), made.memory};
  }
  // Of a device's memory.
  static detail::BatchBody<S> plain(Flat const& batch, ByteView<S> body, std::shared_ptr<void const> owner) {
    if (auto const number = detail::compression_of(batch))
      throw ExchangeError{to_text({"the batch is compressed by ", detail::known_compressions[*number].name,
                                   " in a device's memory, expected its body in host memory, for "
                                   "read<DeviceBuffer>(header, body, queue)"})};
    return {body, batch.vector(2, 16), std::move(owner)};
  }
  // The dictionary with a delta, in a new buffer B. `here`: the body of the delta.
  template <AllocatableBuffer B>
  Column<S> joined(Addition const& adds, detail::BatchBody<space::Host> here, Queue<S>& on) {
    auto& staged = staged_.at(adds.number);
    auto const indexed = detail::without_elements(dictionaries_);
    auto const delta = detail::only_column(adds.type, adds.batch, std::move(here), indexed);
    auto whole = detail::JoinedColumns{most_}.join(staged.on_host(adds.type, indexed, on), delta);
    auto const message = detail::whole_dictionary(whole);
    auto const packed = std::make_shared<HostBuffer>(static_cast<std::size_t>(message.body_size));
    put_body(message, packed->span());
    auto const there = std::make_shared<B>(packed->view().size, on);
    crossing<S, space::Host>::copy(packed->view(), there->span(), on);
    on.keep(packed);
    auto const batch = detail::content_of(message.header).table.table(1).value();
    auto column = detail::only_column<S>(adds.type, batch, {there->view(), batch.vector(2, 16), there}, dictionaries_);
    staged.put(std::move(whole));
    return column;
  }
  // `body_of(batch)` returns the BatchBody of a batch in the message, `join(addition)` the dictionary with a delta.
  std::optional<Column<S>> read_content(detail::FlatContent const& content, ByteView<space::Host> header,
                                        auto const& body_of, auto const& join) {
    if (content.kind == detail::flat_schema) {
      if (has_schema_) throw ExchangeError{"there is a second schema, expected a batch"};
      schema_ = detail::SchemaReader{}.read(content.table);
      has_schema_ = true;
      return std::nullopt;
    }
    if (!has_schema_) throw ExchangeError{"there is no schema before the batch"};
    if (content.kind == detail::flat_dictionary_batch) {
      read_dictionary(content.table, header, body_of, join);
      return std::nullopt;
    }
    if (content.kind != detail::flat_record_batch)
      throw ExchangeError{to_text({"the message is of kind ", int{content.kind}, ", expected a schema, a dictionary or "
                                   "a record batch"})};
    detail::BatchReader<S> batch{content.table, body_of(content.table), dictionaries_};
    Column<S> table{.format = "+s", .length = batch.length(), .buffers = {nullptr}};
    for (auto const& type : schema_) table.children.push_back(batch.column(type, batch.length()));
    batch.expect_end();
    return table;
  }
  void read_dictionary(Flat const& table, ByteView<space::Host> header, auto const& body_of, auto const& join) {
    auto const number = table.template get<std::int64_t>(0);
    auto const* const type = type_of(schema_, number);
    auto const data = table.table(1);
    if (!type || !data) throw ExchangeError{to_text({"no column of the schema has dictionary ", number})};
    auto const before = dictionaries_.find(number);
    if (table.template get<std::uint8_t>(2) != 0) {
      if (before == dictionaries_.end())
        throw ExchangeError{to_text({"dictionary ", number, " has a delta, but no message before it"})};
      detail::expect_same_dictionaries(*type, before->second, dictionaries_);
      before->second = join(Addition{number, *type, *data});
      return;
    }
    detail::BatchBody<S> const body = body_of(*data);
    auto column = detail::only_column(*type, *data, body, dictionaries_);
    if constexpr (!S::host_accessible) staged_.insert_or_assign(number, detail::StagedDictionary<S>{header, body});
    dictionaries_.insert_or_assign(number, std::move(column));
  }
  static detail::FieldType const* type_of(std::vector<detail::FieldType> const& fields, std::int64_t number) {
    for (auto const& field : fields) {
      if (field.number == number) return &field.dictionary.front();
      if (auto const* const found = type_of(field.children, number)) return found;
      if (auto const* const found = type_of(field.dictionary, number)) return found;
    }
    return nullptr;
  }

  std::uint64_t most_;
  Queue<space::Host> host_;
  bool has_schema_ = false;
  std::vector<detail::FieldType> schema_;
  detail::Dictionaries<S> dictionaries_;
  std::map<std::int64_t, detail::StagedDictionary<S>> staged_;  // of a device
};

}}}  // namespace tessera::v0::arrow_c
