// A custom type of memory, declared by contiguous_memory, as memory of arrays on the device.
#include <algorithm>
#include <numeric>
#include <vector>

#include <device/device.hpp>

using namespace tessera;
using test::DeviceQueue, test::under_seeds;

namespace {

/// Some elements, as a program's own code might hold them.
template <class T>
struct Elements {
  T* first;
  std::size_t count;
};

using P = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>;

auto made_in(MemoryStore<HostBuffer> const& store, DeviceQueue& on) {
  return create_array<std::int32_t, 2>(store, "a", {.shape = {5, 7}, .chunks = {2, 3}}, P{}, on);
}

}  // namespace

template <class T>
struct tessera::contiguous_memory<Elements<T>> {
  using space = tessera::space::Device;
  static T* data(Elements<T>& memory) { return memory.first; }
  static std::size_t size(Elements<T>& memory) { return memory.count; }
};
template <class T>
struct tessera::contiguous_memory<Elements<T> const> {
  using space = tessera::space::Device;
  static T const* data(Elements<T> const& memory) { return memory.first; }
  static std::size_t size(Elements<T> const& memory) { return memory.count; }
};

TEST_CASE("elements of a type of one's own are written and read") {
  under_seeds(16, [] {
    MemoryStore<HostBuffer> const store;
    DeviceQueue on{test::HostQueue{}};
    auto const array = made_in(store, on);
    OwnedArray<std::int32_t, 2, PinnedBuffer> given{{5, 7}, on};
    std::iota(given.elements().begin(), given.elements().end(), 1);
    DeviceBuffer memory{35 * sizeof(std::int32_t), on};
    Elements<std::int32_t> const elements{reinterpret_cast<std::int32_t*>(memory.span().data), 35};
    array.on(on).write(all, given.view()).wait();
    array.on(on).read(all, Elements{elements}).wait();
    array.fill(all, 0).wait();
    array.on(on).write(all, elements).wait();
    auto const read = array.on(on).read<PinnedBuffer>(all);
    CHECK(std::ranges::equal(read.elements(), given.elements()));
  });
}

TEST_CASE("elements of a type of one's own that are too many are refused") {
  MemoryStore<HostBuffer> const store;
  DeviceQueue on{test::HostQueue{}};
  auto const array = made_in(store, on);
  Elements<std::int32_t> elements{nullptr, 36};
  CHECK_THROWS_WITH_AS(array.on(on).read(all, elements).wait(),
                       doctest::Contains("the memory holds 36 elements, expected 35"), SelectionError);
}
