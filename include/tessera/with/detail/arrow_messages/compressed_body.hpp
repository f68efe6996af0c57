// Compressed bodies: each buffer of a batch by itself, behind the length that it decompresses to.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/with/detail/exchange_error.hpp>
#include <tessera/with/detail/flat_table.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c { namespace detail {

using FlatBytes = std::optional<std::span<std::byte const>>;

/// The buffers of a batch: where each is in the body, 16 bytes for its offset and its size. The places are in the
/// batch's header, or in a DecompressedBody.
template <MemorySpace S>
struct BatchBody {
  ByteView<S> bytes;
  FlatBytes places;
  std::shared_ptr<void const> owner;
};

struct DecompressedBody {
  std::shared_ptr<HostBuffer> memory{};  ///< each buffer begins at a multiple of 64 bytes
  std::vector<std::int64_t> places{};    ///< offset and size of each
};

/// A compression of Arrow's, of the program's list.
struct BodyCompression {
  std::string_view name{};
  std::size_t (*bound)(ByteView<space::Host>) = nullptr;
  std::size_t (*decode)(ByteView<space::Host>, ByteSpan<space::Host>, Queue<space::Host>&) = nullptr;
};

// The compressions of Arrow's format, by number, and what reads them (format/Message.fbs, CompressionType).
struct KnownCompression {
  std::string_view name, type, header;
};
inline constexpr KnownCompression known_compressions[] = {{"LZ4_FRAME", "Lz4Frame", "arrow/lz4.hpp"},
                                                          {"ZSTD", "Zstd", "arrow/zstd.hpp"}};

// The number of a batch's compression; nullopt: it is not compressed. Throws: ExchangeError, if it is unknown.
inline std::optional<std::int8_t> compression_of(tessera::detail::FlatTable const& batch) {
  auto const found = batch.table(3);
  if (!found) return std::nullopt;
  auto const number = found->get<std::int8_t>(0), method = found->get<std::int8_t>(1);
  if (number < 0 || static_cast<std::size_t>(number) >= std::size(known_compressions) || method != 0)
    throw ExchangeError{to_text({"the batch has compression ", int{number}, " of method ", int{method},
                                 ", expected 0 (LZ4_FRAME) or 1 (ZSTD) of method 0, buffer by buffer"})};
  return number;
}

template <class C>
BodyCompression compression_by() {
  return {C::arrow_name, [](ByteView<space::Host> from) { return C{}.decoded_bound(from); },
          [](ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) {
            return C{}.decode(from, to, on);
          }};
}
// Throws: ExchangeError, if the program's list does not have it.
template <class... Compressions>
BodyCompression listed_compression(std::int8_t number) {
  BodyCompression found;
  ((Compressions::arrow_number == number ? void(found = compression_by<Compressions>()) : void()), ...);
  auto const& [name, type, header] = known_compressions[static_cast<std::size_t>(number)];
  if (!found.decode)
    throw ExchangeError{to_text({"the batch is compressed by ", name, ", expected an uncompressed one, or a "
                                 "MessageReader with arrow_c::", type, " of tessera/with/", header})};
  return found;
}

}}}}  // namespace tessera::v0::arrow_c::detail
