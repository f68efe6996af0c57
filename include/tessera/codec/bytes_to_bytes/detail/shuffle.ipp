#pragma once
#include <tessera/codec/bytes_to_bytes/shuffle.hpp>

#include <cstddef>
#include <cstring>

namespace tessera { inline namespace v0 { namespace codec {

TESSERA_DECL Shuffle Shuffle::from(ObjectReader& configuration) {
  Shuffle codec;
  if (auto const found = configuration.find("elementsize"))
    codec.elementsize = found->integer<std::size_t>(0, std::size_t{1} << 20);
  return codec;
}

TESSERA_DECL Value Shuffle::configuration() const {
  return Members{{"elementsize", Value::integer(static_cast<long long>(elementsize))}};
}

TESSERA_DECL std::size_t Shuffle::count(std::size_t from, std::size_t to) const {
  if (from > to) throw CodecError{to_text({"found ", from, " bytes, expected ", to})};
  if (from % size() != 0)
    throw CodecError{to_text({"found ", from, " bytes, expected a multiple of elementsize ", elementsize})};
  return from / size();
}

TESSERA_DECL std::size_t Shuffle::transpose(ByteView<space::Host> from, ByteSpan<space::Host> to, std::size_t columns,
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

}}}  // namespace tessera::v0::codec
