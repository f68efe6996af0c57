// Common code of the fuzzers of decoders: any bytes, room of any size.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <tessera/codec/concept.hpp>

namespace fuzz {

/// Decodes bytes into room of the size in their first two. The room is a block of its own, so that a sanitizer detects
/// writes beyond it.
template <tessera::Codec C>
int decode(C const& codec, std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  std::size_t const room = data[0] + std::size_t{256} * data[1];
  std::vector<std::byte> to(room), from(size - 2);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = std::byte{data[i + 2]};
  static tessera::Queue<tessera::space::Host> on;
  try {
    if (codec.decode({from.data(), from.size()}, {to.data(), to.size()}, on) > room) std::abort();
  } catch (tessera::CodecError const&) {
  }
  return 0;
}

}  // namespace fuzz
