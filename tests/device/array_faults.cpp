// Reads and writes of arrays in device memory, with failing calls of the CUDA runtime, without memory, with damaged
// chunks, and cancelled: one clear error, nothing lost, nothing left running, and the next read is right.
#include <atomic>
#include <thread>

#include <device/arrays.hpp>
#include <support/refused.hpp>

namespace array_faults_tests {

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::numbers_from, test::on_device, test::on_host, test::TemporaryFolder,
    test::under_seeds;

namespace {

constexpr std::uint64_t chunks = 20;
Extents const shape{chunks * 4 - 1, 5};
Box const part{{2, 13, 3}, {1, 5}};  // parts of the first three chunks
Extents const part_shape{4, 4};
Box const rest{{20, 79}, all};  // whole chunks from the fifth on
Extents const rest_shape{59, 5};

using Transposed = Pipeline<space::Device, codec::Transpose, codec::Bytes, CastTo<space::Host>, codec::Zstd>;

// Sharded pipelines: two of the chunks in a shard.
template <class P, class S>
auto made(S const& store, DeviceQueue const& on) {
  if constexpr (P::may_be_sharded) {
    codec::Sharding<typename P::leaf_type> const pairs{{4, 5}};
    return create_array<float, 2>(store, "a", {.shape = shape, .chunks = {8, 5}}, P{pairs}, on);
  } else if constexpr (std::same_as<P, Transposed>) {
    P const turned{codec::Transpose{{1, 0}}, {}, {}, {}};
    return create_array<float, 2>(store, "a", {.shape = shape, .chunks = {4, 5}}, turned, on);
  } else {
    return create_array<float, 2>(store, "a", {.shape = shape, .chunks = {4, 5}}, P{}, on);
  }
}

std::vector<float> const old_elements = numbers_from(1.f, shape[0] * shape[1]);

}  // namespace

#if defined(TESSERA_CUDA_EMULATION)

namespace {

// The k-th call fails during `run`, for every k. Every exception is tessera's and names the call; the array's contents
// then satisfy `check`, and it reads and writes as before.
template <class P, class Make, class Run, class Check>
void check_faults(std::vector<std::uint64_t> const& seeds, Make&& make, Run&& run, Check&& check) {
  for (auto const seed : seeds) {
    emulation::seed(seed);
    std::size_t k = 0;
    for (bool failed = true; failed; ++k) {
      CAPTURE(seed);
      CAPTURE(k);
      REQUIRE(k < 2000);
      {
        DeviceQueue on{HostQueue{1 + k % 2}};
        auto const array = made<P>(make(), on);
        array.write(all, on_device<float, 2>(old_elements, shape, on)).wait();
        auto memory = on_device<float, 2>(std::vector<float>(old_elements.size(), -1.f), shape, on);
        auto some = on_device<float, 2>(std::vector<float>(part_shape[0] * part_shape[1], -2.f), part_shape, on);
        emulation::fail(k);
        bool threw = false;
        try {
          run(array, memory, some);
        } catch (Error const& error) {
          threw = true;
          std::string_view const what = error.what();
          CAPTURE(what);
          CHECK(emulation::has_failed());
          auto const call = emulation::failed_call();
          CHECK(what.find(call == "emulatedLaunch" ? "a kernel launch" : call) != what.npos);
        }
        failed = emulation::has_failed();
        emulation::fail_nothing();
        if (!failed) CHECK_FALSE(threw);
        check(array, memory, some, threw, on);
        // And once more, completely.
        memory = on_device<float, 2>(old_elements, shape, on);
        array.write(all, memory).wait();
        CHECK(on_host(array.read(all), on) == old_elements);
        CHECK(cudaGetLastError() == cudaSuccess);
      }
      test::check_nothing_left();
    }
    CHECK(k > 5);
  }
}

template <class P, class Make>
void check_read_and_write(std::vector<std::uint64_t> const& seeds, Make&& make) {
  check_faults<P>(
      seeds, make,
      [](auto const& array, auto& memory, auto& some) {
        ReadOptions const options{.mini_batch = 6};
        auto whole = array.read(all, memory, options);
        auto little = array.read(part, some, options);
        whole.wait();
        little.wait();
      },
      [](auto const& array, auto& memory, auto&, bool threw, DeviceQueue& on) {
        if (!threw) CHECK(on_host(memory, on) == old_elements);
        CHECK(on_host(array.read(all), on) == old_elements);
      });
  check_faults<P>(
      seeds, make,
      [](auto const& array, auto& memory, auto& some) {
        WriteOptions const options{.mini_batch = 6};
        array.write(part, some, options).wait();
        array.write(rest, ArrayView<float const, 2, space::Device>::c_order(memory.data(), rest_shape), options).wait();
      },
      [](auto const& array, auto&, auto&, bool threw, DeviceQueue& on) {
        // Each chunk is the old one, the one written in part, or the new one: completely.
        auto const found = on_host(array.read(all), on);
        auto with_part = old_elements;
        for (std::size_t i = 2; i < 13; i += 3)
          for (std::size_t j = 1; j < 5; ++j) with_part[i * 5 + j] = -2;
        for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
          auto const first = static_cast<std::ptrdiff_t>(chunk * 20),
                     last = std::min<std::ptrdiff_t>(first + 20, 79 * 5);
          auto const is = [&](auto const& expected) {
            return std::equal(found.begin() + first, found.begin() + last, expected.begin() + first);
          };
          auto const is_new = std::all_of(found.begin() + first, found.begin() + last, [](float x) { return x == -1; });
          bool const whole = is_new || is(with_part) || (threw && is(old_elements));
          CHECK(whole);
          if (!threw) CHECK(is_new == (chunk >= 5));
        }
      });
}

}  // namespace

