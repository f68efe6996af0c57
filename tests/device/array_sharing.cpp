// The same arrays used by host and device at once: opened twice, read by threads of both, written half by each.
#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include <device/arrays.hpp>
#include <support/brain.hpp>
#include <support/written_array.hpp>

namespace array_sharing_tests {

using namespace tessera;
using codec::Bytes, codec::Zstd;
using test::DeviceQueue, test::HostQueue, test::numbers_from, test::on_device, test::on_host, test::TemporaryFolder,
    test::under_seeds;

namespace {

using OnHost = Pipeline<space::Host, Bytes, Zstd>;

// All at the same time; an exception in one of them is a failure.
void at_once(std::vector<std::function<void()>> const& works) {
  std::vector<std::thread> threads;
  std::atomic<std::size_t> ready{0}, failed{0};
  for (auto const& work : works)
    threads.emplace_back([&] {
      ++ready;
      while (ready < works.size()) std::this_thread::yield();
      try {
        work();
      } catch (...) {
        ++failed;
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(failed == 0);
}

Extents const shape{30, 24}, chunk_shape{7, 5};

}  // namespace

TEST_CASE("the brain volume is opened for the host and for the device, and read by threads of both at once") {
  under_seeds(4, [] {
    std::string const path = TESSERA_TEST_DATA "/brain.zarr";
    LocalStore<HostBuffer> const store{path};
    DeviceQueue on{HostQueue{2}};
    auto const host = open_array<std::uint8_t, 3, AllCodecs>(store, "t1", HostQueue{2});
    auto const device = open_array<std::uint8_t, 3, test::Known>(store, "t1", on);
    std::atomic<std::size_t> wrong{0};
    auto const box_of = [](std::uint64_t seed) {
      test::Random random{seed};
      return Box{test::random_slices(random, {197, 233, 189})};
    };
    auto const expected = [&](Box const& box) {
      auto const bytes =
          test::picked(test::memory_of(test::t1_elements()), {197, 233, 189}, 1, box.resolve({197, 233, 189}));
      std::vector<std::uint8_t> result(bytes.size());
      std::ranges::transform(bytes, result.begin(), [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
      return result;
    };
    auto const by_host = [&](std::uint64_t seed) {
      return [&, seed] {
        for (auto s = seed; s < seed + 3; ++s) {
          auto const found = host.read(box_of(s));
          wrong += !std::ranges::equal(found.elements(), expected(box_of(s)));
        }
      };
    };
    auto const by_device = [&](std::uint64_t seed, DeviceQueue queue) {
      return [&, seed, queue]() mutable {
        for (auto s = seed; s < seed + 3; ++s) {
          auto const found = device.on(queue).read(box_of(s), ReadOptions{.mini_batch = 3});
          wrong += on_host(found, queue) != expected(box_of(s));
        }
      };
    };
    // Two of the device's threads share a queue.
    at_once({by_host(0), by_host(10), by_device(20, on), by_device(30, on), by_device(40, DeviceQueue{test::HostQueue{}})});
    CHECK(wrong == 0);
  });
}

TEST_CASE("an array is written in turns of columns by host threads and a device queue at once: no element is lost") {
  TemporaryFolder const folder;
  int made = 0;
  auto const elements = numbers_from(1.f, 30 * 24);
  auto const check = [&](auto const& store) {
    DeviceQueue on{test::HostQueue{}};
    auto const host =
        create_array<float, 2>(store, "a", {.shape = shape, .chunks = chunk_shape}, OnHost{}, HostQueue{2});
    auto const device = open_array<float, 2, test::Compressed>(store, "a", on);
    auto const memory = on_device<float, 2>(elements, shape, on);
    // Every chunk has columns of both.
    Box const odd{all, {1, 24, 2}}, even{all, {0, 24, 2}};
    at_once({[&] {
               host.write(even, ArrayView<float const, 2>{elements.data(), {30, 12}, {24, 2}});
             },
             [&] {
               ArrayView<float const, 2, space::Device> const half{memory.data() + 1, {30, 12}, {24, 2}};
               device.write(odd, half, WriteOptions{.mini_batch = 4}).wait();
             }});
    auto const found = host.read(all);
    CHECK(std::ranges::equal(found.elements(), elements));
    CHECK(on_host(device.read(all), on) == elements);
    // Halves that share the rows of some chunks.
    Box const upper{{0, 16}, all}, lower{{16, 30}, all};
    auto const twos = on_device<float, 2>(std::vector<float>(14 * 24, 2.f), {14, 24}, on);
    at_once({[&] { host.write(upper, std::vector<float>(16 * 24, 1.f)); }, [&] { device.write(lower, twos).wait(); }});
    auto expected = std::vector<float>(16 * 24, 1.f);
    expected.resize(30 * 24, 2.f);
    CHECK(on_host(device.read(all), on) == expected);
  };
  under_seeds(8, [&] {
    check(MemoryStore<HostBuffer>{});
    check(LocalStore<HostBuffer>{folder / std::to_string(made++)});
  });
}

TEST_CASE("an array in device memory's store is written by two device queues at once: no element is lost") {
  auto const elements = numbers_from(1.f, 30 * 24);
  under_seeds(16, [&] {
    DeviceQueue first{test::HostQueue{}}, second{test::HostQueue{}};
    auto const store = test::in_device_memory();
    auto const array =
        create_array<float, 2>(store, "a", {.shape = shape, .chunks = chunk_shape}, test::OnDevice{}, first);
    auto const write = [&](std::int64_t column, DeviceQueue queue) {
      return [&, column, queue]() mutable {
        auto const memory = on_device<float, 2>(elements, shape, queue);
        ArrayView<float const, 2, space::Device> const half{memory.data() + column, {30, 12}, {24, 2}};
        array.on(queue).write({all, {static_cast<std::uint64_t>(column), 24, 2}}, half, WriteOptions{.mini_batch = 4})
            .detach();
      };
    };
    at_once({write(0, first), write(1, second)});
    CHECK(on_host(array.on(second).read(all), second) == elements);
    CHECK(on_host(array.on(first).read(all), first) == elements);
  });
}

TEST_CASE("documents of host and device are the same to the byte, be the codecs named or found") {
  auto const check = [](auto const& host, auto const& device) {
    auto const expected = test::value(host, "a/zarr.json");
    CHECK(expected.size() > 100);
    CHECK(test::value(device, "a/zarr.json") == expected);
    CHECK(test::value(device, "zarr.json") == test::value(host, "zarr.json"));
  };
  DeviceQueue const on;
  MemoryStore<HostBuffer> const a, b, c, d, e;
  NewArray<double> const options{.shape = {6, 4},
                                 .chunks = {2, 2},
                                 .fill = 0.1,
                                 .attributes = {{"unit", "mm"}},
                                 .dimension_names = {"y", "x"}};
  create_array<double, 2>(a, "a", options, OnHost{Bytes{std::endian::big}, Zstd{3, true}});
  create_array<double, 2>(b, "a", options,
                          test::Compressed{Bytes{std::endian::big}, CastTo<space::Host>{}, Zstd{3, true}}, on);
  check(a, b);
  auto const metadata = open_any<AllCodecs>(a, "a").metadata();
  create_any<AllCodecs>(c, "a", metadata);
  create_any<test::Known>(d, "a", metadata, {}, on);
  check(c, d);
  SplitStore const split{e, MemoryStore<DeviceBuffer>{}};
  MemoryStore<HostBuffer> const f;
  create_array<double, 2>(split, "a", options, test::OnDevice{}, on);
  create_array<double, 2>(f, "a", options, Pipeline<space::Host, Bytes>{});
  check(f, e);
}

}  // namespace array_sharing_tests
