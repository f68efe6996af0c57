#pragma once
#include <tessera/key/chunk_key.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL std::optional<Extents> ChunkKeyEncoding::place_of(std::string_view key, std::size_t rank) const {
  Extents place;
  auto const* const end = key.data() + key.size();
  for (auto const* at = key.data(); at != end && place.rank() < rank;) {
    std::uint64_t number = 0;
    auto const [stop, error] = std::from_chars(at, end, number);
    if (error == std::errc::result_out_of_range) return std::nullopt;
    if (error == std::errc{}) place.push_back(number);
    at = error == std::errc{} ? stop : at + 1;  // skips a separator
  }
  std::string same;  // a chunk has exactly one key: other spellings are refused
  append(same, place);
  if (place.rank() != rank || key != same) return std::nullopt;
  return place;
}

}}  // namespace tessera::v0
