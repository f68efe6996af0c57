// Counts allocations, and lets one fail: of the whole process, including libraries and all threads.
#pragma once
#include <atomic>
#include <cstddef>
#include <utility>

namespace test {

struct AllocationCounts {
  std::atomic<std::size_t> blocks{0};  // requested in any way
  std::atomic<std::size_t> news{0};    // of those, by operator new: the C++ code's own
  std::atomic<std::size_t> large{0};   // of those by operator new, of at least `large_size` bytes
  std::atomic<std::size_t> large_size{~std::size_t{0}};
  std::atomic<std::ptrdiff_t> live{0}, peak{0};  // bytes of operator new's: made minus freed, and the peak
  std::atomic<bool> on{false};
  std::atomic<std::ptrdiff_t> left{-1};  // calls of the throwing operator new until one fails; below 0: none does
};
inline AllocationCounts allocation_counts;

/// Whether the calls of this thread are among those of which one fails.
inline thread_local bool allocations_may_fail = true;

/// None of this thread's allocations fails meanwhile.
class AllocationsSucceed {
 public:
  AllocationsSucceed() = default;
  AllocationsSucceed(AllocationsSucceed const&) = delete;
  AllocationsSucceed& operator=(AllocationsSucceed const&) = delete;
  ~AllocationsSucceed() { allocations_may_fail = before_; }

 private:
  bool before_ = std::exchange(allocations_may_fail, false);
};

/// Whether allocations outside operator new are seen too.
bool all_allocations_are_seen();

/// Counts from its beginning to its end. One at a time.
class Allocations {
 public:
  explicit Allocations(std::size_t large_size = ~std::size_t{0}) {
    auto& counts = allocation_counts;
    counts.blocks = counts.news = counts.large = 0;
    counts.live = counts.peak = 0;
    counts.large_size = large_size;
    counts.on = true;
  }
  Allocations(Allocations const&) = delete;
  Allocations& operator=(Allocations const&) = delete;
  ~Allocations() { stop(); }

  Allocations& stop() {
    allocation_counts.on = false;
    return *this;
  }
  std::size_t blocks() const { return allocation_counts.blocks; }
  std::size_t news() const { return allocation_counts.news; }
  std::size_t large() const { return allocation_counts.large; }
  std::ptrdiff_t live() const { return allocation_counts.live; }
  std::ptrdiff_t peak() const { return allocation_counts.peak; }
};

/// The k-th operator new from its beginning on (from 0) throws std::bad_alloc. One at a time.
class FailingAllocation {
 public:
  explicit FailingAllocation(std::size_t k) { allocation_counts.left = static_cast<std::ptrdiff_t>(k); }
  FailingAllocation(FailingAllocation const&) = delete;
  FailingAllocation& operator=(FailingAllocation const&) = delete;
  ~FailingAllocation() { allocation_counts.left = -1; }

  bool has_failed() const { return allocation_counts.left < 0; }
};

}  // namespace test
