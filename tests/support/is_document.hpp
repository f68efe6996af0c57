// Which keys are those of documents, for stores that note requests for chunks.
#pragma once
#include <algorithm>
#include <string_view>

#include <tessera/key/key.hpp>

namespace test {

/// Of both formats.
inline bool is_document(tessera::Key const& key) {
  constexpr std::string_view names[] = {"zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"};
  return std::ranges::any_of(names, [&](std::string_view name) { return key.path.ends_with(name); });
}

}  // namespace test
