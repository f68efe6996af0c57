// How the position of a chunk in the grid becomes a key (specification: chunk-key-encodings/default and /v2).
#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 {

struct ChunkKeyEncoding {
  bool v2 = false;  ///< as Zarr v2 did: without the leading "c"
  char separator = '/';

  /// Appends "c/1/23/45" for the chunk at (1, 23, 45).
  void append(std::string& path, Extents const& chunk) const {
    constexpr std::size_t digits = 20;  // of 64 bits
    char name[1 + max_rank * (1 + digits)];
    auto* end = name;
    if (!v2) *end++ = 'c';
    if (v2 && chunk.rank() == 0) *end++ = '0';
    for (std::size_t d = 0; d < chunk.rank(); ++d) {
      if (!v2 || d > 0) *end++ = separator;
      end = std::to_chars(end, end + digits, chunk[d]).ptr;
    }
    path.append(name, end);
  }

  /// The position in the grid of the chunk with that key, in so many dimensions. nullopt: the key is no chunk's.
  std::optional<Extents> place_of(std::string_view key, std::size_t rank) const {
    Extents place;
    auto const* const end = key.data() + key.size();
    for (auto const* at = key.data(); at != end && place.rank() < rank;) {
      std::uint64_t number = 0;
      auto const [stop, error] = std::from_chars(at, end, number);
      if (error == std::errc::result_out_of_range) return std::nullopt;
      if (error == std::errc{}) place.push_back(number);
      at = error == std::errc{} ? stop : at + 1;  // past what stands between numbers
    }
    std::string same;  // as a chunk's key is written, and in no other way
    append(same, place);
    if (place.rank() != rank || key != same) return std::nullopt;
    return place;
  }
};

}}  // namespace tessera::v0
