#pragma once
#include <tessera/key/key.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <tessera/core/config.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

TESSERA_DECL bool is_key(std::string_view path) {
  std::size_t length = 0, dots = 0;  // of the current name
  auto const is_name = [&] { return dots < length || length > 2; };
  for (char const c : path) {
    if (c == '\0') return false;
    if (c == '/') {
      if (!is_name()) return false;
      length = dots = 0;
    } else {
      ++length, dots += c == '.';
    }
  }
  return is_name();
}

}  // namespace detail

TESSERA_DECL void check_key(Key const& key) {
  if (detail::is_key(key.path)) return;
  bool const is_cut = key.path.find('\0') != key.path.npos;
  StoreError error{is_cut ? "not a key: found a zero byte in it"
                          : "not a key: expected names joined by \"/\", none of them empty, \".\" or \"..\""};
  error.in_key(key.path);
  throw error;
}

TESSERA_DECL Key operator/(std::string_view path, std::string_view name) {
  Key key{std::string{path}};
  if (!path.empty()) key.path += '/';
  key.path += name;
  return key;
}

TESSERA_DECL ByteRange::Resolved ByteRange::resolve(std::uint64_t total) const {
  if (from_end) {
    auto const count = std::min(size, total);
    return {total - count, count};
  }
  if (offset > total)
    throw StoreError{"found a range that begins at byte " + std::to_string(offset) + ", beyond a value of " +
                     std::to_string(total) + " bytes"}
        .in_range_beyond(offset);
  return {offset, std::min(size, total - offset)};
}

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
