// Common code of tests of the device's codecs: the cost of a mini-batch in calls, and an array of many chunks.
#pragma once
#include <cstddef>
#include <vector>

#include <device/arrays.hpp>

namespace test {

#if defined(TESSERA_CUDA_EMULATION)
/// Calls for one mini-batch, for any number of chunks.
struct BatchCalls {
  std::size_t launches, there, back;  ///< copies to the device, and back
  std::size_t waits;                  ///< for an event, at most: none, if it was done when queried
  std::size_t most;                   ///< calls in all
  std::size_t allocations = 0;        ///< at most: if one is in use, another is made
};

/// No more than that is allocated, with no wait for a stream and no busy wait.
inline void check_calls(emulation::Watch const& watch, BatchCalls const& expected) {
  CHECK(watch.launches() == expected.launches);
  CHECK(watch.copies(cudaMemcpyHostToDevice) == expected.there);
  CHECK(watch.copies(cudaMemcpyDeviceToHost) == expected.back);
  CHECK(copies(watch) == expected.there + expected.back);
  CHECK(watch.count("cudaEventSynchronize") <= expected.waits);
  CHECK(watch.synchronisations() == 0);
  CHECK(watch.spins() == 0);
  CHECK(allocations(watch) <= expected.allocations);
  CHECK(watch.count() <= expected.most);
}
#endif

/// 20 by 2 chunks, the last ones not whole.
namespace in_chunks {

inline tessera::Extents const shape{79, 90}, chunk_shape{4, 45};
inline std::vector<float> const elements = numbers_from(1.f, 79 * 90);

template <class T = float, class P, class S>
auto made(S const& store, P const& pipeline, typename P::queue_type const& on,
          tessera::Extents const& chunks = chunk_shape) {
  return tessera::create_array<T, 2>(store, "a", {.shape = shape, .chunks = chunks, .overwrite = true}, pipeline,
                                     on);
}

/// Opened by a pipeline on the device; with the options of mini-batches of seven chunks, too.
template <class P, class S>
void check_read(S const& store, DeviceQueue& on) {
  auto const array = tessera::open_array<float, 2, P>(store, "a", on);
  CHECK(on_host(array.on(on).read(tessera::all), on) == elements);
  auto memory = on_device<float, 2>(std::vector<float>(elements.size()), shape, on);
  array.read(tessera::all, memory, tessera::ReadOptions{.mini_batch = 7}).wait();
  CHECK(on_host(memory, on) == elements);
  tessera::Box const part{{3, 77, 5}, {10, 80}};
  CHECK(on_host(array.on(on).read(part), on) == [&] {
    std::vector<float> expected;
    for (std::size_t i = 3; i < 77; i += 5)
      for (std::size_t j = 10; j < 80; ++j) expected.push_back(elements[i * 90 + j]);
    return expected;
  }());
}

}  // namespace in_chunks
}  // namespace test
