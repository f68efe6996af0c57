// Descriptor: what another process needs to attach an array; a small value, and its JSON, as docs/ipc.md has it.
// Identity: the producer of an array, as descriptors state it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/value.hpp>
#include <tessera/ipc/detail/error.hpp>  // IWYU pragma: export
#include <tessera/view/box.hpp>

namespace tessera { inline namespace v0 { namespace ipc {

/// A producer. `session` is 128 random bits in hexadecimal digits: unique, and the socket is named after it. `host` is
/// the running kernel's boot id, `start` the process's start in ticks since boot: process numbers are reused.
struct Identity {
  std::string host;
  std::int64_t process = 0;
  std::uint64_t start = 0;
  std::string session;

  friend bool operator==(Identity const&, Identity const&) = default;
};

/// An allocation as its producer describes it. `size` is not trusted.
struct Memory {
  std::string kind;                 ///< "shared-memory", "cuda-ipc" or "cuda-pool"
  std::string device{};             ///< UUID; empty for the host
  std::uint64_t number = 0;         ///< among the producer's allocations, never reused
  std::uint64_t size = 0;           ///< bytes
  std::vector<std::byte> handle{};  ///< what the system needs to open it, besides the lease
  std::vector<std::byte> event{};   ///< handle of an interprocess event, after which the bytes are ready
  std::uint64_t pool = 0;           ///< for memory from a pool: the pool's number among the allocations

  friend bool operator==(Memory const&, Memory const&) = default;
};

/// An array that fills an allocation or is a slice of it. Any number of slices share one allocation and one lease.
struct Descriptor {
  Identity producer{};       ///< the process that published it
  Memory memory{};           ///< the allocation
  DataType type{};           ///< of its elements
  Extents shape{};           ///< in elements
  Strides strides{};         ///< in elements; may be negative or zero
  std::uint64_t offset = 0;  ///< bytes from the allocation's beginning to the first element

  /// A part of the array: `slice({{0, 64}, all, 3})`. Throws: SelectionError, if an index lies outside.
  Descriptor slice(Box const& box) const {
    auto part = *this;
    auto const region = box.resolve(shape);
    bool is_empty = false;
    std::uint64_t moved = 0;  // unsigned, so that wrapping is defined
    for (std::size_t d = 0; d < shape.rank(); ++d) {
      auto const stride = static_cast<std::uint64_t>(strides[d]);
      is_empty = is_empty || region.count[d] == 0;
      moved += region.first[d] * stride;
      part.shape[d] = region.count[d];
      part.strides[d] = static_cast<std::int64_t>(region.step[d] * stride);
    }
    if (!is_empty) part.offset += moved * type.size;
    return part;
  }

  friend bool operator==(Descriptor const&, Descriptor const&) = default;
};

/// How handles are written: as base64, or as a list of numbers for readers without base64. Reading accepts both.
enum class Octets { base64, list };

/// The descriptor as a document (docs/ipc.md); `how`: the form of handles. Throws: MetadataError, if Zarr has no such
/// data type.
Value to_value(Descriptor const& array, Octets how = Octets::base64);
/// Throws: MetadataError, which names the member; IpcError, if the array does not lie in its allocation.
Descriptor read_descriptor(Value const& value);
/// From JSON text. Throws: MetadataError, also if the text is not JSON; IpcError, as read_descriptor.
Descriptor parse_descriptor(std::string_view text);
/// As to_value, as JSON text.
std::string to_json(Descriptor const& array, Octets how = Octets::base64);

namespace detail {

/// Throws: IpcError, unless each element lies in an allocation of `actual` bytes. For attached memory, `actual` is the
/// size that the system reports, because descriptors are not trusted.
inline void expect_within(Descriptor const& array, std::uint64_t actual) {
  bool fits = array.strides.rank() == array.shape.rank(), is_empty = false;
  for (auto length : array.shape) is_empty = is_empty || length == 0;
  std::uint64_t below = 0, above = 0;  // bytes from the first element to the outermost ones
  for (std::size_t d = 0; fits && !is_empty && d < array.shape.rank(); ++d) {
    auto const stride = static_cast<std::uint64_t>(array.strides[d]), steps = array.shape[d] - 1;
    auto const size = array.strides[d] < 0 ? 0 - stride : stride;
    auto& side = array.strides[d] < 0 ? below : above;
    auto const room = (actual - side) / array.type.size;  // in elements
    fits = steps == 0 || size <= room / steps;
    if (fits) side += steps * size * array.type.size;
  }
  auto const item = is_empty ? 0 : array.type.size;
  fits = fits && below <= array.offset && array.offset <= actual && above <= actual - array.offset &&
         item <= actual - array.offset - above;
  if (!fits)
    throw IpcError{to_text({"the descriptor's array of shape ", to_string(array.shape), " at byte ", array.offset,
                            " does not lie in its allocation, which has ", actual, " bytes"})};
}

}  // namespace detail
}}}  // namespace tessera::v0::ipc

#include <tessera/ipc/detail/descriptor.ipp>
