// Arrays in device memory grow, shrink and are appended to like those in host memory.
#include <cstdint>
#include <vector>

#include <device/arrays.hpp>
#include <support/random.hpp>
#include <support/reference.hpp>
#include <tessera/any_spaces.hpp>

namespace array_growing_tests {

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::numbers_from, test::on_device, test::on_host, test::TemporaryFolder,
    test::under_seeds;

namespace {

template <class P, class S>
auto made(S const& store, Extents const& shape, typename P::queue_type on) {
  return create_array<float, 2>(store, "a", {.shape = shape, .chunks = {3, 4}, .fill = -1.f}, P{}, on);
}

template <class A>
std::vector<float> elements_of(A const& array, DeviceQueue& on) {
  return on_host(array.on(on).read(all), on);
}

// The same is done to an array in host memory.
template <class P, class S>
void check_as_on_the_host(S const& store, std::uint64_t seed) {
  CAPTURE(seed);
  test::Random random{seed};
  DeviceQueue on{HostQueue{random(1, 2)}};
  MemoryStore<HostBuffer> const beside;
  auto shape = random.extents(2, 1, 8);
  auto const device = made<P>(store, shape, on);
  auto const host = made<Pipeline<space::Host, codec::Bytes>>(beside, shape, HostQueue{});
  for (int step = 0; step < 6; ++step) {
    CAPTURE(step);
    if (random.one_in(2)) {
      shape = random.extents(2, 1, 8);
      device.resize(shape);
      host.resize(shape);
    } else {
      auto const axis = static_cast<std::size_t>(random(0, 1));
      auto block = shape;
      block[axis] = random(1, 4);
      auto const elements = numbers_from(static_cast<float>(100 * step), test::size_of(block));
      auto const memory = on_device<float, 2>(elements, block, on);
      device.on(on).append(memory, axis).wait();
      host.append(elements, axis);
      shape[axis] += block[axis];
    }
    CHECK(device.shape() == shape);
    auto const expected = host.read(all);
    auto const found = elements_of(device, on);
    CHECK(std::equal(found.begin(), found.end(), expected.elements().begin(), expected.elements().end()));
    DeviceQueue other{test::HostQueue{}};
    auto const again = elements_of(open_array<float, 2, P>(store, "a", other), other);
    CHECK(again == found);
  }
}

}  // namespace

TEST_CASE("arrays in device memory grow, shrink and are appended to as those of the host are") {
  std::uint64_t seed = 0;
  under_seeds(8, [&] {
    ++seed;
    TemporaryFolder const folder;
    check_as_on_the_host<test::OnDevice>(test::in_device_memory(), seed);
    check_as_on_the_host<test::OnDevice>(test::files_of_the_device(folder / "device"), seed);
    check_as_on_the_host<test::Compressed>(MemoryStore<HostBuffer>{}, seed);
    check_as_on_the_host<test::FromHost>(LocalStore<HostBuffer>{folder / "host"}, seed);
  });
}

TEST_CASE("what is appended lies in pinned memory, and in memory of the host's for an array of the host's") {
  under_seeds(4, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const elements = numbers_from(1.f, 12);
    auto const device = made<test::OnDevice>(test::in_device_memory(), {0, 6}, on);
    device.append(on_device<float, 2, PinnedBuffer>(elements, {2, 6}, on)).wait();
    CHECK(elements_of(device, on) == elements);
    using OverDevice = Pipeline<space::Host, codec::Bytes, CastTo<space::Device>>;
    auto const host = made<OverDevice>(test::in_device_memory(), {0, 6}, on);
    host.append(elements);
    host.resize({3, 5});
    std::vector<float> found(15);
    host.read(all, found);
    CHECK((found == std::vector<float>{1, 2, 3, 4, 5, 7, 8, 9, 10, 11, -1, -1, -1, -1, -1}));
  });
}

TEST_CASE("nodes of device memory's stores are erased and moved") {
  under_seeds(4, [] {
    TemporaryFolder const folder;
    auto const check_nodes = [](auto const& store) {
      DeviceQueue on{test::HostQueue{}};
      auto const elements = numbers_from(1.f, 35);
      made<test::OnDevice>(store, {5, 7}, on).write(all, on_device<float, 2>(elements, {5, 7}, on)).wait();
      move_node(store, "a", "g/b", on);
      auto const moved = open_array<float, 2, test::OnDevice>(store, "g/b", on);
      CHECK(elements_of(moved, on) == elements);
      // Each half alone renames; both do, if they are one folder.
      CHECK(store.chunk_store().rename("g/b", "g/c"));
      if (!store.metadata_store().rename("g/b", "g/c")) CHECK(store.metadata_store().name() != "memory store");
      CHECK(elements_of(open_array<float, 2, test::OnDevice>(store, "g/c", on), on) == elements);
      CHECK_FALSE(erase_node(store, "a", on));
      CHECK(erase_node(store, "g", on));
      std::size_t left = 0;
      store.list("", [&](Listed const&) { ++left; });
      CHECK(left >= 1);  // the root's document, which both halves of one folder show
      CHECK(left <= 2);
    };
    check_nodes(test::in_device_memory());
    check_nodes(test::files_of_the_device(folder.path()));
  });
}

#if defined(TESSERA_CUDA_EMULATION)

TEST_CASE("each call of the runtime fails in turn while an array is resized: the old one is there, or the new one") {
  auto const elements = numbers_from(1.f, 35);
  for (Extents const& to : {Extents{8, 9}, Extents{2, 3}, Extents{2, 9}}) {
    auto const expected = [&](Extents const& shape) {
      std::vector<float> result;
      test::for_each_index(shape, [&](Extents const& at) {
        auto const kept = at[0] < std::min<std::uint64_t>(to[0], 5) && at[1] < std::min<std::uint64_t>(to[1], 7);
        result.push_back(shape == to && !kept ? -1.f : elements[at[0] * 7 + at[1]]);
      });
      return result;
    };
    CAPTURE(to[0]);
    bool done = false;
    for (std::size_t k = 0; !done; ++k) {
      CAPTURE(k);
      REQUIRE(k < 2000);
      emulation::seed(k);
      {
        DeviceQueue on{test::HostQueue{}};
        auto const store = test::in_device_memory();
        auto const array = made<test::OnDevice>(store, {5, 7}, on);
        array.write(all, on_device<float, 2>(elements, {5, 7}, on)).wait();
        emulation::fail(k);
        try {
          array.resize(to);
          on.wait();
        } catch (Error const&) {
        }
        done = !emulation::has_failed();
        emulation::fail(~std::size_t{0});
        DeviceQueue other{test::HostQueue{}};
        auto const again = open_array<float, 2, test::OnDevice>(store, "a", other);
        CHECK((again.shape() == to || (!done && again.shape() == Extents{5, 7})));
        auto const found = elements_of(again, other);
        CHECK((found == expected(again.shape())));
      }
      test::check_nothing_left();
    }
  }
}

#endif

}  // namespace array_growing_tests
