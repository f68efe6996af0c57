// Messages of Arrow's IPC format with compressed bodies, and dictionaries that add to earlier ones: the library reads
// them, but writes none.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <lz4frame.h>
#include <zstd.h>

#include <tessera/with/arrow/messages.hpp>

namespace test {

using ArrowBytes = std::vector<std::byte>;

/// A header, and a body that is aligned.
struct SentMessage {
  ArrowBytes header;
  std::vector<std::uint64_t> body;

  tessera::ByteView<tessera::space::Host> head() const { return {header.data(), header.size()}; }
  tessera::ByteView<tessera::space::Host> view() const {
    return {reinterpret_cast<std::byte const*>(body.data()), 8 * body.size()};
  }
};

inline SentMessage sent(tessera::arrow_c::Message<tessera::space::Host> const& message) {
  SentMessage result{message.header, std::vector<std::uint64_t>(message.body_size / 8)};
  tessera::arrow_c::put_body(message, {reinterpret_cast<std::byte*>(result.body.data()), 8 * result.body.size()});
  return result;
}

/// A buffer's bytes in a compressed body, with the length before them.
using SqueezeBuffer = std::function<ArrowBytes(std::size_t number, ArrowBytes const& plain)>;

inline ArrowBytes behind_length(std::int64_t length, ArrowBytes const& bytes) {
  ArrowBytes result(8 + bytes.size());
  std::memcpy(result.data(), &length, 8);
  if (!bytes.empty()) std::memcpy(result.data() + 8, bytes.data(), bytes.size());
  return result;
}
inline ArrowBytes lz4_frame(ArrowBytes const& plain) {
  ArrowBytes frame(LZ4F_compressFrameBound(plain.size(), nullptr));
  frame.resize(LZ4F_compressFrame(frame.data(), frame.size(), plain.data(), plain.size(), nullptr));
  return frame;
}
inline ArrowBytes zstd_frame(ArrowBytes const& plain) {
  ArrowBytes frame(ZSTD_compressBound(plain.size()));
  frame.resize(ZSTD_compress(frame.data(), frame.size(), plain.data(), plain.size(), 1));
  return frame;
}
/// As Arrow's libraries do; every third buffer is not compressed.
inline SqueezeBuffer squeeze_by(int number) {
  return [number](std::size_t i, ArrowBytes const& plain) {
    if (plain.empty()) return plain;
    if (i % 3 == 2) return behind_length(-1, plain);
    return behind_length(static_cast<std::int64_t>(plain.size()), number == 0 ? lz4_frame(plain) : zstd_frame(plain));
  };
}

/// How a message is changed: its compression (-1: none), its method, and whether a dictionary is a delta.
struct Squeezed {
  int number = -1, method = 0;
  bool is_delta = false;
};
/// The message with other buffers.
inline SentMessage squeezed(tessera::arrow_c::Message<tessera::space::Host> const& message, Squeezed how,
                            SqueezeBuffer const& squeeze) {
  using namespace tessera;
  using detail::FlatTable, detail::FlatWriter;
  auto const content = arrow_c::detail::content_of(message.header);
  bool const is_dictionary = content.kind == arrow_c::detail::flat_dictionary_batch;
  auto const before = is_dictionary ? content.table.table(1).value() : content.table;
  auto const plain = sent(message);
  std::vector<std::pair<std::uint64_t, std::int64_t>> nodes, places;
  auto const each_pair = [&](std::size_t field, auto&& f) {
    auto const pairs = before.vector(field, 16).value();
    for (std::size_t at = 0; at < pairs.size(); at += 16)
      f(FlatTable::number<std::int64_t>(pairs, at), FlatTable::number<std::int64_t>(pairs, at + 8));
  };
  each_pair(1, [&](auto length, auto nulls) { nodes.push_back({static_cast<std::uint64_t>(length), nulls}); });
  ArrowBytes body;
  each_pair(2, [&](auto offset, auto size) {
    auto const* const from = plain.view().data + offset;
    auto const bytes = how.number < 0 ? ArrowBytes(from, from + size)
                                      : squeeze(places.size(), ArrowBytes(from, from + size));
    places.push_back({body.size(), static_cast<std::int64_t>(bytes.size())});
    body.insert(body.end(), bytes.begin(), bytes.end());
    body.resize((body.size() + 7) / 8 * 8);
  });

  FlatWriter flat;
  auto at = arrow_c::detail::message_table(
      flat, is_dictionary ? arrow_c::detail::flat_dictionary_batch : arrow_c::detail::flat_record_batch, body.size());
  if (is_dictionary) {
    auto const number = content.table.get<std::uint64_t>(0);
    auto const dictionary = flat.table({{0, 8, number}, {1, 4}, {2, 1, how.is_delta}});
    flat.link(flat.place(at, 2), dictionary);
    at = dictionary;
  }
  std::vector<detail::FlatNumber> fields{{0, 8, before.get<std::uint64_t>(0)}, {1, 4}, {2, 4}};
  if (how.number >= 0) fields.push_back({3, 4});
  auto const batch = flat.table(fields);
  flat.link(flat.place(at, is_dictionary ? 1 : 2), batch);
  flat.link(flat.place(batch, 1), flat.pairs(nodes));
  flat.link(flat.place(batch, 2), flat.pairs(places));
  if (how.number >= 0)
    flat.link(flat.place(batch, 3), flat.table({{0, 1, static_cast<std::uint64_t>(how.number)},
                                                {1, 1, static_cast<std::uint64_t>(how.method)}}));
  SentMessage result{arrow_c::detail::framed(flat.bytes()), std::vector<std::uint64_t>(body.size() / 8)};
  if (!body.empty()) std::memcpy(result.body.data(), body.data(), body.size());
  return result;
}

}  // namespace test
