#pragma once
#include <tessera/node/consolidate.hpp>

#include <algorithm>
#include <utility>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void take_out_copies(Value& document) {
  if (auto* const members = document.get_if<Members>())
    std::erase_if(*members, [](Member const& member) { return member.name == "consolidated_metadata"; });
}

TESSERA_DECL void sort_by_depth(DocumentsBelow& documents) {
  auto const order = [](DocumentBelow const& one) {
    auto name = one.key.path;
    for (auto& c : name) c = 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return std::pair{std::count(name.begin(), name.end(), '/'), std::move(name)};
  };
  std::stable_sort(documents.begin(), documents.end(),
                   [&](DocumentBelow const& a, DocumentBelow const& b) { return order(a) < order(b); });
}

}}}  // namespace tessera::v0::detail
