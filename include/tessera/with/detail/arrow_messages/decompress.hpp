// decompressed: the buffers of a compressed body, in new memory.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/with/detail/arrow_messages/compressed_body.hpp>
#include <tessera/with/detail/exchange_error.hpp>
#include <tessera/with/detail/flat_table.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c { namespace detail {

// A buffer before and after. Several may be the same bytes of the body.
struct CompressedBuffer {
  ByteView<space::Host> from{};
  std::size_t at = 0, size = 0;  ///< in the decompressed body
  bool is_stored = false;        ///< the bytes are not compressed
};

// The length before the buffer's bytes is not trusted: it must be one that they can decompress to.
inline CompressedBuffer compressed_buffer(ByteView<space::Host> body, std::int64_t offset, std::int64_t size,
                                          BodyCompression const& by) {
  if (size == 0) return {};
  if (offset < 0 || size < 8 || static_cast<std::uint64_t>(offset) > body.size ||
      static_cast<std::uint64_t>(size) > body.size - static_cast<std::uint64_t>(offset))
    throw ExchangeError{to_text({"it has ", size, " bytes at byte ", offset, " of a body of ", body.size,
                                 ", expected 8 or more inside"})};
  auto const begin = static_cast<std::size_t>(offset);
  auto const length = tessera::detail::FlatTable::number<std::int64_t>({body.data, body.size}, begin);
  CompressedBuffer found{body.sub(begin + 8, static_cast<std::size_t>(size) - 8)};
  if (length == -1) {
    found.size = found.from.size, found.is_stored = true;
    return found;
  }
  auto const most = length == 0 ? 0 : by.bound(found.from);
  if (length < 0 || static_cast<std::uint64_t>(length) > most)
    throw ExchangeError{to_text({"its ", found.from.size, " bytes are said to decompress to ", length,
                                 ", expected -1, or 0 to ", most})};
  found.size = static_cast<std::size_t>(length);
  return found;
}

// Throws: ExchangeError.
inline void decompress(CompressedBuffer const& buffer, std::byte* body, BodyCompression const& by,
                       Queue<space::Host>& on) {
  if (buffer.size == 0) return;
  if (buffer.is_stored) {
    std::memcpy(body + buffer.at, buffer.from.data, buffer.size);
    return;
  }
  std::size_t done = 0;
  try {
    done = by.decode(buffer.from, {body + buffer.at, buffer.size}, on);
  } catch (CodecError const& error) {
    throw ExchangeError{error.what()};
  }
  if (done != buffer.size)
    throw ExchangeError{to_text({buffer.from.size, " bytes decompressed to ", done, ", expected ", buffer.size})};
}

// By the queue's threads. `most`: bytes of all buffers together, with padding. Throws: ExchangeError.
inline DecompressedBody decompressed(FlatBytes const& places, ByteView<space::Host> body, BodyCompression const& by,
                                     std::uint64_t most, Queue<space::Host>& on) {
  auto const count = places ? places->size() / 16 : 0;
  auto const in_buffer = [&](std::size_t i, auto&& f) {
    try {
      return f();
    } catch (ExchangeError const& error) {
      throw ExchangeError{to_text({"buffer ", i, " of the batch, compressed by ", by.name, ": ", error.what()})};
    }
  };
  std::vector<CompressedBuffer> buffers;
  DecompressedBody result;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    using tessera::detail::FlatTable;
    auto const offset = FlatTable::number<std::int64_t>(*places, 16 * i);
    auto const size = FlatTable::number<std::int64_t>(*places, 16 * i + 8);
    auto& buffer = buffers.emplace_back(in_buffer(i, [&] { return compressed_buffer(body, offset, size, by); }));
    if (buffer.size > most || (buffer.size + 63) / 64 * 64 > most - total)
      throw ExchangeError{to_text({"the batch, compressed by ", by.name, ", decompresses to more than ", most,
                                   " bytes, the limit of its MessageReader"})};
    buffer.at = static_cast<std::size_t>(total);
    total += (buffer.size + 63) / 64 * 64;
    result.places.push_back(static_cast<std::int64_t>(buffer.at));
    result.places.push_back(static_cast<std::int64_t>(buffer.size));
  }
  result.memory = std::make_shared<HostBuffer>(static_cast<std::size_t>(total));
  auto* const to = result.memory->span().data;
  on.for_each(count, [&](std::size_t i) { in_buffer(i, [&] { decompress(buffers[i], to, by, on); }); });
  for (auto const& buffer : buffers) {
    auto const end = buffer.at + buffer.size;
    if (end % 64 != 0) std::memset(to + end, 0, 64 - end % 64);
  }
  return result;
}

}}}}  // namespace tessera::v0::arrow_c::detail
