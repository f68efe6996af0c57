// Looking for an item of a list.
#pragma once

namespace tessera { inline namespace v0 { namespace detail {

/// The first item of which that holds; null: there is none. std::ranges::find_if is four times as much to compile.
template <class Range, class Condition>
auto* first_of(Range&& items, Condition&& holds) {
  for (auto& item : items)
    if (holds(item)) return &item;
  return static_cast<decltype(&*items.begin())>(nullptr);
}

}}}  // namespace tessera::v0::detail
