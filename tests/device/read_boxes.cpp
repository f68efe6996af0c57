// read_boxes into device memory, and what it costs there.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <device/arrays.hpp>
#include <support/padded.hpp>
#include <support/random.hpp>
#include <support/random_boxes.hpp>
#include <support/reference.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/array/read_boxes.hpp>

namespace read_boxes_in_device_memory_tests {

using namespace tessera;
using test::Compressed, test::DeviceQueue, test::on_device, test::on_host, test::Random, test::under_seeds;

namespace {

using Raw = Pipeline<space::Host, codec::Bytes>;
using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;

/// Arrays of the host's codecs, each read in device memory through `Device` and compared with reads on the host.
template <class Device, class Host, std::size_t Rank>
void check_boxes(std::uint64_t seed, ZarrFormat format, bool in_shards) {
  CAPTURE(seed);
  Random random{seed};
  NewArray<float> made{.shape = random.extents(Rank, 1, 40 / Rank), .fill = -1, .format = format};
  made.chunks = random.extents(Rank, 1, 14 / Rank);
  if (in_shards) {
    made.shards = made.chunks;
    for (std::size_t d = 0; d < Rank; ++d) made.shards[d] *= random(1, 3);
  }
  MemoryStore<HostBuffer> const store;
  auto const here = create_array<float, Rank, Host>(store, "a", made);
  for (auto const& box : test::random_boxes(random, made.shape, 2))
    here.write(box, test::numbers_from(1.f, test::size_of(box.resolve(made.shape).count)));

  DeviceQueue on{test::HostQueue{random(1, 3)}};
  auto const array = open_array<float, Rank, Device>(store, "a", on);
  for (int round = 0; round < 3; ++round) {
    auto const drawn = test::random_oriented_boxes(random, made.shape, random(1, 8));
    auto const boxes = drawn.list();
    std::vector<float> expected;
    for (auto const& box : drawn.boxes) {
      auto const one = here.read(box);
      expected.insert(expected.end(), one.begin(), one.end());
    }
    expected = drawn.turned(expected, made.shape);
    ReadOptions const options{.mini_batch = random(0, 3), .in_flight = random(0, 2)};
    auto const there = read_boxes(array, boxes, options);
    static_assert(std::same_as<decltype(there), OwnedArray<float, Rank + 1, DeviceBuffer> const>);
    CHECK(on_host(there, on) == expected);

    auto memory = on_device<float, Rank + 1>(std::vector<float>(expected.size()), there.shape(), on);
    read_boxes(array, boxes, memory, options).wait();
    CHECK(on_host(memory, on) == expected);

    auto const mixed = test::random_boxes_of_any_shape(random, made.shape, random(0, 6));
    std::vector<OwnedArray<float, Rank, DeviceBuffer>> memories;
    for (std::size_t i = 0; i < mixed.size(); ++i) memories.emplace_back(mixed.shape(i, made.shape), on);
    read_boxes(array, mixed.list(), memories, options).wait();
    for (std::size_t i = 0; i < mixed.size(); ++i) {
      auto const one = mixed.some(i, 1);
      auto const alone = here.read(one.boxes[0]);
      CHECK(on_host(memories[i], on) == one.turned(std::vector<float>(alone.begin(), alone.end()), made.shape));
    }

    // The boxes are the last dimension, from the last box to the first.
    if (expected.empty()) continue;
    std::int64_t const n = static_cast<std::int64_t>(boxes.size());
    auto view = memory.view();
    for (std::size_t d = 1; d <= Rank; ++d) view.strides[d] *= n;
    view.data += n - 1;
    view.strides[0] = -1;
    read_boxes(array, boxes, view, options).wait();
    auto const found = on_host(memory, on);
    std::size_t wrong = 0;
    auto const size = expected.size() / boxes.size();
    for (std::size_t i = 0; i < expected.size(); ++i)
      wrong += found[i % size * boxes.size() + boxes.size() - 1 - i / size] != expected[i];
    CHECK(wrong == 0);
  }
}

/// The same arrays with padding, compared element by element with what numpy.pad defines.
template <class Device, class Host, std::size_t Rank>
void check_padding(std::uint64_t seed, bool in_shards) {
  CAPTURE(seed);
  Random random{seed};
  NewArray<float> made{.shape = random.extents(Rank, 1, 30 / Rank), .fill = -1};
  made.chunks = random.extents(Rank, 1, 14 / Rank);
  auto const inner = made.chunks;
  if (in_shards) {
    made.shards = made.chunks;
    for (std::size_t d = 0; d < Rank; ++d) made.shards[d] *= random(1, 3);
  }
  MemoryStore<HostBuffer> const store;
  auto const here = create_array<float, Rank, Host>(store, "a", made);
  for (auto const& box : test::random_boxes(random, made.shape, 2))
    here.write(box, test::numbers_from(1.f, test::size_of(box.resolve(made.shape).count)));
  auto const whole = here.read(all);
  std::vector<float> const in_array(whole.begin(), whole.end());

  DeviceQueue on{test::HostQueue{random(1, 3)}};
  auto const array = open_array<float, Rank, Device>(store, "a", on);
  for (int round = 0; round < 3; ++round) {
    auto padding = test::random_padding(random, made.shape);
    auto const value = random.one_in(2) ? 2.5f : -1.f;
    if (value > 0) padding.value = 2.5;
    auto const padded = padding.padded(made.shape);
    auto const drawn = test::random_oriented_boxes(random, padded, random(1, 6));
    auto const boxes = drawn.list();
    test::PaddedBoxes<float> expected{in_array, made.shape, inner, padding, value, drawn.boxes};
    expected.elements = drawn.turned(expected.elements, padded);
    Traffic traffic;
    ReadOptions const options{.mini_batch = random(0, 3), .in_flight = random(0, 2), .traffic = &traffic};
    auto const there = read_boxes(array, boxes, padding, options);
    CHECK(on_host(there, on) == expected.elements);
    CHECK(traffic.chunks == expected.chunks.size());
    CHECK(std::ranges::equal(read_boxes<HostBuffer>(array, boxes, padding, options), expected.elements));

    auto const mixed = test::random_boxes_of_any_shape(random, padded, random(0, 6));
    std::vector<OwnedArray<float, Rank, DeviceBuffer>> memories;
    for (std::size_t i = 0; i < mixed.size(); ++i) memories.emplace_back(mixed.shape(i, padded), on);
    read_boxes(array, mixed.list(), memories, padding, options).wait();
    for (std::size_t i = 0; i < mixed.size(); ++i) {
      auto const one = mixed.some(i, 1);
      test::PaddedBoxes<float> const alone{in_array, made.shape, inner, padding, value, one.boxes};
      CHECK(on_host(memories[i], on) == one.turned(alone.elements, padded));
    }

    // The boxes are the last dimension, from the last box to the first.
    if (expected.elements.empty()) continue;
    auto memory = on_device<float, Rank + 1>(std::vector<float>(expected.elements.size()), there.shape(), on);
    std::int64_t const n = static_cast<std::int64_t>(boxes.size());
    auto view = memory.view();
    for (std::size_t d = 1; d <= Rank; ++d) view.strides[d] *= n;
    view.data += n - 1;
    view.strides[0] = -1;
    read_boxes(array, boxes, view, padding, options).wait();
    auto const found = on_host(memory, on);
    std::size_t wrong = 0;
    auto const size = expected.elements.size() / boxes.size();
    for (std::size_t i = 0; i < found.size(); ++i)
      wrong += found[i % size * boxes.size() + boxes.size() - 1 - i / size] != expected.elements[i];
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("boxes of a padded array, in device memory, are what numpy.pad gives") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    under_seeds(4, [&] {
      check_padding<test::FromHost, Raw, 1>(seed, false);
      check_padding<Compressed, Zstd, 2>(seed + 100, false);
      check_padding<test::Known, Zstd, 3>(seed + 200, true);
      check_padding<Compressed, Zstd, 4>(seed + 300, false);
    });
}

TEST_CASE("boxes in one call, in device memory, are what a read of each gives on the host") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    under_seeds(4, [&] {
      check_boxes<test::FromHost, Raw, 1>(seed, ZarrFormat::v3, false);
      check_boxes<Compressed, Zstd, 2>(seed + 100, ZarrFormat::v3, false);
      check_boxes<Compressed, Zstd, 3>(seed + 200, ZarrFormat::v2, false);
      check_boxes<test::Known, Zstd, 3>(seed + 300, ZarrFormat::v3, true);
      check_boxes<test::Known, Raw, 2>(seed + 400, ZarrFormat::v3, true);
    });
}

TEST_CASE("boxes of a store in device memory") {
  under_seeds(8, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const array = create_array<int, 2>(test::in_device_memory(), "a",
                                            {.shape = {6, 8}, .chunks = {3, 4}, .fill = 7}, test::OnDevice{}, on);
    array.write({{0, 6}, {0, 4}}, on_device<int, 2>(test::numbers_from(0, 24), {6, 4}, on)).wait();
    std::vector<Box> const boxes{{{2, 4}, {3, 5}}, {{0, 6, 4}, {0, 6, 3}}};
    CHECK(on_host(read_boxes(array, boxes), on) == std::vector<int>{11, 7, 15, 7, 0, 3, 16, 19});
  });
}

TEST_CASE("boxes of an array in device memory, in memory that the host can touch") {
  under_seeds(8, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const array = create_array<int, 1>(MemoryStore<HostBuffer>{}, "a", {.shape = {20}, .chunks = {6}},
                                            Compressed{}, on);
    array.write(all, on_device<int, 1>(test::numbers_from(0, 20), {20}, on)).wait();
    std::vector<Box> const boxes{{{4, 8}}, {{16, 20}}, {{5, 9}}};
    std::vector<int> const expected{4, 5, 6, 7, 16, 17, 18, 19, 5, 6, 7, 8};
    CHECK(std::ranges::equal(read_boxes<PinnedBuffer>(array, boxes), expected));
    CHECK(std::ranges::equal(read_boxes<ManagedBuffer>(array, boxes), expected));
    CHECK(std::ranges::equal(read_boxes<HostBuffer>(array, boxes), expected));
    OwnedArray<int, 2, PinnedBuffer> memory{{3, 4}, queue_in<space::Pinned>(on)};
    read_boxes(array, boxes, memory).wait();
    CHECK(std::ranges::equal(memory.elements(), expected));
    std::vector<Box> const none;
    CHECK(read_boxes(array, none).shape() == Extents{0, 0});
  });
}

