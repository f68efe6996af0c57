// arrow_c::Message: a message of Arrow's IPC format; and its frame around a FlatBuffer.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/with/detail/exchange_error.hpp>
#include <tessera/with/detail/flat_table.hpp>
#include <tessera/with/detail/flat_writer.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c {

/// A message: its metadata in host memory, and the buffers of its body in space S, which are those of the columns.
template <MemorySpace S>
struct Message {
  /// A buffer or a part of one, at an offset in the body, in bytes. Other bytes of the body are padding, of any value.
  struct Part {
    std::uint64_t offset;
    ByteView<S> bytes;
  };
  std::vector<std::byte> header{};         ///< what goes before the body: its size is a multiple of 8
  std::vector<Part> body{};                ///< in ascending order
  std::uint64_t body_size = 0;             ///< bytes, a multiple of 64
  std::shared_ptr<void const> owner{};     ///< of the parts' memory
};

namespace detail {

// The numbers of the union MessageHeader, and of MetadataVersion (format/Message.fbs, Schema.fbs).
enum FlatMessage : std::uint8_t { flat_schema = 1, flat_dictionary_batch, flat_record_batch };
inline constexpr std::int16_t flat_version_4 = 3, flat_version_5 = 4;
inline constexpr std::uint32_t continuation = 0xffffffff;

// Makes a message's table, to whose content field 2 must be linked.
inline std::size_t message_table(tessera::detail::FlatWriter& flat, FlatMessage kind, std::uint64_t body_size) {
  return flat.table({{0, 2, flat_version_5}, {1, 1, kind}, {2, 4}, {3, 8, body_size}});
}
inline std::vector<std::byte> framed(std::vector<std::byte> const& flat) {
  auto const size = static_cast<std::uint32_t>((flat.size() + 7) / 8 * 8);
  std::vector<std::byte> result(8 + size);
  std::memcpy(result.data(), &continuation, 4);
  std::memcpy(result.data() + 4, &size, 4);
  std::memcpy(result.data() + 8, flat.data(), flat.size());
  return result;
}

struct FlatContent {
  std::uint8_t kind;
  tessera::detail::FlatTable table;
  std::uint64_t body_size;
};
// Throws: ExchangeError, MetadataError.
inline FlatContent content_of(std::span<std::byte const> header) {
  std::uint32_t first = 0, size = 0;
  if (header.size() < 8) throw ExchangeError{to_text({"the header has ", header.size(), " bytes, expected 8 or more"})};
  std::memcpy(&first, header.data(), 4);
  std::memcpy(&size, header.data() + 4, 4);
  if (first != continuation || size == 0 || size > header.size() - 8)
    throw ExchangeError{to_text({"the header begins with ", first, " and a size of ", size, ", expected ", continuation,
                                 " and 1 to ", header.size() - 8})};
  auto const message = tessera::detail::FlatTable::root(header.subspan(8, size));
  auto const version = message.get<std::int16_t>(0);
  if (version != flat_version_4 && version != flat_version_5)
    throw ExchangeError{to_text({"the message has metadata version V", version + 1, ", expected V4 or V5"})};
  auto const body_size = message.get<std::int64_t>(3);
  auto const table = message.table(2);
  if (body_size < 0 || !table)
    throw ExchangeError{to_text({"the message has a body of ", body_size, " bytes",
                                 table ? ", expected 0 or more" : ", and no content"})};
  return {message.get<std::uint8_t>(1), *table, static_cast<std::uint64_t>(body_size)};
}

// Calls f. FlatTable's errors become the errors of messages.
template <class F>
auto read_flat(F&& f) {
  try {
    return f();
  } catch (MetadataError const& error) {
    throw ExchangeError{to_text({"a message of Arrow's IPC format: ", error.what()})};
  }
}

}  // namespace detail
}}}  // namespace tessera::v0::arrow_c
