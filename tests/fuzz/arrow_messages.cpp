// Any bytes as a stream of Arrow's IPC format, also with compressed bodies: each table that is read lies in its messages'
// bodies or in memory of its own, and is written and read again unchanged.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <tessera/with/arrow/lz4.hpp>
#include <tessera/with/arrow/messages.hpp>
#include <tessera/with/arrow/zstd.hpp>

using namespace tessera;
using Host = space::Host;
using Table = arrow_c::Column<Host>;

namespace {

// Reads everything that the column's lengths and offsets lead to.
std::uint64_t sum_of(Table const& from) {
  auto const shape = tessera::detail::arrow_shape(from.format).value();
  auto const bits = from.length / 8 + (from.length % 8 != 0);
  std::uint64_t sum = from.length + static_cast<std::uint64_t>(from.null_count);
  auto const add = [&](void const* bytes, std::uint64_t size) {
    for (std::uint64_t i = 0; i < size; ++i) sum = sum * 31 + static_cast<std::uint8_t const*>(bytes)[i];
  };
  if (!from.buffers.empty() && from.buffers[0]) add(from.buffers[0], bits);
  if (shape.offsets == 0 && shape.data.size != 0)
    add(from.buffers[1], shape.is_bool ? bits : from.length * shape.data.size);
  if (shape.offsets != 0 && from.length != 0) {
    std::int64_t last = 0;
    std::memcpy(&last, static_cast<std::byte const*>(from.buffers[1]) + shape.offsets * from.length, shape.offsets);
    if (!shape.has_children)
      add(from.buffers[2], static_cast<std::uint64_t>(last));
    else if (static_cast<std::uint64_t>(last) > from.children.at(0).length)
      std::abort();
  }
  for (auto const& child : from.children) sum = sum * 31 + sum_of(child);
  for (auto const& dictionary : from.dictionary) sum = sum * 31 + sum_of(dictionary);
  return sum;
}

// Whether structs and lists of a fixed size have no elements but theirs: others are not written.
bool is_exact(Table const& from) {
  auto const shape = tessera::detail::arrow_shape(from.format).value();
  for (auto const& child : from.children) {
    bool const has_more = shape.offsets == 0 && child.length != from.length * shape.list_size.value_or(1);
    if (has_more || !is_exact(child)) return false;
  }
  for (auto const& dictionary : from.dictionary)
    if (!is_exact(dictionary)) return false;
  return true;
}

Table again(Table const& table) {
  arrow_c::MessageReader<Host> reader;
  auto const schema = arrow_c::schema_message(table);
  std::optional<Table> found = reader.read({schema.header.data(), schema.header.size()}, {}, nullptr);
  for (auto const& message : arrow_c::batch_messages(table)) {
    auto const body = std::make_shared<std::vector<std::uint64_t>>(message.body_size / 8);
    auto* const bytes = reinterpret_cast<std::byte*>(body->data());
    arrow_c::put_body(message, {bytes, 8 * body->size()});
    found = reader.read({message.header.data(), message.header.size()}, {bytes, 8 * body->size()}, body);
  }
  return std::move(found).value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  arrow_c::MessageReader<Host, arrow_c::Lz4Frame, arrow_c::Zstd> reader{std::uint64_t{1} << 20};
  try {
    while (size >= 8) {
      std::uint32_t flat = 0;
      std::memcpy(&flat, data + 4, 4);
      ByteView<Host> const header{reinterpret_cast<std::byte const*>(data), 8 + std::min<std::size_t>(flat, size - 8)};
      data += header.size, size -= header.size;
      auto const length = arrow_c::body_size(header);
      auto const taken = static_cast<std::size_t>(std::min<std::uint64_t>(length, size));
      auto const body = std::make_shared<std::vector<std::uint64_t>>(taken / 8 + 1);
      if (taken != 0) std::memcpy(body->data(), data, taken);
      data += taken, size -= taken;
      auto const table = reader.read(header, {reinterpret_cast<std::byte const*>(body->data()), taken}, body);
      if (!table) continue;
      auto const sum = sum_of(*table);
      if (is_exact(*table) && sum_of(again(*table)) != sum) std::abort();
    }
  } catch (ExchangeError const&) {
  }
  return 0;
}
