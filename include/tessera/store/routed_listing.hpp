// The listings of two stores as one.
#pragma once
#include <functional>
#include <set>
#include <string>

#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A prefix is shown once. So is a key: where either store may have it, as the first one has it.
class RoutedListing {
 public:
  explicit RoutedListing(Visitor visit) : visit_{visit} {}

  /// `is_first(entry)`: whether the first store has the key, unless it may be in `either`.
  template <class IsFirst>
  void show_first(Listed const& entry, IsFirst&& is_first, bool either) {
    if (!entry.is_prefix && !is_first(entry)) return;
    if (entry.is_prefix || either) shown_.emplace(entry.path);
    visit_(entry);
  }
  template <class IsFirst>
  void show_second(Listed const& entry, IsFirst&& is_first, bool either) {
    bool const is_hidden = entry.is_prefix || either ? shown_.contains(entry.path) : is_first(entry);
    if (!is_hidden) visit_(entry);
  }

 private:
  Visitor visit_;
  std::set<std::string, std::less<>> shown_;
};

}}}  // namespace tessera::v0::detail
