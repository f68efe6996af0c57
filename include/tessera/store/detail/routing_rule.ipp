#pragma once
#include <tessera/store/detail/routing_rule.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include <tessera/key/key.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL bool KeysBelow::operator()(Key const& key) const {
  std::string_view const path{key.path};
  return folder.empty() || (path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/'));
}

TESSERA_DECL bool ChunksWhere::operator()(Key const& key) const {
  auto const place = place_of(key.path);
  return place && is_first(*place);
}

TESSERA_DECL std::optional<std::vector<std::uint64_t>> ChunksWhere::place_of(std::string_view path) const {
  if (!array.empty()) {
    if (!path.starts_with(array) || path.size() <= array.size() || path[array.size()] != '/') return std::nullopt;
    path.remove_prefix(array.size() + 1);
  }
  std::vector<std::uint64_t> place;
  if (path == "c") return place;  // of an array without dimensions
  if (path.starts_with("c/") || path.starts_with("c.")) path.remove_prefix(2);
  for (;;) {
    std::uint64_t number = 0;
    auto const [end, error] = std::from_chars(path.data(), path.data() + path.size(), number);
    if (error != std::errc{}) return std::nullopt;
    place.push_back(number);
    path.remove_prefix(static_cast<std::size_t>(end - path.data()));
    if (path.empty()) return place;
    if (path.front() != '/' && path.front() != '.') return std::nullopt;
    path.remove_prefix(1);
  }
}

}}  // namespace tessera::v0
