// Memory of reads and writes of arrays in device memory: of any kind that the device can access; and work that is not
// done when the call returns.
#include <algorithm>
#include <optional>
#include <utility>

#include <device/arrays.hpp>
#include <support/refused.hpp>
#include <tessera/any_spaces.hpp>

namespace array_memory_tests {

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::numbers_from, test::on_device, test::on_host, test::under_seeds;

namespace {

Extents const shape{23, 10}, chunk_shape{4, 3};
std::vector<float> const elements = numbers_from(1.f, 230);
Box const part{{3, 20, 2}, {1, 10, 4}};

std::vector<float> part_of(std::vector<float> const& whole) {
  std::vector<float> result;
  for (std::size_t i = 3; i < 20; i += 2)
    for (std::size_t j = 1; j < 10; j += 4) result.push_back(whole[i * 10 + j]);
  return result;
}

// nvcc mistakes the assignment itself for a dropped Pending.
void take(Pending& to, Pending from) { (void)(to = std::move(from)); }

template <class P = test::Compressed, class S>
auto made(S const& store, DeviceQueue const& on) {
  return create_array<float, 2>(store, "a", {.shape = shape, .chunks = chunk_shape, .fill = -7}, P{}, on);
}

// Whole and in part, in C order and transposed.
template <class B, class Array>
void check_memory(Array const& array, DeviceQueue& on) {
  auto const memory = on_device<float, 2, B>(elements, shape, on);
  array.fill(all, 0.5f).wait();
  DeviceQueue other{test::HostQueue{}};
  array.on(other).fill(part, 9.f, WriteOptions{.mini_batch = 2}).wait();
  CHECK(on_host(array.template read<B>(part), on) == std::vector<float>(27, 9.f));
  array.write(all, memory).wait();
  OwnedArray<float, 2, B> found{shape, on};
  array.read(all, found).wait();
  CHECK(on_host(found, on) == elements);
  auto const made_by_it = array.on(on).template read<B>(all);
  CHECK(on_host(made_by_it, on) == elements);
  CHECK(on_host(array.template read<B>(part), on) == part_of(elements));

  // Written backwards along one dimension, read across.
  ArrayView<float const, 2, typename B::space_type> const backwards{memory.data() + 229, {23, 10}, {-10, -1}};
  array.on(on).write(all, backwards).wait();
  auto reversed = elements;
  std::reverse(reversed.begin(), reversed.end());
  CHECK(on_host(array.template read<B>(all), on) == reversed);
  OwnedArray<float, 2, B> across{{3, 9}, on};
  ArrayView<float, 2, typename B::space_type> const transposed{across.data(), {9, 3}, {1, 9}};
  array.on(on).read(part, transposed, ReadOptions{.mini_batch = 2}).wait();
  auto const expected = part_of(reversed), there = on_host(across, on);
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = 0; j < 3; ++j) CHECK(there[j * 9 + i] == expected[i * 3 + j]);

  // A chunk.
  auto const chunk = array.on(on).template read_chunk<B>({5, 1});
  CHECK(chunk.shape() == Extents{3, 3});  // of the last row of chunks
  auto const corner = array.chunk_box({5, 1}).resolve(shape).first;
  CHECK(on_host(chunk, on)[4] == reversed[(corner[0] + 1) * 10 + corner[1] + 1]);
  array.on(on).write_chunk({0, 1}, on_device<float, 2, B>(std::vector<float>(12, 2.f), {4, 3}, on)).wait();
  OwnedArray<float, 2, B> again{{4, 3}, on};
  array.on(on).read_chunk({0, 1}, again).wait();
  CHECK(on_host(again, on) == std::vector<float>(12, 2.f));
}

}  // namespace

TEST_CASE("device, pinned and managed memory, as views and as arrays that own it") {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const check = [&](auto const& array) {
      check_memory<DeviceBuffer>(array, on);
      check_memory<PinnedBuffer>(array, on);
      check_memory<ManagedBuffer>(array, on);
    };
    check(made(MemoryStore<HostBuffer>{}, on));
    check(made<test::OnDevice>(test::in_device_memory(), on));
  });
}

TEST_CASE("what the host can touch is there when the read returns") {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const array = made(MemoryStore<HostBuffer>{}, on);
    array.write(all, on_device<float, 2>(elements, shape, on)).wait();
    auto const pinned = array.read<PinnedBuffer>(all);
    CHECK(std::ranges::equal(pinned.elements(), elements));
    CHECK(pinned(22, 9) == 230);
    auto const managed = array.on(on).read_chunk<ManagedBuffer>({0, 0});
    CHECK(managed(3, 2) == 33);
  });
}

