// Memory that an idle queue of a device keeps: no more than its limit, and nothing after trim().
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <device/arrays.hpp>

#if defined(TESSERA_CUDA_EMULATION)

using namespace tessera;
using test::DeviceQueue, test::on_device, test::under_seeds;

namespace {

Extents const shape{2048, 1024};
constexpr std::size_t chunk = 1 << 20;     // bytes
constexpr std::size_t tables = 64 << 10;  // for placing and similar

std::vector<std::uint8_t> noise() {
  std::vector<std::uint8_t> elements(2048 * 1024);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::uint8_t>(i * i >> 7 | 1);
  return elements;
}

struct Held {
  std::size_t allocations, page_locked, bytes;  // the second in bytes, as the third
};
Held held() {
  emulation::run_all();
  auto const alive = emulation::alive();
  return {alive.allocations, alive.page_locked, alive.bytes};
}

// A whole array and parts of its chunks, there and back.
template <class S>
void use(S const& store, DeviceQueue& on) {
  auto const array = open_array<std::uint8_t, 2, test::Compressed>(store, "a", on);
  auto const memory = on_device<std::uint8_t, 2>(noise(), shape, on);
  array.write(all, memory).wait();
  OwnedArray<std::uint8_t, 2, DeviceBuffer> found{shape, on};
  array.read(all, found).wait();
  CHECK(test::on_host(found, on) == noise());
}

auto made() {
  MemoryStore<HostBuffer> const store;
  DeviceQueue const on;
  create_array<std::uint8_t, 2>(store, "a", {.shape = shape, .chunks = {1024, 1024}}, test::Compressed{}, on);
  return store;
}

}  // namespace

TEST_CASE("trim gives back device memory and page-locked memory that nobody has") {
  under_seeds(16, [] {
    auto const store = made();
    DeviceQueue on{Queue<space::Host>{2}};
    auto const before = held();
    use(store, on);
    PinnedBuffer const lent{chunk, on};
    { PinnedBuffer const gone{chunk, on}; }
    auto const kept = held();
    CHECK(kept.page_locked >= before.page_locked + 3 * chunk);
    on.trim();
    auto const after = held();
    CHECK(after.allocations == before.allocations + 1);      // lent memory
    CHECK(after.page_locked == before.page_locked + chunk);  // lent memory
    use(store, on);                                          // all of it is made anew
  });
}

TEST_CASE("after it was waited for a queue keeps no more than its bound") {
  under_seeds(16, [] {
    auto const store = made();
    DeviceQueue on{Queue<space::Host>{2}};
    auto const before = held();
    on.keep_idle(chunk / 16);
    use(store, on);
    on.wait();
    auto const little = held();
    CHECK(little.bytes <= before.bytes + tables);
    CHECK(little.page_locked <= before.page_locked + tables);
    on.keep_idle(64 * chunk);
    use(store, on);
    on.wait();
    CHECK(held().page_locked > before.page_locked + chunk);
    on.keep_idle(0);
    CHECK(held().page_locked <= before.page_locked + tables);
  });
}

TEST_CASE("trim waits for what the stream does with what was given back, and lets be what is lent") {
  emulation::seed(15);  // late: nothing is done before a wait
  DeviceQueue on{test::HostQueue{}};
  auto const lent = on.lease<Scratch<space::Pinned>>();
  auto const mine = lent->take(100, on);
  DeviceBuffer to{100, on};
  {
    auto const given_back = on.lease<Scratch<space::Pinned>>();
    auto const from = given_back->take(100, on);
    std::fill_n(from.data, 100, std::byte{7});
    crossing<space::Device, space::Pinned>::copy(from, to.span(), on);
  }
  std::fill_n(mine.data, 100, std::byte{3});
  on.trim();
  HostBuffer back{100};
  crossing<space::Host, space::Device>::copy(to.view(), back.span(), on);
  on.wait();
  CHECK(std::all_of(back.view().data, back.view().data + 100, [](auto byte) { return byte == std::byte{7}; }));
  CHECK(mine.data[99] == std::byte{3});
}

TEST_CASE("trim and the end of a queue wait asleep, and where there is no event they wait all the same") {
  for (bool const trims : {true, false}) {
    bool failed = true;
    std::size_t k = 0;
    for (; failed; ++k) {
      CAPTURE(trims);
      CAPTURE(k);
      emulation::seed(15);  // late
      std::optional<DeviceQueue> on{test::HostQueue{}};
      auto const from = test::made<DeviceBuffer>("abc", *on);
      on->wait();
      PinnedBuffer to{3, *on};
      crossing<space::Pinned, space::Device>::copy(from.view(), to.span(), *on);
      if (!trims) on->keep(HostBuffer{3});
      emulation::Watch const watch;
      emulation::fail(k);
      trims ? on->trim() : on.reset();
      failed = emulation::has_failed();
      emulation::fail_nothing();
      CHECK(std::string_view{reinterpret_cast<char const*>(to.view().data), 3} == "abc");
      if (!failed) CHECK(watch.spins() == 0);
    }
    CHECK(k > 3);  // the event, its record, and the wait for it
  }
}

#endif
