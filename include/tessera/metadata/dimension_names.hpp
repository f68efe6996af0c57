// DimensionNames: the names of an array's dimensions (core specification, "Dimension names").
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/value.hpp>

namespace tessera { inline namespace v0 {

/// One entry per dimension, or empty: no names. nullopt: a dimension without a name.
class DimensionNames : public std::vector<std::optional<std::string>> {
 public:
  using vector::vector;
  DimensionNames() = default;
  DimensionNames(vector names) : vector(std::move(names)) {}

  /// `["y", "x", null]`, as in the document.
  friend std::string to_string(DimensionNames const& names) {
    std::string shown = "[";
    for (auto const& name : names) shown += (shown.size() > 1 ? ", " : "") + (name ? describe(*name) : "null");
    return shown + "]";
  }
  template <class Stream>
  friend auto operator<<(Stream& to, DimensionNames const& names) -> decltype(to << std::string{}) {
    return to << to_string(names);
  }
};

}}  // namespace tessera::v0