TEST_CASE("fill: whole chunks are not stored, parts of chunks are") {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    MemoryStore<HostBuffer> const store;
    auto const array = made(store, on);
    auto const stored = [&] {
      std::size_t count = 0;
      store.list("a/c", [&](Listed const&) { ++count; });
      return count;
    };
    array.write(all, on_device<float, 2>(elements, shape, on)).wait();
    CHECK(stored() == 24);
    array.fill({{0, 6}, all}, -7).wait();
    CHECK(stored() == 20);  // the second row of chunks is half filled
    array.fill(part, 3).wait();
    auto expected = elements;
    std::fill_n(expected.begin(), 60, -7.f);
    for (std::size_t i = 3; i < 20; i += 2)
      for (std::size_t j = 1; j < 10; j += 4) expected[i * 10 + j] = 3;
    CHECK(on_host(array.read(all), on) == expected);
    array.fill(all, -7, WriteOptions{.store_fill_chunks = true}).wait();
    CHECK(stored() == 24);
    CHECK(on_host(array.read(all), on) == std::vector<float>(230, -7));
  });
}

TEST_CASE("nothing to read and nothing to write, and memory of another shape") {
  under_seeds(4, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const array = made(MemoryStore<HostBuffer>{}, on);
    Box const nothing{{4, 4}, all};
    auto none = array.read(nothing);
    CHECK(none.shape() == Extents{0, 10});
    array.read(nothing, none).wait();
    array.write(nothing, none).wait();
    auto other = on_device<float, 2>(elements, {10, 23}, on);
    test::check_refused<SelectionError>([&] { array.read(all, other).wait(); },
                                        {"shape is [10, 23], expected [23, 10]"});
    test::check_refused<SelectionError>([&] { array.write(all, other).wait(); },
                                        {"shape is [10, 23], expected [23, 10]"});
    test::check_refused<SelectionError>([&] { array.on(on).read_chunk({6, 0}); }, {"found chunk 6, expected one below 6"});
  });
}

TEST_CASE("Pending: asked, moved, dropped, left, and outliving array and queue") {
  under_seeds(16, [] {
    MemoryStore<HostBuffer> const store;
    DeviceQueue mine{test::HostQueue{}};
    {
      auto const memory = on_device<float, 2>(elements, shape, mine);
      made(store, mine).write(all, memory).wait();
    }
    // Memory of another queue, so that it outlives the one that works on it.
    auto const emptied = [&] { return on_device<float, 2, PinnedBuffer>(std::vector<float>(230), shape, mine); };
    auto const is_read = [](auto const& memory) { return std::ranges::equal(memory.elements(), elements); };
    std::optional<DeviceQueue> on{std::in_place, test::HostQueue{}};
    std::optional array{open_array<float, 2, test::Compressed>(store, "a", *on)};

    auto memory = emptied();
    Pending pending = array->read(all, memory);
    while (!pending.is_done()) {
    }
    CHECK(is_read(memory));
    pending.wait();
    pending.wait();

    memory = emptied();
    take(pending, array->read(all, memory));
    Pending moved = std::move(pending);
    CHECK(pending.is_done());
    moved.wait();
    CHECK(is_read(memory));

    memory = emptied();
    { Pending const dropped = array->read(all, memory); }
    CHECK(is_read(memory));

    // The old one is waited for when another replaces it.
    memory = emptied();
    auto other = emptied();
    take(pending, array->read(all, memory));
    take(pending, array->read(all, other));
    CHECK(is_read(memory));
    pending.wait();
    CHECK(is_read(other));

    memory = emptied();
    array->read(all, memory).detach();
    on->wait();
    CHECK(is_read(memory));

    memory = emptied();
    take(pending, array->read(all, memory));
    array.reset();
    on.reset();
    pending.wait();
    CHECK(is_read(memory));
    CHECK(Pending{}.is_done());
  });
}

