// BusTraffic: the cost of a chunk's way, in bytes that cross the bus.
#pragma once
#include <cstdint>

#include <tessera/codec/concept.hpp>
#include <tessera/pipeline/detail/composition.hpp>

namespace tessera { inline namespace v0 {

/// The cost of a route for a chunk of 1 MiB: the bytes that cross between memory that the host can touch and memory
/// that it cannot. Each compressor counts as halving the chunk; checksums add nothing.
///
/// For other machines or data, pass a type with the same functions, e.g. derived from this one. Each function gets the
/// size of a chunk in bytes:
///
///   struct OfSlowZstd : BusTraffic {
///     template <class C, class Space>
///     static constexpr std::uint64_t running(std::uint64_t bytes) {
///       return std::same_as<C, codec::Zstd> ? 4 * bytes : 0;
///     }
///   };
struct BusTraffic {
  /// The size after codec C, the first one in the list with its name.
  template <class C>
  static constexpr std::uint64_t encoded(std::uint64_t bytes) {
    return C::kind::writes_array || detail::has_fixed_size<C> ? bytes : bytes / 2;
  }
  /// The cost of changing space.
  template <class From, class To>
  static constexpr std::uint64_t crossing(std::uint64_t bytes) {
    return From::host_accessible == To::host_accessible ? 0 : bytes;
  }
  /// The cost of running C in Space. Not called for codecs that are read through, such as codec::Bytes.
  template <class C, class Space>
  static constexpr std::uint64_t running(std::uint64_t) {
    return 0;
  }
};

}}  // namespace tessera::v0
