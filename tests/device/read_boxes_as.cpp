// read_boxes_as into device memory, compared with elements that are padded and converted alone, and what it costs.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <device/arrays.hpp>
#include <support/converted_boxes.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/array/convert.cuh>
#include <tessera/array/read_boxes.hpp>

namespace read_boxes_as_in_device_memory_tests {

using namespace tessera;
using test::Compressed, test::DeviceQueue, test::on_device, test::on_host, test::Random, test::under_seeds;

namespace {

using Raw = Pipeline<space::Host, codec::Bytes>;
using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;

/// An array of the host's codecs, read in device memory through `Device`.
template <class Program, class T, class Device, class Host, std::size_t Rank>
void check_array(std::uint64_t seed, Host const& codecs, bool in_shards) {
  CAPTURE(seed);
  Random random{seed};
  test::RandomConversion<Program, T> how{random};
  NewArray<T> made{.shape = random.extents(Rank, 1, 30 / Rank), .fill = how.number(random)};
  made.chunks = random.extents(Rank, 1, 14 / Rank);
  auto const inner = made.chunks;
  if (in_shards) {
    made.shards = made.chunks;
    for (std::size_t d = 0; d < Rank; ++d) made.shards[d] *= random(1, 3);
  }
  MemoryStore<HostBuffer> const store;
  auto const here = create_array<T, Rank>(store, "a", made, codecs);
  for (auto const& box : test::random_boxes(random, made.shape, 2))
    here.write(box, how.numbers(random, test::size_of(box.resolve(made.shape).count)));
  auto const whole = here.read(all);
  std::vector<T> const in_array(whole.begin(), whole.end());
  how.choose_missing(random, in_array);
  CAPTURE(how.text());

  DeviceQueue on{test::HostQueue{random(1, 3)}};
  auto const array = open_array<T, Rank, Device>(store, "a", on);
  for (int round = 0; round < 3; ++round) {
    auto padding = test::random_padding(random, made.shape);
    auto value = made.fill;
    if (random.one_in(2)) padding.value = value = how.number(random);
    if (random.one_in(3)) padding = {};
    how.choose_by_index(random, made.shape, padding);
    auto const padded = padding.padded(made.shape);
    auto const turned = test::random_oriented_boxes(random, padded, random(1, 6));
    auto const boxes = turned.list();
    test::PaddedBoxes<T> const given{in_array, made.shape, inner, padding, value, turned.boxes};
    auto const shape = turned.shape_of_all(padded);
    test::ConvertedBoxes<Program> const expected{turned.turned(given.elements, padded), shape, how,
                                                 how.indices(turned, made.shape, padding)};
    Traffic traffic;
    ReadOptions const options{.mini_batch = random(0, 3), .in_flight = random(0, 2), .traffic = &traffic};
    expected.check([&] {
      auto const there = read_boxes_as<Program>(array, boxes, how.conversion, padding, options);
      static_assert(std::same_as<decltype(there), OwnedArray<Program, Rank + 1, DeviceBuffer> const>);
      CHECK(expected.wrong(on_host(there, on)) == 0);
    });
    CHECK(traffic.chunks == given.chunks.size());

    // Each box in memory of its own, which the wait reads again after a misfit.
    std::vector<OwnedArray<Program, Rank, DeviceBuffer>> memories;
    for (std::size_t i = 0; i < boxes.size(); ++i) memories.emplace_back(turned.shape(i, padded), on);
    expected.check([&] {
      read_boxes_as(array, boxes, memories, how.conversion, padding, options).wait();
      std::vector<Program> each;
      for (auto const& memory : memories)
        for (auto const number : on_host(memory, on)) each.push_back(number);
      CHECK(expected.wrong(each) == 0);
    });

    // The boxes are the last dimension, from the last box to the first.
    if (expected.elements.empty()) continue;
    auto memory = on_device<Program, Rank + 1>(std::vector<Program>(expected.elements.size()), shape, on);
    std::int64_t const n = static_cast<std::int64_t>(boxes.size());
    auto view = memory.view();
    for (std::size_t d = 1; d <= Rank; ++d) view.strides[d] *= n;
    view.data += n - 1;
    view.strides[0] = -1;
    expected.check([&] { read_boxes_as(array, boxes, view, how.conversion, padding, options).wait(); });
    if (!expected.refused.empty()) continue;
    auto const found = on_host(memory, on);
    std::vector<Program> in_order;
    auto const size = found.size() / boxes.size();
    for (std::size_t i = 0; i < found.size(); ++i)
      in_order.push_back(found[i % size * boxes.size() + boxes.size() - 1 - i / size]);
    CHECK(expected.wrong(in_order) == 0);
  }
}

}  // namespace

TEST_CASE("boxes in device memory in numbers of another type, with and without padding") {
  codec::Bytes const swapped{std::endian::big};
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    under_seeds(3, [&] {
      check_array<float, std::uint8_t, Compressed, Zstd, 1>(seed, {}, false);
      check_array<float, std::uint16_t, test::FromHost, Raw, 2>(seed + 100, Raw{swapped}, false);
      check_array<float16, float, Compressed, Zstd, 3>(seed + 200, Zstd{swapped, {}}, false);
      check_array<std::uint8_t, std::int16_t, test::Known, Zstd, 2>(seed + 300, {}, true);
      check_array<double, std::int64_t, Compressed, Zstd, 2>(seed + 400, {}, false);
    });
}

TEST_CASE("boxes of an array in device memory in other numbers, in memory that the host can touch") {
  under_seeds(8, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const array =
        create_array<int, 1>(MemoryStore<HostBuffer>{}, "a", {.shape = {20}, .chunks = {6}}, Compressed{}, on);
    array.write(all, on_device<int, 1>(test::numbers_from(0, 20), {20}, on)).wait();
    std::vector<Box> const boxes{{{4, 8}}, {{16, 20}}};
    std::vector<float> const expected{2, 2.5, 3, 3.5, 8, 8.5, 9, 9.5};
    OwnedArray<float, 2, PinnedBuffer> pinned{{2, 4}, queue_in<space::Pinned>(on)};
    read_boxes_as(array, boxes, pinned, {.scale = 0.5}).wait();
    CHECK(std::ranges::equal(pinned.elements(), expected));
    OwnedArray<float, 2, ManagedBuffer> managed{{2, 4}, queue_in<space::Managed>(on)};
    read_boxes_as(array, boxes, managed, {.scale = 0.5}).wait();
    CHECK(std::ranges::equal(managed.elements(), expected));
  });
}

