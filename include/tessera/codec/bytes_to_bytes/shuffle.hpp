// numcodecs' shuffle: first the first bytes of all elements, then the second ones, and so on.
#pragma once
#include <cstddef>
#include <cstring>
#include <string_view>

#include <tessera/codec/concept.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `elementsize` in bytes, 4 if it is not there; with 0 or 1 nothing moves.
struct Shuffle {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "numcodecs.shuffle";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  std::size_t elementsize = 4;

  static Shuffle from(ObjectReader& configuration) {
    Shuffle codec;
    if (auto const found = configuration.find("elementsize"))
      codec.elementsize = found->integer<std::size_t>(0, std::size_t{1} << 20);
    return codec;
  }
  Value configuration() const { return Members{{"elementsize", Value::integer(static_cast<long long>(elementsize))}}; }

  std::size_t encoded_bound(std::size_t decoded) const { return decoded; }
  std::size_t decoded_bound(ByteView<space::Host> from) const { return from.size; }

  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    return transpose(from, to, count(from.size, to.size), size());
  }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    return transpose(from, to, size(), count(from.size, to.size));
  }

  /// Elements that so many bytes are. Throws: CodecError, if these are not whole ones, or there is no room for them.
  std::size_t count(std::size_t from, std::size_t to) const {
    if (from > to) throw CodecError{text({"found ", from, " bytes, expected ", to})};
    if (from % size() != 0)
      throw CodecError{text({"found ", from, " bytes, expected a multiple of elementsize ", elementsize})};
    return from / size();
  }
  std::size_t size() const { return elementsize == 0 ? 1 : elementsize; }

 private:
  // Bytes of so many columns become rows: `to` has rows of as many bytes as `from` has rows.
  static std::size_t transpose(ByteView<space::Host> from, ByteSpan<space::Host> to, std::size_t columns,
                               std::size_t rows) {
    if (columns == 1 || rows == 1) {
      if (from.size > 0) std::memcpy(to.data, from.data, from.size);
      return from.size;
    }
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t column = 0; column < columns; ++column)
        to.data[column * rows + row] = from.data[row * columns + column];
    return from.size;
  }
};

}  // namespace codec
}}  // namespace tessera::v0