TEST_CASE("a damaged chunk is named, and the next call into device memory reads on") {
  under_seeds(8, [] {
    DeviceQueue on{test::HostQueue{}};
    MemoryStore<HostBuffer> const store;
    auto const array = create_array<int, 1>(store, "a", {.shape = {20}, .chunks = {6}}, Compressed{}, on);
    array.write(all, on_device<int, 1>(test::numbers_from(0, 20), {20}, on)).wait();
    std::vector<Box> const boxes{{{4, 8}}, {{16, 20}}, {{5, 9}}};
    auto const good = test::value(store, "a/c/1");
    test::put(store, "a/c/1", "damaged");
    test::check_refused<CodecError>([&] { (void)read_boxes(array, boxes); }, {"\"a/c/1\"", "zstd"});
    test::put(store, "a/c/1", good);
    CHECK(on_host(read_boxes(array, boxes), on) == std::vector<int>{4, 5, 6, 7, 16, 17, 18, 19, 5, 6, 7, 8});
  });
}

#if defined(TESSERA_CUDA_EMULATION)

TEST_CASE("a mini-batch of boxes in device memory: a copy of the chunks, a launch, and nothing is allocated again") {
  under_seeds(8, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const array = create_array<float, 2>(MemoryStore<HostBuffer>{}, "a", {.shape = {60, 60}, .chunks = {10, 10}},
                                              Compressed{}, on);
    array.write(all, on_device<float, 2>(test::numbers_from(0.f, 3600), {60, 60}, on)).wait();
    std::vector<Box> boxes;
    for (std::uint64_t i = 0; i < 30; ++i) {
      auto const row = i * 7 % 40, column = i * 11 % 40;
      boxes.push_back({{row, row + 20}, {column, column + 20}});
    }
    OwnedArray<float, 3, DeviceBuffer> memory{{30, 20, 20}, on};
    ReadOptions const options{.mini_batch = every_chunk, .in_flight = 1};
    auto const read = [&] { read_boxes(array, boxes, memory, options).wait(); };
    read();
    emulation::Watch const watch;
    read();
    CHECK(watch.launches() == 1);
    CHECK(test::copies(watch) == 2);  // the chunks, and the table of placements
    CHECK(watch.synchronisations() == 0);
    CHECK(test::allocations(watch) == 0);

    // Turned boxes: a launch for each orientation. Boxes in memory of their own, of one shape: one launch.
    std::vector<Orientation> turned(30);
    for (std::size_t i = 0; i < 30; ++i) {
      if (i % 2 == 1) turned[i].flip = {1};
      if (i % 3 == 1) turned[i].axes = {1, 0};
    }
    std::vector<ArrayView<float, 2, space::Device>> views;
    for (std::size_t i = 0; i < 30; ++i)
      views.push_back(ArrayView<float, 2, space::Device>::c_order(memory.data() + 400 * i, {20, 20}));
    auto const check = [&](auto const& again, std::size_t launches) {
      for (int i = 0; i < 2; ++i) again();
      emulation::Watch const other;
      again();
      CHECK(other.launches() == launches);
      CHECK(test::copies(other) == 1 + launches);
      CHECK(test::allocations(other) == 0);
    };
    check([&] { read_boxes(array, {boxes, turned}, memory, options).wait(); }, 4);
    check([&] { read_boxes(array, boxes, views, options).wait(); }, 1);
  });
}

