// A batch of requests for two stores, in two parts.
// The listings of two stores as one.
#pragma once
#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

/// Kept by a queue, so that a repeated batch allocates nothing. The order of the requests stays in both parts.
template <class Request>
class RoutedBatch {
  struct Part {
    std::vector<Request> requests;
    std::vector<std::size_t> places;
  };

 public:
  template <class Requests, class IsFirst>
  void split(Requests const& requests, IsFirst&& is_first) {
    for (auto* part : {&first_, &second_}) part->requests.clear(), part->places.clear();
    for (std::size_t i = 0; i < requests.size(); ++i) {
      auto& part = is_first(requests[i]) ? first_ : second_;
      part.requests.push_back(requests[i]);
      part.places.push_back(i);
    }
  }

  /// Calls f(the requests), if there are any.
  template <class F>
  void first(F&& f) {
    if (!first_.requests.empty()) f(std::span{first_.requests});
  }
  template <class F>
  void second(F&& f) {
    if (!second_.requests.empty()) f(std::span{second_.requests});
  }

  /// To the requests that were split.
  void answer(std::span<Request> requests) {
    for (auto* part : {&first_, &second_})
      for (std::size_t i = 0; i < part->places.size(); ++i) requests[part->places[i]] = std::move(part->requests[i]);
  }

 private:
  Part first_, second_;
};

}}}  // namespace tessera::v0::detail
