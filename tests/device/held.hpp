// Peak of the memory that a queue uses itself.
#pragma once
#include <atomic>
#include <cstddef>

#include <device/device.hpp>

namespace test {

// Of device and page-locked memory together, in bytes.
class Held {
 public:
  void add(std::size_t n) {
    auto const now = held_ += n;
    for (auto most = peak_.load(); now > most && !peak_.compare_exchange_weak(most, now);) {
    }
  }
  void remove(std::size_t n) { held_ -= n; }
  std::size_t peak() const { return peak_; }

 private:
  std::atomic<std::size_t> held_{0}, peak_{0};
};

// The memory that queues use themselves, counted.
struct DeviceMemory {
  Held& held;
  void* allocate_async(std::size_t n, std::size_t, cudaStream_t stream) {
    auto* const memory = tessera::MemoryResource::device().allocate(n, stream);
    held.add(n);
    return memory;
  }
  void deallocate_async(void* memory, std::size_t n, std::size_t, cudaStream_t stream) {
    held.remove(n);
    tessera::MemoryResource::device().deallocate(static_cast<std::byte*>(memory), n, stream);
  }
};
struct PinnedMemory {
  Held& held;
  void* allocate_sync(std::size_t n, std::size_t) {
    auto* const memory = tessera::MemoryResource::pinned().allocate(n, nullptr);
    held.add(n);
    return memory;
  }
  void deallocate_sync(void* memory, std::size_t n, std::size_t) {
    held.remove(n);
    tessera::MemoryResource::pinned().deallocate(static_cast<std::byte*>(memory), n, nullptr);
  }
};

// The peak of memory that f(queue) holds, including the queue's scratch.
template <class F>
std::size_t peak_of(std::size_t threads, F&& f) {
  Held held;
  DeviceMemory device{held};
  PinnedMemory pinned{held};
  {
    DeviceQueue on{HostQueue{threads}, {.device = device, .pinned = pinned}};
    f(on);
    on.wait();
  }
  return held.peak();
}

}  // namespace test