TEST_CASE("boxes with padding in device memory: a launch for each way to mirror, and nothing waits or is allocated") {
  under_seeds(8, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const array = create_array<float, 2>(MemoryStore<HostBuffer>{}, "a", {.shape = {60, 60}, .chunks = {10, 10}},
                                              Compressed{}, on);
    array.write(all, on_device<float, 2>(test::numbers_from(0.f, 3600), {60, 60}, on)).wait();
    std::vector<Box> boxes;
    for (std::uint64_t i = 0; i < 30; ++i) {
      auto const row = i * 7 % 60, column = i * 11 % 60;
      boxes.push_back({{row, row + 20}, {column, column + 20}});
    }
    OwnedArray<float, 3, DeviceBuffer> memory{{30, 20, 20}, on};
    ReadOptions const options{.mini_batch = every_chunk, .in_flight = 1};
    // The padding is one launch more. Along each dimension elements are as in the array, and repeated or mirrored.
    for (auto const& of_mode : {std::pair{PaddingMode::constant, 2u}, std::pair{PaddingMode::edge, 4u},
                                std::pair{PaddingMode::reflect, 4u}}) {
      CAPTURE(of_mode.second);
      Padding const padding{.before = {10, 10}, .after = {10, 10}, .mode = of_mode.first};
      for (int i = 0; i < 3; ++i) read_boxes(array, boxes, memory, padding, options).wait();
      emulation::Watch const watch;
      auto pending = read_boxes(array, boxes, memory, padding, options);
      CHECK(watch.synchronisations() == 0);
      CHECK(watch.launches() == of_mode.second);
      CHECK(test::allocations(watch) == 0);
      pending.wait();
    }
  });
}

#endif

}  // namespace read_boxes_in_device_memory_tests
