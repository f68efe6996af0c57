// What a route costs.
#pragma once
#include <cstdint>

#include <tessera/codec/concept.hpp>
#include <tessera/pipeline/flow.hpp>

namespace tessera { inline namespace v0 {

/// What a route costs, of a chunk of a MiB: the bytes of it that pass the bus, between memory that the host can touch
/// and memory that it cannot. Chunks count as half as long behind each compressor, and checksums as nothing.
///
/// A program whose machine or data are otherwise gives a type with the same functions in its place, derived from this
/// one for instance; each of them says what is true of a chunk that has `bytes`:
///
///   struct OfSlowZstd : BusTraffic {
///     template <class C, class Space>
///     static constexpr std::uint64_t running(std::uint64_t bytes) {
///       return std::same_as<C, codec::Zstd> ? 4 * bytes : 0;
///     }
///   };
struct BusTraffic {
  /// How many bytes the codec C makes of it; asked of the first in the list that has the name.
  template <class C>
  static constexpr std::uint64_t encoded(std::uint64_t bytes) {
    return C::kind::writes_array || detail::has_fixed_size<C> ? bytes : bytes / 2;
  }
  /// What it costs that it changes space.
  template <class From, class To>
  static constexpr std::uint64_t crossing(std::uint64_t bytes) {
    return From::host_accessible == To::host_accessible ? 0 : bytes;
  }
  /// What it costs to run C on it there. Not asked of codecs that are read through, as codec::Bytes is.
  template <class C, class Space>
  static constexpr std::uint64_t running(std::uint64_t) {
    return 0;
  }
};

}}  // namespace tessera::v0
