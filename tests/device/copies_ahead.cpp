// Reads into device memory copy the host's bytes on a stream of their own: ahead of the queue's work, if they cannot
// conflict, otherwise after it.
#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <device/arrays.hpp>

namespace copies_ahead_tests {

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::numbers_from, test::on_device, test::on_host, test::TemporaryFolder,
    test::under_seeds;

namespace {

Extents const shape{40, 10};
NewArray<float> const in_ten_chunks{.shape = shape, .chunks = {4, 10}};

struct AddOne {
  float* data;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { data[i] += 1; }
};

}  // namespace

#if defined(TESSERA_CUDA_EMULATION)

namespace {

ReadOptions const in_pairs{.mini_batch = 2, .in_flight = 2};

// Blocks a queue's stream until it is destroyed.
class Hold {
 public:
  explicit Hold(DeviceQueue& on) : stream_{on.stream()} {
    auto const wait = [](void* gate) {
      while (!*static_cast<std::atomic<bool>*>(gate)) std::this_thread::yield();
    };
    REQUIRE(cudaLaunchHostFunc(stream_, wait, &open_) == cudaSuccess);
  }
  ~Hold() {
    open_ = true;
    static_cast<void>(cudaStreamSynchronize(stream_));  // the waiting function reads this
  }

 private:
  cudaStream_t stream_;
  std::atomic<bool> open_{false};
};

// Which streams copied to the device, and which launched.
std::vector<int> streams(emulation::Watch const& watch, std::string_view name) {
  std::vector<int> result;
  for (auto const& call : watch.calls())
    if (name == call.name && (name != "cudaMemcpyAsync" || call.kind == cudaMemcpyHostToDevice))
      if (std::ranges::find(result, call.stream) == result.end()) result.push_back(call.stream);
  return result;
}

template <class P, class S>
void check_ahead(S const& store) {
  emulation::seed(1);  // the queue's stream is late, and the next one that is made is early
  DeviceQueue on{HostQueue{}};
  auto const elements = numbers_from(1.f, 400);
  auto const array = create_array<float, 2>(store, "a", in_ten_chunks, P{}, on);
  array.write(all, on_device<float, 2>(elements, shape, on)).wait();
  auto memory = on_device<float, 2>(std::vector<float>(400), shape, on);
  ReadOptions const two{.mini_batch = 5, .in_flight = 2};
  array.read(all, memory, two).wait();  // makes two of all
  launch(on, 400, AddOne{memory.data()});
  emulation::Watch const watch;
  Pending pending;
  {
    Hold const hold{on};
    pending = array.read(all, memory, two);
    auto const copying = streams(watch, "cudaMemcpyAsync"), launching = streams(watch, "emulatedLaunch");
    CHECK(test::allocations(watch) == 0);
    CHECK(watch.launches() == 2);
    CHECK(watch.copies(cudaMemcpyHostToDevice) == 2);
    REQUIRE(copying.size() == 1);
    REQUIRE(launching.size() == 1);
    CHECK(emulation::left_to_do(launching[0]) > 0);
    CHECK(emulation::left_to_do(copying[0]) == 0);
  }
  pending.wait();
  CHECK(on_host(memory, on) == elements);
}

}  // namespace

TEST_CASE("the copies of mini-batches are done while the queue's stream has yet to place the first of them") {
  TemporaryFolder const folder;
  check_ahead<test::Compressed>(MemoryStore<HostBuffer>{});
  check_ahead<test::FromHost>(LocalStore<HostBuffer>{folder / "host"});
  check_ahead<test::OnDevice>(test::files_of_the_device(folder / "device"));
  test::check_nothing_left();
}

// For 200 chunks, or for elements of long lists, whose table does not fit into a kernel's arguments.
TEST_CASE("the table of a mini-batch crosses ahead too, and nothing is copied on the queue's stream") {
  constexpr std::uint64_t n = 400;
  auto const elements = numbers_from(1.f, 2 * n);
  std::vector<std::uint64_t> rows, columns, list;
  std::vector<std::uint8_t> mask(2 * n);
  for (std::uint64_t i = 0; i < n; ++i) rows.push_back(i * 7 % n), columns.push_back(i % 2), list.push_back(n - 1 - i);
  for (std::uint64_t i = 0; i < 2 * n; ++i) mask[i] = i % 3 == 1;
  auto const check = [&](auto const& selection, std::size_t copies = 2) {
    emulation::seed(1);  // the queue's stream is late, and the next one that is made is early
    DeviceQueue on{HostQueue{}};
    auto const array = create_array<float, 2>(MemoryStore<HostBuffer>{}, "a", {.shape = {n, 2}, .chunks = {2, 2}},
                                              test::Compressed{}, on);
    array.write(all, on_device<float, 2>(elements, {n, 2}, on)).wait();
    auto memory = array.read(selection);
    auto const expected = on_host(memory, on);
    ReadOptions const one{.mini_batch = every_chunk, .in_flight = 1};
    array.read(selection, memory, one).wait();  // makes one of all
    launch(on, memory.size(), AddOne{memory.data()});
    emulation::Watch const watch;
    Pending pending;
    {
      Hold const hold{on};
      pending = array.read(selection, memory, one);
      CHECK(test::allocations(watch) == 0);
      CHECK(watch.launches() == 1);
      CHECK(watch.copies(cudaMemcpyHostToDevice) == copies);
      auto const copying = streams(watch, "cudaMemcpyAsync"), launching = streams(watch, "emulatedLaunch");
      REQUIRE(copying.size() == 1);
      REQUIRE(launching.size() == 1);
      CHECK(copying[0] != launching[0]);
      CHECK(emulation::left_to_do(launching[0]) > 0);
      CHECK(emulation::left_to_do(copying[0]) == 0);
    }
    pending.wait();
    CHECK(on_host(memory, on) == expected);
  };
  check(all);
  check(Box{{1, n - 1}, all});
  check(Points{rows, columns});
  check(Orthogonal{list, all});
  check(Mask{mask});
  check(Points{std::vector{7, 0, 399}, std::vector{1, 0, 1}}, 1);
  check(Orthogonal{std::vector{5, 399, 20}, all}, 1);
  test::check_nothing_left();
}

TEST_CASE("page-locked blocks that crossed ahead are lent again when they have crossed, whatever the queue has to do") {
  TemporaryFolder const folder;
  emulation::seed(1);  // the queue's stream is late, and the next one that is made is early
  DeviceQueue on{HostQueue{}};
  auto const elements = numbers_from(1.f, 400);
  auto const array =
      create_array<float, 2>(test::files_of_the_device(folder / "a"), "a", in_ten_chunks, test::OnDevice{}, on);
  array.write(all, on_device<float, 2>(elements, shape, on)).wait();
  on.trim();
  auto memory = on_device<float, 2>(std::vector<float>(400), shape, on);
  ReadOptions const two{.mini_batch = 5, .in_flight = 2};
  for (bool const is_first : {true, false}) {
    Pending pending;
    {
      Hold const hold{on};
      emulation::Watch const watch;
      pending = array.read(all, memory, two);
      if (is_first) continue;  // that makes two of all
      CHECK(test::allocations(watch) == 0);
      CHECK(on.lease<Scratch<space::Pinned>>()->held() > 0);
    }
    pending.wait();
    CHECK(on_host(memory, on) == elements);
  }
}

TEST_CASE("a stream for copies is made by the first that needs it, and goes with the queue") {
  under_seeds(4, [] {
    DeviceQueue on{HostQueue{}};
    auto const elements = numbers_from(1.f, 400);
    auto const there = create_array<float, 2>(test::in_device_memory(), "a", in_ten_chunks, test::OnDevice{}, on);
    there.write(all, on_device<float, 2>(elements, shape, on)).wait();
    CHECK(on_host(there.read(all), on) == elements);
    auto const here = create_array<float, 2>(MemoryStore<HostBuffer>{}, "a", in_ten_chunks, test::Compressed{}, on);
    here.write(all, on_device<float, 2>(elements, shape, on)).wait();
    CHECK(emulation::alive().streams == 1);
    for (int i = 0; i < 2; ++i) {
      CHECK(on_host(here.read(all), on) == elements);
      CHECK(emulation::alive().streams == 2);
    }
  });
}

TEST_CASE("where no stream can be made for copies, or no event, the read says so, and no copy is left at work") {
  under_seeds(16, [] {
    DeviceQueue on{HostQueue{}};
    auto const elements = numbers_from(1.f, 400);
    MemoryStore<HostBuffer> const store;
    create_array<float, 2>(store, "a", in_ten_chunks, test::Compressed{}, on)
        .write(all, on_device<float, 2>(elements, shape, on))
        .wait();
    auto memory = on_device<float, 2>(std::vector<float>(400), shape, on);
    std::string said;
    bool failed = true;
    for (std::size_t k = 0; failed; ++k) {
      CAPTURE(k);
      REQUIRE(k < 500);
      DeviceQueue anew{HostQueue{}};
      auto const array = open_array<float, 2, test::Compressed>(store, "a", anew);
      emulation::fail(k);
      try {
        array.read(all, memory, in_pairs).wait();
      } catch (Error const& error) {
        if (emulation::failed_call() == "cudaStreamCreateWithFlags") said = error.what();
      }
      failed = emulation::has_failed();
      emulation::fail_nothing();
      if (k % 2 == 0) continue;  // the queue's cached memory is freed
      array.read(all, memory, in_pairs).wait();
      CHECK(on_host(memory, on) == elements);
    }
    CAPTURE(said);
    CHECK(said.find("cudaStreamCreateWithFlags, for copies") != said.npos);
    CHECK(cudaGetLastError() == cudaSuccess);
  });
}

#endif

namespace {

// Work of the queue's stream on memory that is freed, and then read into; on memory that is read, before and after; and
// on growing mini-batches.
template <class P, class Opened = P, class S>
void check_order(S const& store, HostQueue const& host) {
  DeviceQueue on{host};
  create_array<float, 2>(store, "a", in_ten_chunks, P{}, on);
  auto const array = open_array<float, 2, Opened>(store, "a", on);
  auto elements = numbers_from(1.f, 400);
  array.write(all, on_device<float, 2>(elements, shape, on)).wait();
  auto memory = on_device<float, 2>(std::vector<float>(400), shape, on);
  auto sums = on_device<float, 2>(std::vector<float>(400), shape, on);
  for (float& element : elements) element += 1;
  for (std::size_t const mini_batch : {1u, 2u, 5u, 10u, 3u}) {
    CAPTURE(mini_batch);
    {
      auto const freed = on_device<float, 2>(std::vector<float>(40 * mini_batch, 1.f), {40 * mini_batch}, on);
      launch(on, 400, AddOne{memory.data()});
      for (int i = 0; i < 3; ++i) launch(on, 40 * mini_batch, AddOne{const_cast<float*>(freed.data())});
      REQUIRE(cudaMemcpyAsync(sums.data(), freed.data(), 160 * mini_batch, cudaMemcpyDeviceToDevice, on.stream()) ==
              cudaSuccess);
    }
    array.read(all, memory, {.mini_batch = mini_batch, .in_flight = 2}).detach();
    launch(on, 400, AddOne{memory.data()});
    auto const sum = on_host(sums, on);
    CHECK(std::count(sum.begin(), sum.begin() + static_cast<std::ptrdiff_t>(40 * mini_batch), 4.f) ==
          static_cast<std::ptrdiff_t>(40 * mini_batch));
    CHECK(on_host(memory, on) == elements);
    for (int i = 0; i < 3; ++i) array.read(all, memory, {.mini_batch = mini_batch, .in_flight = 2}).detach();
    launch(on, 400, AddOne{memory.data()});
    CHECK(on_host(memory, on) == elements);
  }
}

}  // namespace

TEST_CASE("what is read is right, whatever the queue's stream does before, meanwhile and afterwards") {
  TemporaryFolder const folder;
  int number = 0;
  for (std::size_t const threads : {1u, 3u}) {
    CAPTURE(threads);
    HostQueue const host{threads};
    under_seeds(64, [&] {
      check_order<test::Compressed>(MemoryStore<HostBuffer>{}, host);
      check_order<test::Compressed, test::Known>(MemoryStore<HostBuffer>{}, host);
      check_order<test::OnDevice>(test::files_of_the_device(folder / std::to_string(number++)), host);
    });
  }
}

#if defined(TESSERA_CUDA_EMULATION)
TEST_CASE("the same where devices have no pools, and blocks are lent before the stream is done with them") {
  emulation::set({.pools = false});
  under_seeds(64, [] { check_order<test::Compressed>(MemoryStore<HostBuffer>{}, HostQueue{}); });
  emulation::set({});
}
#endif

}  // namespace copies_ahead_tests