#if defined(TESSERA_CUDA_EMULATION)
TEST_CASE("Pending: a stream that comes late is not waited for by the call, and errors name the array and the selection") {
  emulation::seed(15);
  {
    DeviceQueue on{test::HostQueue{}};
    auto const array = made<test::OnDevice>(test::in_device_memory(), on);
    array.write(all, on_device<float, 2>(elements, shape, on)).wait();
    auto memory = on_device<float, 2>(std::vector<float>(230), shape, on);
    auto pending = array.read(all, memory);
    CHECK_FALSE(pending.is_done());
    pending.wait();
    CHECK(on_host(memory, on) == elements);
    auto failing = array.read(all, memory);
    emulation::fail(0);
    auto const chunks = array.untyped().store().name();
    auto const refuse = [&](auto&& f, char const* work) {
      emulation::fail(0);
      test::check_refused<DeviceError>(f, {chunks.c_str(), "key \"a\": ", work, "cudaEventSynchronize"});
      emulation::fail_nothing();
    };
    refuse([&] { failing.wait(); }, ": a read of [0:23, 0:10]: ");
    failing.wait();  // once is enough
    auto writing = array.write(part, on_device<float, 2>(std::vector<float>(27), {9, 3}, on));
    refuse([&] { writing.wait(); }, ": a write of [3:20:2, 1:10:4]: ");
    OwnedArray<float, 1, DeviceBuffer> points{{2}, on};
    auto scattered = array.read(Points{std::vector<Extents>{{1, 2}, {9, 3}}}, points);
    refuse([&] { scattered.wait(); }, ": a read of elements of the shape [2]: ");
    auto appending = array.append(on_device<float, 2>(std::vector<float>(10), {1, 10}, on));
    refuse([&] { appending.wait(); }, ": an append of [23:24, 0:10]: ");
    on.wait();
  }
  test::check_nothing_left();
}

TEST_CASE("an error of the device that is of no chunk names the array and the selection") {
  emulation::seed(15);
  std::size_t of_chunks = 0, of_the_array = 0;
  {
    DeviceQueue on{test::HostQueue{}};
    using ToDevice = Pipeline<space::Host, codec::Bytes, CastTo<space::Device>>;
    auto const array = made<ToDevice>(test::in_device_memory(), on);
    for (std::size_t k = 0; k < 60; ++k) {
      emulation::fail(k);
      try {
        array.write(part, std::vector<float>(27));
      } catch (DeviceError const& error) {
        std::string const line = error.what();
        CAPTURE(line);
        bool const is_of_chunk = line.find("key \"a/c/") != line.npos;
        bool const is_of_array = line.find("key \"a\": a write of [3:20:2, 1:10:4]: cuda") != line.npos;
        CHECK(is_of_chunk != is_of_array);
        of_chunks += is_of_chunk;
        of_the_array += is_of_array;
      }
      emulation::fail_nothing();
    }
  }
  CHECK(of_chunks > 0);
  CHECK(of_the_array > 0);
  test::check_nothing_left();
}
#endif

TEST_CASE("two queues that wait for each other's events") {
  under_seeds(32, [] {
    DeviceQueue first{test::HostQueue{}}, second{test::HostQueue{}};
    auto const store = test::in_device_memory();
    auto const array = made<test::OnDevice>(store, first);
    auto const source = on_device<float, 2>(elements, shape, first);
    array.on(first).write(all, source).detach();
    // The store orders its own values; memory is ordered by events.
    auto memory = array.on(second).read(all);
    first.after(second.record());
    array.on(first).write({{0, 12}, all}, ArrayView<float const, 2, space::Device>::c_order(memory.data() + 110, {12, 10}))
        .detach();
    OwnedArray<float, 2, DeviceBuffer> found{shape, second};
    array.on(second).read(all, found).detach();
    auto expected = elements;
    std::copy_n(elements.begin() + 110, 120, expected.begin());
    CHECK(on_host(found, second) == expected);
    second.after(first.record());  // before the memory is freed, in the order of its queue
  });
}

#if defined(TESSERA_CUDA_EMULATION)
TEST_CASE("a read that was waited for holds nothing of what a store lent: its memory goes with the store") {
  under_seeds(4, [] {
    DeviceQueue writer{test::HostQueue{}}, reader{test::HostQueue{}};
    OwnedArray<float, 2, DeviceBuffer> found{shape, reader};
    std::uint64_t held;
    {
      auto const store = test::in_device_memory();
      auto const array = made<test::OnDevice>(store, writer);
      array.write(all, on_device<float, 2>(elements, shape, writer)).wait();
      array.on(reader).read(all, found, ReadOptions{.mini_batch = 5}).wait();
      emulation::run_all();
      held = emulation::alive().allocations;
    }
    writer.wait();
    emulation::run_all();
    constexpr std::uint64_t chunks = 6 * 4;
    CHECK(emulation::alive().allocations == held - chunks);
    CHECK(on_host(found, reader) == elements);
  });
}
#endif

}  // namespace array_memory_tests
