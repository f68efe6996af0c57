// How much was read from a source, for the line of progress.
#pragma once
#include <atomic>
#include <cstdint>

namespace cli {

struct ReadCount {
  std::atomic<std::uint64_t> requests{0};  ///< ranges and whole values that a store was asked for
  std::atomic<std::uint64_t> bytes{0};     ///< which it returned
};

}  // namespace cli
