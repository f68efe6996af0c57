// Columns in host memory, which own it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tessera/memory/space.hpp>
#include <tessera/with/arrow/c_data.hpp>

namespace test {

using HostTable = tessera::arrow_c::Column<tessera::space::Host>;

template <class T>
HostTable column(char const* name, char const* format, std::uint64_t length, std::vector<T> const& elements) {
  auto const memory = std::make_shared<std::vector<T>>(elements);
  return {.format = format, .name = name, .length = length, .buffers = {nullptr, memory->data()}, .owner = memory};
}
template <class Offset = std::int32_t>
HostTable words(char const* name, std::vector<Offset> const& offsets, std::string const& text) {
  auto made = column(name, sizeof(Offset) == 4 ? "u" : "U", offsets.size() - 1, offsets);
  auto const both = std::make_shared<std::pair<std::shared_ptr<void const>, std::string>>(made.owner, text);
  made.buffers.push_back(both->second.data()), made.owner = both;
  return made;
}
inline HostTable with_nulls(HostTable made, std::vector<std::uint8_t> const& mask, std::int64_t nulls) {
  using Both = std::pair<std::shared_ptr<void const>, std::vector<std::uint8_t>>;
  auto const both = std::make_shared<Both>(made.owner, mask);
  made.buffers[0] = both->second.data(), made.null_count = nulls, made.owner = both;
  return made;
}
inline HostTable table_of(std::vector<HostTable> columns) {
  HostTable table{.format = "+s", .length = columns.front().length, .buffers = {nullptr}};
  table.children = std::move(columns);
  return table;
}
/// One row, whose index is the last one into a dictionary that came in parts.
inline HostTable coded(HostTable dictionary, std::uint64_t length) {
  auto codes = column("c", "s", 1, std::vector<std::int16_t>{static_cast<std::int16_t>(length - 1)});
  codes.dictionary.push_back(std::move(dictionary));
  return table_of({codes});
}

}  // namespace test
