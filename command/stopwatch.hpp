// The work of a command and its time.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

#include "quantities.hpp"

namespace cli {

/// Starts when it is made.
class Stopwatch {
 public:
  /// "8.3 MiB in 0.12 s": of elements, as they are in memory.
  std::string took(std::uint64_t bytes) const { return human(bytes) + " in " + three_digits(seconds()) + " s"; }

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace cli
