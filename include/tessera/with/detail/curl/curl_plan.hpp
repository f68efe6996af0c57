// http::ReadPlan: which ranges of many reads share a request.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/store/detail/coalesce.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/with/detail/curl/curl_read.hpp>

namespace tessera { inline namespace v0 {
namespace http {

/// Outlives the requests that it plans. Kept by a queue for its memory.
class ReadPlan {
  using Request = ReadRequest<space::Host>;

 public:
  /// Calls add(Asked) for each request to the server. Ranges of a key with known ends share one where they lie close
  /// together.
  template <class F>
  void plan(std::span<Request> requests, F&& add) {
    wanted_.clear();
    stops_.clear();
    for (auto const& request : requests) {
      auto const stop = request.destination.limits().stop;
      if (stop && std::ranges::find(stops_, stop) == stops_.end()) stops_.push_back(stop);
    }
    wanted_.reserve(requests.size());  // each Asked refers to its elements
    for (auto const of_key : runs_of_key(requests)) {
      auto const first = wanted_.size();
      for (std::size_t i = 0; i < of_key.size(); ++i) {
        auto const& range = of_key[i].range;
        if (!range.from_end && range.size < ~range.offset) wanted_.push_back({range.offset, range.size, i});
      }
      auto const limits = of_key.front().limits(usual_gap);
      for (auto const run : runs_within(std::span{wanted_}.subspan(first), limits)) {
        auto end = run.front().offset;
        for (auto const& range : run) end = std::max(end, range.offset + range.size);
        add(Asked{of_key, run, {run.front().offset, end - run.front().offset}});
      }
      for (std::size_t i = 0; i < of_key.size(); ++i) {
        auto const& range = of_key[i].range;
        if (!range.from_end && range.size < ~range.offset) continue;
        wanted_.push_back({range.offset, range.size, i});
        add(Asked{of_key, std::span{wanted_}.last(1), range});
      }
    }
  }

  /// Of the requests, without duplicates.
  std::span<Stop const> stops() const { return stops_; }

 private:
  std::vector<WantedRange> wanted_;
  std::vector<Stop> stops_;
};

}  // namespace http
}}  // namespace tessera::v0