TEST_CASE("a number that does not fit is reported by wait(), and a dropped wait drops it") {
  under_seeds(8, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const array = create_array<int, 1>(MemoryStore<HostBuffer>{}, "a", {.shape = {20}, .chunks = {6}, .fill = 500},
                                            Compressed{}, on);
    array.write({{0, 12}}, on_device<int, 1>(test::numbers_from(250, 12), {12}, on)).wait();
    auto memory = on_device<std::uint8_t, 2>(std::vector<std::uint8_t>(8), {2, 4}, on);
    std::vector<Box> const boxes{{{1, 5}}, {{4, 8}}}, fill{{{1, 5}}, {{9, 13}}}, fit{{{1, 5}}, {{0, 4}}};
    auto pending = read_boxes_as(array, boxes, memory);
    test::check_refused<ConversionError>([&] { pending.wait(); }, {"\"a\": element [2] of box 1 is 256"});
    test::check_refused<ConversionError>([&] { (void)read_boxes_as<std::uint8_t>(array, fill); },
                                         {"element [0] of box 1 is 259"});
    read_boxes_as(array, fill, memory).detach();
    read_boxes_as(array, fit, memory).wait();
    CHECK(on_host(memory, on) == std::vector<std::uint8_t>{251, 252, 253, 254, 250, 251, 252, 253});
    Padding const padding{.before = {2}, .value = 300};
    std::vector<Box> const beyond{{{2, 6}}, {{1, 5}}};
    test::check_refused<ConversionError>([&] { read_boxes_as(array, beyond, memory, {}, padding).wait(); },
                                         {"element [0] of box 1 is 300"});
    auto const nearest = read_boxes_as<std::uint8_t>(array, fill, {.out_of_range = OutOfRange::saturate});
    CHECK(on_host(nearest, on) == std::vector<std::uint8_t>{251, 252, 253, 254, 255, 255, 255, 255});
  });
}

#if defined(TESSERA_CUDA_EMULATION)

TEST_CASE("a mini-batch of converted boxes: one copy of the chunks, one launch, nothing waits or is allocated again") {
  under_seeds(8, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const array = create_array<std::uint16_t, 2>(MemoryStore<HostBuffer>{}, "a",
                                                      {.shape = {60, 60}, .chunks = {10, 10}}, Compressed{}, on);
    array.write(all, on_device<std::uint16_t, 2>(test::numbers_from<std::uint16_t>(0, 3600), {60, 60}, on)).wait();
    std::vector<Box> boxes;
    for (std::uint64_t i = 0; i < 30; ++i) {
      auto const row = i * 7 % 40, column = i * 11 % 40;
      boxes.push_back({{row, row + 20}, {column, column + 20}});
    }
    OwnedArray<float, 3, DeviceBuffer> memory{{30, 20, 20}, on};
    ReadOptions const options{.mini_batch = every_chunk, .in_flight = 1};
    auto const read = [&] { return read_boxes_as(array, boxes, memory, {.scale = 0.5}, options); };
    for (int i = 0; i < 3; ++i) read().wait();
    emulation::Watch const watch;
    auto pending = read();
    CHECK(watch.synchronisations() == 0);
    CHECK(watch.launches() == 1);
    CHECK(test::copies(watch) == 2);  // the chunks, and the table of placements
    CHECK(test::allocations(watch) == 0);
    pending.wait();
  });
}

#endif

}  // namespace read_boxes_as_in_device_memory_tests
