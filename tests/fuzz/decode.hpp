// Common code of the fuzzers of decoders: any bytes, room of any size.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <tessera/codec/concept.hpp>

namespace fuzz {

/// The beginning of a chunk is that of the whole; of bytes that are no whole chunk, it may be anything or an error.
template <tessera::Codec C>
void decode_beginning(C const& codec, std::vector<std::byte> const& from, std::vector<std::byte> const& whole,
                      std::size_t decoded, std::size_t size, tessera::Queue<tessera::space::Host>& on) {
  std::vector<std::byte> to(size);
  bool const is_sound = decoded == whole.size();
  try {
    (void)codec.decode_part({from.data(), from.size()}, {to.data(), size}, {0, size, whole.size()}, on);
    if (is_sound && !std::equal(to.begin(), to.end(), whole.begin())) std::abort();
  } catch (tessera::CodecError const&) {
    if (is_sound) std::abort();
  }
}

/// Decodes bytes into room of the size in their first two; if the codec decodes in order, also a beginning. The room is
/// a block of its own, so that a sanitizer detects writes beyond it.
template <tessera::Codec C>
int decode(C const& codec, std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  std::size_t const room = data[0] + std::size_t{256} * data[1];
  std::vector<std::byte> to(room), from(size - 2);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = std::byte{data[i + 2]};
  static tessera::Queue<tessera::space::Host> on;
  auto decoded = ~std::size_t{0};
  try {
    decoded = codec.decode({from.data(), from.size()}, {to.data(), to.size()}, on);
    if (decoded > room) std::abort();
  } catch (tessera::CodecError const&) {
  }
  if constexpr (requires { C::decodes_in_order; })
    if (room > 0) decode_beginning(codec, from, to, decoded, 1 + data[0] * std::size_t{7} % room, on);
  return 0;
}

}  // namespace fuzz
