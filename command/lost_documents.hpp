// Chunks below a group that belong to no array, because its document is lost.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "region.hpp"
#include "tree.hpp"

namespace cli {

struct LostDocument {
  std::uint64_t chunks = 0;
  std::string example{};  ///< the key of one of them
};

namespace detail {

// The path of the array for a chunk key: "a/b" for "a/b/c/0/1" and for "a/b/c.0.1". nullopt: not a chunk key.
inline std::optional<std::string> array_of_chunk(std::string_view key) {
  auto const is_digits = [](std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  auto rest = key;
  for (bool first = true;; first = false) {
    auto const slash = rest.rfind('/');
    auto const name = slash == rest.npos ? rest : rest.substr(slash + 1);
    auto const above = rest.substr(0, slash == rest.npos ? 0 : slash);
    if (name == "c" && !first) return std::string{above};
    if (first && name.starts_with("c.")) {
      bool is_chunk = true;
      each_part(name.substr(2), '.', [&](std::string_view part) { is_chunk = is_chunk && is_digits(part); });
      return is_chunk ? std::optional{std::string{above}} : std::nullopt;
    }
    if (!is_digits(name) || slash == rest.npos) return std::nullopt;
    rest = above;
  }
}

}  // namespace detail

/// Of the arrays one or more levels below a group, by their paths.
inline std::map<std::string, LostDocument> lost_documents(Store const& store, Tree const& group) {
  std::map<std::string, LostDocument> lost;
  for (auto const& folder : detail::folders_below(store, group.path)) {
    auto const is_node = [&](Tree const& child) { return child.path == folder; };
    if (std::any_of(group.children.begin(), group.children.end(), is_node)) continue;
    std::vector<std::string> nodes;
    store.list(folder, [&](tessera::Listed const& entry) {
      if (tessera::detail::makes_node(entry.path)) nodes.emplace_back(entry.path.substr(0, entry.path.rfind('/')));
      auto const array = detail::array_of_chunk(entry.path);
      if (!array || *array == group.path) return;
      auto& one = lost[*array];
      if (one.chunks++ == 0 || entry.path < one.example) one.example = std::string{entry.path};
    });
    for (auto const& node : nodes) lost.erase(node);
  }
  return lost;
}

}  // namespace cli
