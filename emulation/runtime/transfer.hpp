// Moving bytes: the kind of memory of a range, whether it may be accessed in stream order, and the copy.
#pragma once
#include <cstddef>

#include "world.hpp"

namespace emulation {

enum class Place : std::uint8_t { pageable, page_locked, managed, device };

/// The kind of memory of an address.
Place place_of(void const* address);

/// CUDA's name for a copy between the two; managed memory counts as device memory.
cudaMemcpyKind kind_of(Place to, Place from);
/// Whether a copy of this kind may run between the two.
bool allowed(cudaMemcpyKind kind, Place to, Place from);

/// A rectangle of bytes: `height` rows of `width`, `pitch` apart.
struct Bytes {
  std::byte* begin = nullptr;
  std::size_t pitch = 0;
};

struct Transfer {
  Bytes to, from;
  std::size_t width = 0, height = 1;
  char const* call = "";
  void* caller = nullptr;

  /// All bytes from the first to the last.
  std::size_t span(Bytes const& side) const { return height == 0 ? 0 : (height - 1) * side.pitch + width; }
};

/// Stops the program unless the range lies in one live allocation, in the stream's order.
void check_access(char const* call, void* caller, void const* begin, std::size_t size);
/// The same at the time of the call: an allocation that is reserved may be named already.
void check_named(char const* call, void* caller, void const* begin, std::size_t size);

/// The runtime's own address of the bytes at `address`.
std::byte* inside(void const* address);

void copy_rows(Transfer const& transfer);
void tell_sanitizer_read(Transfer const& transfer);
void tell_sanitizer_written(Transfer const& transfer);

}  // namespace emulation
