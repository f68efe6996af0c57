// Memory of chunks in progress, on the device and page-locked, stays below the budget, however large the array is.
#include <device/arrays.hpp>
#include <device/held.hpp>
#include <support/refused.hpp>

using namespace tessera;
using test::DeviceQueue, test::peak_of, test::TemporaryFolder;

namespace {

constexpr std::uint64_t columns = 1 << 10;  // 4 KiB

template <class P, class S>
void check_budget(S const& store, std::uint64_t budget, std::uint64_t rows_of_chunk, std::uint64_t of_the_store = 0,
                  bool writes = true) {
  for (std::uint64_t const times : {4u, 40u}) {
    CAPTURE(times);
    CAPTURE(budget);
    CAPTURE(rows_of_chunk);
    DeviceQueue others{test::HostQueue{}};  // whose memory is not counted: source, destination, the store's values
    auto const rows = times * budget / columns / sizeof(float);
    auto const elements = test::numbers_from(1.f, rows * columns);
    auto memory = test::on_device<float, 2>(elements, {rows, columns}, others);
    auto const name = "a" + std::to_string(times);
    create_array<float, 2>(store, name, {.shape = {rows, columns}, .chunks = {rows_of_chunk, columns}}, P{},
                           others)
        .write(all, memory)
        .wait();
    // The first mini-batches have fewer stored chunks than the last.
    std::vector<float> expected = elements;
    auto& queue = queue_in<space_of<S>>(others);
    auto const chunks = rows / rows_of_chunk;
    for (std::uint64_t i = 0; i < chunks; ++i) {
      if (i % 8 < i * 8 / chunks) continue;
      chunks_of(store).erase({name + "/c/" + std::to_string(i) + "/0"}, queue);
      std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(i * rows_of_chunk * columns), rows_of_chunk * columns,
                  0.f);
    }
    for (std::size_t const threads : {1u, 3u}) {
      CAPTURE(threads);
      auto const reading = peak_of(threads, [&](DeviceQueue& on) {
        ReadOptions const options{.memory = budget};
        open_array<float, 2, P>(store, name, on).read(all, memory, options).wait();
      });
      bool const is_right = test::on_host(memory, others) == expected;
      CHECK(is_right);
      CHECK(reading <= budget + of_the_store);
      CHECK(reading >= std::min<std::uint64_t>(rows_of_chunk * columns, 1 << 14));
    }
    for (std::size_t const threads : {1u, 3u}) {
      if (!writes) continue;
      CAPTURE(threads);
      auto const writing = peak_of(threads, [&](DeviceQueue& on) {
        open_array<float, 2, P>(store, name, on).write(all, memory, WriteOptions{.memory = budget}).wait();
      });
      CHECK(writing <= budget + of_the_store);
      // Half of the chunks in part: their other elements are read first.
      Box const some{{3, rows - 3, 9}, {1, columns}};
      auto const updating = peak_of(threads, [&](DeviceQueue& on) {
        auto const array = open_array<float, 2, P>(store, name, on);
        auto const shape = some.resolve(array.shape()).count;
        ArrayView<float const, 2, space::Device> const view{memory.data(), {shape[0], shape[1]}, {9 * columns, 1}};
        array.on(on).write(some, view, WriteOptions{.memory = budget}).wait();
      });
      CHECK(updating <= budget + of_the_store);
    }
  }
}

}  // namespace

TEST_CASE("a budget of memory: arrays of four and of forty times its size, behind the host's codecs") {
  for (std::uint64_t const rows_of_chunk : {1u, 4u, 16u})
    check_budget<test::Compressed>(MemoryStore<HostBuffer>{}, 1 << 20, rows_of_chunk);
  check_budget<test::Compressed>(MemoryStore<HostBuffer>{}, 5 << 18, 16);
}

TEST_CASE("a budget of memory: files of elements, and values in device memory") {
  TemporaryFolder const folder;
  check_budget<test::FromHost>(LocalStore<HostBuffer>{folder / "host"}, 1 << 20, 2);
  // A store of files has blocks of its own that values pass through.
  check_budget<test::OnDevice>(test::files_of_the_device(folder / "device"), 1 << 20, 8, 6 * detail::bounce_block);
  check_budget<test::OnDevice>(test::in_device_memory(), 1 << 20, 1, 0, false);
}

TEST_CASE(
    "a budget of memory: mini-batches of which more and more is there, and of which more and more is no fill value") {
  constexpr std::uint64_t batches = 16, chunk = 1 << 14, budget = 6 << 20;  // elements; bytes
  MemoryStore<HostBuffer> const store;
  DeviceQueue others{test::HostQueue{}};
  // Mini-batch i has that many chunks that differ from the fill value, and are stored.
  std::vector<float> elements(batches * batches * chunk);
  for (std::size_t i = 0; i < elements.size(); ++i)
    if (auto const at = i / chunk; at % batches <= at / batches) elements[i] = static_cast<float>(i);
  auto memory = test::on_device<float, 1>(elements, {elements.size()}, others);
  create_array<float, 1>(store, "a", {.shape = {elements.size()}, .chunks = {chunk}}, test::Compressed{}, others)
      .write(all, memory)
      .wait();
  auto const opened = [&](DeviceQueue& on) { return open_array<float, 1, test::Compressed>(store, "a", on); };
  auto const known = [&](DeviceQueue& on) { return open_array<float, 1, test::Known>(store, "a", on); };
  auto const check = [&](auto const& open) {
    auto const reading = peak_of(1, [&](DeviceQueue& on) {
      ReadOptions const options{.mini_batch = batches, .in_flight = 1, .memory = budget};
      open(on).read(all, memory, options).wait();
    });
    CHECK(reading <= budget);
    CHECK(reading >= 2 * batches * chunk * sizeof(float));
    auto const writing = peak_of(1, [&](DeviceQueue& on) {
      WriteOptions const options{.mini_batch = batches, .in_flight = 1, .memory = budget};
      open(on).write(all, memory, options).wait();
    });
    CHECK(writing <= budget);
    CHECK(writing >= 2 * batches * chunk * sizeof(float));
  };
  check(opened);
  check(known);
  bool const is_right = test::on_host(memory, others) == elements;
  CHECK(is_right);
}

TEST_CASE("a budget of memory that no chunk fits into is refused before anything is read") {
  DeviceQueue on{test::HostQueue{}};
  MemoryStore<HostBuffer> const store;
  auto const array =
      create_array<float, 1>(store, "a", {.shape = {1 << 15}, .chunks = {1 << 14}}, test::Compressed{}, on);
  auto const check = [&](auto&& f) {
    test::check_refused<BudgetError>(f, {"a chunk takes", "expected at most the budget of 100000"});
  };
  check([&] { array.read(all, ReadOptions{.memory = 100'000}); });
  auto const memory = array.read(all);
  check([&] { array.write(all, memory, WriteOptions{.memory = 100'000}).wait(); });
}
