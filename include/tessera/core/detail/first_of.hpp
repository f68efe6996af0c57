// first_of: search in a list.
#pragma once

namespace tessera { inline namespace v0 { namespace detail {

/// A pointer to the first item for which `holds(item)` is true, or null. std::ranges::find_if costs four times as much
/// to compile, and returns an iterator.
template <class Range, class Condition>
auto* first_of(Range&& items, Condition&& holds) {
  for (auto& item : items)
    if (holds(item)) return &item;
  return static_cast<decltype(&*items.begin())>(nullptr);
}

}}}  // namespace tessera::v0::detail
