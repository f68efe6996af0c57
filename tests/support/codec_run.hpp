// One codec of bytes, run on one chunk.
#pragma once
#include <cstddef>
#include <initializer_list>

#include <support/bytes.hpp>
#include <tessera/codec/concept.hpp>

namespace test {

template <class C>
Bytes encoded(C const& codec, Bytes const& from) {
  tessera::Queue<tessera::space::Host> on;
  Bytes to(codec.encoded_bound(from.size()));
  to.resize(codec.encode(view(from), span(to), on));
  return to;
}

/// Decodes into room of that many bytes.
template <class C>
Bytes decoded(C const& codec, Bytes const& from, std::size_t room) {
  tessera::Queue<tessera::space::Host> on;
  Bytes to(room);
  to.resize(codec.decode(view(from), span(to), on));
  return to;
}

/// Decodes a part, into room of its size.
template <class C, class... Chunk>
Bytes decoded_part(C const& codec, Bytes const& from, tessera::ChunkPart part, Chunk const&... chunk) {
  tessera::Queue<tessera::space::Host> on;
  Bytes to(part.size);
  (void)codec.decode_part(chunk..., view(from), span(to), part, on);
  return to;
}

/// One after the other.
inline Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (auto const& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace test
