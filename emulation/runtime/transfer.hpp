// Bytes moved by the machine: what kind of memory a range is, whether it may be touched in its turn, and the moving.
#pragma once
#include <cstddef>

#include "world.hpp"

namespace emulation {

enum class Place : std::uint8_t { pageable, page_locked, managed, device };

/// What kind of memory an address is.
Place place_of(void const* address);

/// What CUDA calls a copy between the two; managed memory counts as the device's.
cudaMemcpyKind kind_of(Place to, Place from);
/// Whether a copy of this kind may go from one to the other.
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

/// Stops the program unless the range lies in one allocation that lives now, in the stream's order.
void check_access(char const* call, void* caller, void const* begin, std::size_t size);
/// The same at the time of the call: an allocation that is to live may be named already.
void check_named(char const* call, void* caller, void const* begin, std::size_t size);

/// Where the runtime itself finds the bytes at `address`.
std::byte* inside(void const* address);

void copy_rows(Transfer const& transfer);
void tell_sanitizer_read(Transfer const& transfer);
void tell_sanitizer_written(Transfer const& transfer);

}  // namespace emulation
