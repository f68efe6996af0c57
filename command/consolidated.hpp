// Reports the groups whose consolidated metadata a command removes because it would become wrong.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/metadata/detail/consolidated.hpp>

#include "failure.hpp"
#include "node.hpp"

namespace cli {

inline void report_consolidated(std::string const& group, std::string_view what) {
  report(group + ": its consolidated metadata " + std::string{what} + "; tessera consolidate makes it anew");
}

/// Runs f, which changes the nodes at `paths`. Names the groups above that lose their consolidated metadata, wherever f
/// ends.
template <class F>
void saying_what_goes(Store const& store, std::initializer_list<std::string_view> paths, F&& f) {
  auto const consolidated = [&] {
    std::vector<std::string> groups;
    for (auto path : paths)
      for (auto& group : tessera::consolidated_above(store, std::string{path}))
        if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(std::move(group));
    return groups;
  };
  auto const before = consolidated();
  auto const say = [&] {
    if (before.empty()) return;
    auto const after = consolidated();
    for (auto const& group : before)
      if (std::find(after.begin(), after.end(), group) == after.end())
        report_consolidated(group.empty() ? store.name() : store.name() + '/' + group,
                            "was removed, for it is not true any more");
  };
  try {
    f();
  } catch (...) {
    say();
    throw;
  }
  say();
}

}  // namespace cli
