// Threads that share work, each with memory that it keeps between calls.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "../source.hpp"

namespace cli {

template <class Own>
class Workers {
 public:
  explicit Workers(Queue on) : on_{std::move(on)}, own_(on_.threads()) {}

  Queue& queue() { return on_; }

  /// Calls f(own, first, last) until n things are done, `batch` of them at a time.
  template <class F>
  void share(std::size_t n, std::size_t batch, F&& f) {
    std::atomic<std::size_t> next{0};
    on_.for_each(own_.size(), [&](std::size_t i) {
      for (std::size_t first; (first = next.fetch_add(batch)) < n;) f(own_[i], first, std::min(first + batch, n));
    });
  }

 private:
  Queue on_;
  std::vector<Own> own_;
};

}  // namespace cli
