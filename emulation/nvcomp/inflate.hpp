// zlib, allocating on the kernel's stack.
#pragma once
#include <zlib.h>

#include <array>
#include <cstddef>

#include "decoder.hpp"

namespace emulation::nvcomp {

/// Exactly one stream. `window` is zlib's: the wrapper of the deflate stream, and the window's length. Trailing or
/// damaged bytes are undefined behaviour, in the words of the format.
inline Decoded inflated(char const* name, std::size_t chunk, int window, std::byte const* from, std::size_t size,
                        std::byte* to, std::size_t room, char const* followed, char const* damaged) {
  // Kernels have no heap.
  struct Stack {
    alignas(16) std::array<std::byte, 64 << 10> memory;
    std::size_t used = 0;

    static void* allocate(void* self, unsigned count, unsigned bytes) {
      auto& stack = *static_cast<Stack*>(self);
      auto const wanted = (std::size_t{count} * bytes + 15) / 16 * 16;
      if (wanted > stack.memory.size() - stack.used) return nullptr;
      auto* const result = stack.memory.data() + stack.used;
      stack.used += wanted;
      return result;
    }
    static void free(void*, void*) {}
  };
  Stack stack;
  z_stream stream{};
  stream.zalloc = Stack::allocate;
  stream.zfree = Stack::free;
  stream.opaque = &stack;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(from));
  stream.avail_in = static_cast<unsigned>(size);
  stream.next_out = reinterpret_cast<Bytef*>(to);
  stream.avail_out = static_cast<unsigned>(room);
  if (inflateInit2(&stream, window) != Z_OK) undefined(name, chunk, "has no memory in the emulation");
  auto const result = inflate(&stream, Z_FINISH);
  if (result == Z_STREAM_END && stream.avail_in == 0) return {nvcompSuccess, room - stream.avail_out};
  if (result == Z_STREAM_END) undefined(name, chunk, followed);
  if (result == Z_BUF_ERROR && stream.avail_out == 0) return {nvcompErrorCannotDecompress, 0};
  undefined(name, chunk, damaged);
}

}  // namespace emulation::nvcomp
