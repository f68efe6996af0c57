// A batch of requests for two stores, in two parts.
#pragma once
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace tessera { inline namespace v0 { namespace detail {

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
