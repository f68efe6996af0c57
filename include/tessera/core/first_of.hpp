// Looking for an item of a list.
#pragma once

namespace tessera { inline namespace v0 { namespace detail {

/// A pointer to the first item for which `holds(item)` is true; null if there is none. Each std::ranges::find_if costs
/// four times as much to compile, and its iterator would become this pointer.
template <class Range, class Condition>
auto* first_of(Range&& items, Condition&& holds) {
  for (auto& item : items)
    if (holds(item)) return &item;
  return static_cast<decltype(&*items.begin())>(nullptr);
}

}}}  // namespace tessera::v0::detail
