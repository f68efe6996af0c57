#pragma once
#include <tessera/node/detail/consolidate.hpp>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/metadata/documents.hpp>

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

// The members of an object have no order.
TESSERA_DECL bool says_the_same(Value const& a, Value const& b) {
  auto const *one = a.get_if<Members>(), *other = b.get_if<Members>();
  if (one && other) {
    auto const by_name = [](Members const& members) {  // sorted, because there may be many
      std::vector<Member const*> sorted;
      for (auto const& member : members) sorted.push_back(&member);
      std::sort(sorted.begin(), sorted.end(), [](auto* x, auto* y) { return x->name < y->name; });
      return sorted;
    };
    auto const mine = by_name(*one), its = by_name(*other);
    return std::equal(mine.begin(), mine.end(), its.begin(), its.end(),
                      [](auto* x, auto* y) { return x->name == y->name && says_the_same(x->value, y->value); });
  }
  auto const *items = a.get_if<List>(), *others = b.get_if<List>();
  if (!items || !others) return a == b;
  return std::equal(items->begin(), items->end(), others->begin(), others->end(), says_the_same);
}

// A document as tessera would write it: other programs write numbers and defaults differently.
TESSERA_DECL Value in_one_form(std::string_view key, Value const& document) try {
  auto const name = key.substr(key.rfind('/') + 1);
  auto const lowered = name == ".zarray" ? lower_v2_array(document, {}) : document;
  if (name != "zarr.json" && name != ".zarray") return document;
  ObjectReader reader{lowered, ""};
  (void)reader.at("zarr_format");
  return reader.at("node_type").value() == Value{"array"} ? to_value(read_array_metadata(reader))
                                                          : to_value(read_group_metadata(reader));
} catch (MetadataError const&) {
  return document;  // tessera cannot read it: compare it unchanged
}

TESSERA_DECL bool is_true_copy(std::string_view key, Value copy, Value const& document) {
  take_out_copies(copy);
  return says_the_same(copy, document) || says_the_same(in_one_form(key, copy), in_one_form(key, document));
}

TESSERA_DECL bool says_nothing(std::string_view key, Value const& document) {
  auto const* members = document.get_if<Members>();
  return key.substr(key.rfind('/') + 1) == ".zattrs" && members && members->empty();
}

}}}  // namespace tessera::v0::detail
