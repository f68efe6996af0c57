// The listings of two stores as one.
#pragma once
#include <functional>
#include <set>
#include <string>

#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A prefix is shown once, and a key by the store that has it.
class RoutedListing {
 public:
  explicit RoutedListing(Visitor visit) : visit_{visit} {}

  /// `is_first(entry)`: whether the first store has the key.
  template <class IsFirst>
  void show_first(Listed const& entry, IsFirst&& is_first) {
    if (!entry.is_prefix && !is_first(entry)) return;
    if (entry.is_prefix) prefixes_.emplace(entry.path);
    visit_(entry);
  }
  template <class IsFirst>
  void show_second(Listed const& entry, IsFirst&& is_first) {
    bool const is_hidden = entry.is_prefix ? prefixes_.contains(entry.path) : is_first(entry);
    if (!is_hidden) visit_(entry);
  }

 private:
  Visitor visit_;
  std::set<std::string, std::less<>> prefixes_;  // that were shown
};

}}}  // namespace tessera::v0::detail