TEST_CASE("the k-th call fails: arrays behind the host's codecs") {
  check_read_and_write<test::Compressed>({0, 15}, [] { return MemoryStore<HostBuffer>{}; });
}
TEST_CASE("the k-th call fails: arrays in device memory's store") {
  check_read_and_write<test::OnDevice>({0, 15}, [] { return test::in_device_memory(); });
}
TEST_CASE("the k-th call fails: arrays in the device's files") {
  TemporaryFolder const folder;
  int made = 0;
  check_read_and_write<test::OnDevice>({15},
                                       [&] { return test::files_of_the_device(folder / std::to_string(made++)); });
}
TEST_CASE("the k-th call fails: shards of chunks behind the host's codecs") {
  using Sharded = Pipeline<space::Device, codec::Sharding<test::Compressed>>;
  check_read_and_write<Sharded>({0, 15}, [] { return MemoryStore<HostBuffer>{}; });
}
TEST_CASE("the k-th call fails: shards in device memory's store, and in the device's files") {
  using Sharded = Pipeline<space::Device, codec::Sharding<test::OnDevice>>;
  check_read_and_write<Sharded>({0, 15}, [] { return test::in_device_memory(); });
  TemporaryFolder const folder;
  int made = 0;
  check_read_and_write<Sharded>({15}, [&] { return test::files_of_the_device(folder / std::to_string(made++)); });
}

TEST_CASE("the k-th call fails: an array that is made by a read, and fill") {
  check_faults<test::Compressed>(
      {15}, [] { return MemoryStore<HostBuffer>{}; },
      [](auto const& array, auto& memory, auto&) {
        auto const found = array.template read<PinnedBuffer>(all);
        CHECK(std::ranges::equal(found.elements(), old_elements));
        memory = array.read(all);
        array.fill(part, 7.f).wait();
      },
      [](auto const&, auto&, auto&, bool, DeviceQueue&) {});
}

namespace {

// How a program ends what it began. An error appears only in the first and the last; in all of them the caller gets the
// memory back.
using End = void (*)(Pending, DeviceQueue&);
constexpr End ends[]{[](Pending pending, DeviceQueue&) { pending.wait(); }, [](Pending, DeviceQueue&) {},
                     [](Pending pending, DeviceQueue&) { pending = {}; },
                     [](Pending pending, DeviceQueue& on) { pending.detach(), on.wait(); }};

// The k-th call fails between `begin(array, memory, on)` and an end of it, for every k, on a queue that the caller's
// memory, buffers B, is not ordered by: nothing uses it afterwards, whatever is queued.
template <class P, class B, class Make, class Begin, class Check>
void check_callers_memory(Make&& make, Begin&& begin, Check&& check) {
  std::vector<float> const others(old_elements.size(), 99.f);
  for (std::size_t k = 0, not_failed = 0; not_failed < std::size(ends); ++k) {
    CAPTURE(k);
    emulation::seed(15);  // late
    {
      DeviceQueue on{HostQueue{}}, apart{HostQueue{}};
      auto const array = made<P>(make(), on);
      array.write(all, on_device<float, 2>(old_elements, shape, on)).wait();
      auto memory = on_device<float, 2, B>(std::vector<float>(old_elements.size(), -1.f), shape, apart);
      emulation::fail(k);
      try {
        ends[k % std::size(ends)](begin(array, memory, on), on);
      } catch (Error const&) {
        CHECK(emulation::has_failed());
      }
      bool const failed = emulation::has_failed();
      not_failed += !failed;
      emulation::fail_nothing();
      ByteSpan<typename B::space_type> const bytes{reinterpret_cast<std::byte*>(memory.data()),
                                                   others.size() * sizeof(float)};
      crossing<typename B::space_type, space::Host>::copy(test::bytes_of(others), bytes, apart);
      apart.wait();
      emulation::run_all();
      CHECK(on_host(memory, apart) == others);
      check(on_host(array.read(all), on), failed);
    }
    test::check_nothing_left();
  }
}

template <class P, class B, class Make>
void check_memory_is_the_callers(Make&& make) {
  check_callers_memory<P, B>(
      make,
      [](auto const& array, auto& memory, DeviceQueue& on) {
        return array.on(on).read(all, memory, ReadOptions{.mini_batch = 8});
      },
      [](std::vector<float> const& found, bool) { CHECK(found == old_elements); });
  check_callers_memory<P, B>(
      make,
      [](auto const& array, auto& memory, DeviceQueue& on) {
        return array.on(on).write(all, memory, WriteOptions{.mini_batch = 8});
      },
      [](std::vector<float> const& found, bool failed) {  // each chunk is the old one or the new one, completely
        for (std::size_t first = 0; first < found.size(); first += 20) {
          auto const last = std::min(first + 20, found.size());
          auto const is = [&](auto&& expected) {
            for (auto i = first; i < last; ++i)
              if (found[i] != expected(i)) return false;
            return true;
          };
          bool const is_new = is([](std::size_t) { return -1.f; });
          if (!is_new && !(failed && is([](std::size_t i) { return old_elements[i]; }))) FAIL("from element ", first);
        }
      });
}

}  // namespace

