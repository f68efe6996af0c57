// Shuffle: numcodecs' shuffle: the first bytes of all elements, then the second ones, and so on.
#pragma once
#include <cstddef>
#include <string_view>

#include <tessera/codec/concept.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `elementsize` in bytes, by default 4; with 0 or 1 nothing moves.
struct Shuffle {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "numcodecs.shuffle";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  std::size_t elementsize = 4;

  static Shuffle from(ObjectReader& configuration);
  Value configuration() const;

  std::size_t encoded_bound(std::size_t decoded) const { return decoded; }
  std::size_t decoded_bound(ByteView<space::Host> from) const { return from.size; }

  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    return transpose(from, to, count(from.size, to.size), size());
  }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    return transpose(from, to, size(), count(from.size, to.size));
  }

  /// The number of elements in `from` bytes. Throws: CodecError, if these are not whole, or `to` bytes cannot hold
  /// them.
  std::size_t count(std::size_t from, std::size_t to) const;
  std::size_t size() const { return elementsize == 0 ? 1 : elementsize; }

 private:
  // Columns of bytes become rows: a row of `to` has as many bytes as `from` has rows.
  static std::size_t transpose(ByteView<space::Host> from, ByteSpan<space::Host> to, std::size_t columns,
                               std::size_t rows);
};

}  // namespace codec
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/bytes_to_bytes/detail/shuffle.ipp>
#endif
