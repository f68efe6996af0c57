#pragma once
#include <tessera/core/detail/nearest.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The number of characters to insert, delete or replace to turn one name into the other.
[[gnu::cold]] TESSERA_DECL std::size_t edits_between(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t j = 0; j <= other.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < one.size(); ++i) {
    auto diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < other.size(); ++j) {
      auto const replaced = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, diagonal + 1, replaced});
    }
  }
  return row.back();
}

TESSERA_DECL std::vector<std::string_view> nearest_names(std::string_view name, std::vector<std::string_view> names,
                                                         std::size_t count) {
  constexpr std::size_t longest = 60;  // characters: names come from files
  auto const last_word = [](std::string_view of) { return of.substr(of.rfind('.') + 1).substr(0, longest); };
  auto const edits = [&](std::string_view other) { return edits_between(last_word(name), last_word(other)); };
  std::stable_sort(names.begin(), names.end(), [&](auto one, auto other) { return edits(one) < edits(other); });
  if (names.size() > count) names.resize(count);
  return names;
}

}}}  // namespace tessera::v0::detail