TEST_CASE("the k-th call fails: memory that an array was given is the caller's again") {
  auto const of_host = [] { return MemoryStore<HostBuffer>{}; };
  check_memory_is_the_callers<Transposed, DeviceBuffer>(of_host);
  check_memory_is_the_callers<Pipeline<space::Device, codec::Sharding<test::Compressed>>, DeviceBuffer>(of_host);
  check_memory_is_the_callers<test::OnDevice, PinnedBuffer>([] { return test::in_device_memory(); });
}

TEST_CASE("a machine with too little memory: one error that says so") {
  MemoryStore<HostBuffer> const store;
  {
    HostQueue on;
    create_array<float, 1>(store, "a", {.shape = {1 << 20}, .chunks = {1 << 16}},
                           Pipeline<space::Host, codec::Bytes, codec::Zstd>{}, on)
        .write(all, numbers_from(1.f, 1 << 20));
  }
  emulation::set({.memory = std::size_t{3} << 20, .page_locked = std::size_t{1} << 30});
  {
    DeviceQueue on{test::HostQueue{}};
    auto const array = open_array<float, 1, test::Compressed>(store, "a", on);
    test::check_refused<OutOfMemory>([&] { array.read(all); }, {"cannot allocate 4194304 bytes of device memory"});
    // The elements fit, the work in progress does not, until the budget makes it smaller.
    auto memory = OwnedArray<float, 1, DeviceBuffer>{{1 << 19}, on};
    Box const half{{0, 1 << 19}};
    test::check_refused<OutOfMemory>([&] { array.read(half, memory, ReadOptions{.mini_batch = every_chunk}).wait(); },
                                     {"bytes of device memory", "are free", "key \"a/c/0\""});
    array.read(half, memory, ReadOptions{.memory = std::size_t{2} << 20}).wait();
    CHECK(on_host(memory, on) == numbers_from(1.f, 1 << 19));
  }
  test::check_nothing_left();
  emulation::set({.page_locked = std::size_t{1} << 18});
  {
    DeviceQueue on{test::HostQueue{}};
    auto const array = open_array<float, 1, test::Compressed>(store, "a", on);
    test::check_refused<OutOfMemory>([&] { array.read(all); }, {"bytes of page-locked memory"});
  }
  test::check_nothing_left();
  emulation::set({});
}

#endif

TEST_CASE(
    "a damaged chunk amid a batch: its key and codec are named, other mini-batches that ended are placed, the next "
    "read is right") {
  under_seeds(16, [] {
    for (std::size_t const batch : {std::size_t{1}, std::size_t{4}, every_chunk}) {
      CAPTURE(batch);
      DeviceQueue on{test::HostQueue{}};
      MemoryStore<HostBuffer> const store;
      auto const array = made<test::Compressed>(store, on);
      array.write(all, on_device<float, 2>(old_elements, shape, on)).wait();
      auto const sound = test::value(store, "a/c/9/0", on);
      test::put(store, "a/c/9/0", "garbage", on);
      auto memory = on_device<float, 2>(std::vector<float>(old_elements.size(), -1.f), shape, on);
      test::check_refused<CodecError>([&] { array.read(all, memory, ReadOptions{.mini_batch = batch}).wait(); },
                                      {"key \"a/c/9/0\"", "codec zstd"});
      CHECK(cudaStreamQuery(on.stream()) == cudaSuccess);  // no work is left: the caller may use the memory again
      // One thread: earlier mini-batches have ended, later ones have not begun, and of this one nothing is placed.
      auto const found = on_host(memory, on);
      auto const placed = batch > 9 ? 0 : 9 / batch * batch * 20;
      for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i] != (i < placed ? old_elements[i] : -1)) FAIL("element ", i, " is ", found[i]);
      test::put(store, "a/c/9/0", sound, on);
      CHECK(on_host(array.read(all), on) == old_elements);
    }
  });
}

TEST_CASE("a read that is cancelled while it runs: progress says how far, nothing is at work afterwards") {
  under_seeds(16, [] {
    DeviceQueue on{HostQueue{2}};
    MemoryStore<HostBuffer> const store;
    auto const array = made<test::Compressed>(store, on);
    auto const elements = on_device<float, 2>(old_elements, shape, on);
    std::atomic<bool> stop{false};
    std::uint64_t last = 0, most = 0, calls = 0;
    auto const progress = [&](std::uint64_t done, std::uint64_t of) {
      CHECK(done == last + 2);
      last = done;
      most = of;
      if (++calls == 3) stop = true;
    };
    WriteOptions const writing{.mini_batch = 2, .in_flight = 2, .stop = &stop, .progress = progress};
    CHECK_THROWS_AS(array.write(all, elements, writing).wait(), Cancelled);
    CHECK(calls >= 3);  // another mini-batch may have been in progress
    CHECK(calls <= 4);
    CHECK(most == chunks);
    std::size_t stored = 0;
    store.list("a/c", [&](Listed const&) { ++stored; });
    CHECK(stored == last);
    array.write(all, elements).wait();

    stop = false;
    last = calls = 0;
    auto memory = on_device<float, 2>(std::vector<float>(old_elements.size(), -1.f), shape, on);
    ReadOptions const reading{.mini_batch = 2, .in_flight = 2, .stop = &stop, .progress = progress};
    CHECK_THROWS_AS(array.read(all, memory, reading).wait(), Cancelled);
    CHECK(cudaStreamQuery(on.stream()) == cudaSuccess);
    CHECK(calls >= 3);
    CHECK(calls <= 4);
    auto const found = on_host(memory, on);
    CHECK(static_cast<std::uint64_t>(std::count(found.begin(), found.end(), -1.f)) == old_elements.size() - last * 20);
    // No work is left: the caller may use the memory again.
    memory = on_device<float, 2>(std::vector<float>(old_elements.size(), -3.f), shape, on);
    on.wait();
    auto const after = on_host(memory, on);
    CHECK(std::count(after.begin(), after.end(), -3.f) == static_cast<std::ptrdiff_t>(after.size()));

    stop = true;
    CHECK_THROWS_AS(array.read(all, ReadOptions{.stop = &stop}), Cancelled);
    stop = false;
    last = calls = 0;
    std::uint64_t sum = 0;
    auto const count = [&](std::uint64_t done, std::uint64_t) { sum = done; };
    CHECK(on_host(array.read(all, ReadOptions{.stop = &stop, .progress = count}), on) == old_elements);
    CHECK(sum == chunks);
  });
}

TEST_CASE("cancelled from another thread, and by what a progress callback throws") {
  under_seeds(8, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const store = test::in_device_memory();
    auto const array = made<test::OnDevice>(store, on);
    array.write(all, on_device<float, 2>(old_elements, shape, on)).wait();
    std::atomic<bool> stop{false}, begun{false};
    std::thread other{[&] {
      while (!begun) std::this_thread::yield();
      stop = true;
    }};
    auto memory = array.read(all);
    auto const wait_for_it = [&](std::uint64_t, std::uint64_t) {
      begun = true;
      while (!stop) std::this_thread::yield();
    };
    CHECK_THROWS_AS(
        array.read(all, memory, ReadOptions{.mini_batch = 1, .stop = &stop, .progress = wait_for_it}).wait(),
        Cancelled);
    other.join();
    struct Enough {};
    auto const enough = [](std::uint64_t, std::uint64_t) { throw Enough{}; };
    CHECK_THROWS_AS(array.read(all, memory, ReadOptions{.mini_batch = 1, .progress = enough}).wait(), Enough);
    CHECK_THROWS_AS(array.write(all, memory, WriteOptions{.mini_batch = 1, .progress = enough}).wait(), Enough);
    CHECK(on_host(array.read(all), on) == old_elements);
  });
}

}  // namespace array_faults_tests
