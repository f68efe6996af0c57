// Loader of arrays in device memory: the elements, the order of streams, and what it costs.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <device/arrays.hpp>
#include <support/padded.hpp>
#include <support/random.hpp>
#include <support/random_boxes.hpp>
#include <support/reference.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/loader/loader.cuh>
#include <tessera/loader/zipped_loader.hpp>

namespace loader_in_device_memory_tests {

using namespace tessera;
using test::Compressed, test::DeviceQueue, test::on_device, test::on_host, test::Random, test::under_seeds;

namespace {

using Raw = Pipeline<space::Host, codec::Bytes>;
using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;

auto listed(std::vector<Box> boxes) {
  return [boxes = std::move(boxes), i = std::size_t{0}]() mutable -> std::optional<Box> {
    if (i == boxes.size()) return std::nullopt;
    return boxes[i++];
  };
}

/// An array of the host's codecs, read in device memory through `Device` and compared with reads on the host.
template <class Device, class Host, std::size_t Rank>
void check_loader(std::uint64_t seed, bool in_shards) {
  CAPTURE(seed);
  Random random{seed};
  NewArray<float> made{.shape = random.extents(Rank, 1, 40 / Rank), .fill = -1};
  made.chunks = random.extents(Rank, 1, 14 / Rank);
  if (in_shards) {
    made.shards = made.chunks;
    for (std::size_t d = 0; d < Rank; ++d) made.shards[d] *= random(1, 3);
  }
  MemoryStore<HostBuffer> const store;
  auto const here = create_array<float, Rank, Host>(store, "a", made);
  for (auto const& box : test::random_boxes(random, made.shape, 2))
    here.write(box, test::numbers_from(1.f, test::size_of(box.resolve(made.shape).count)));

  auto const array = open_array<float, Rank, Device>(store, "a", DeviceQueue{test::HostQueue{random(1, 3)}});
  auto const boxes = test::random_oriented_boxes(random, made.shape, random(1, 20));
  LoaderOptions options;
  options.batch = random(1, 5);
  options.ahead = random(1, 3);
  options.together = random(1, options.ahead);
  options.keep = static_cast<Keep>(random(0, 2));
  if (!random.one_in(3)) options.cache = random.one_in(3) ? 0 : random(0, 8 * array.size());
  options.horizon = random(1, 9);
  // Of every second batch the user is a queue of its own.
  DeviceQueue other{test::HostQueue{1}};
  auto loader = std::make_unique<Loader<float, Rank, MemoryStore<HostBuffer>, Device>>(array, boxes.sampler(), options);
  std::vector<typename Loader<float, Rank, MemoryStore<HostBuffer>, Device>::batch_type> held;
  std::size_t at = 0;
  for (;;) {
    auto& on = random.one_in(2) ? other : array.queue();
    auto batch = loader->next(on);
    if (!batch) break;
    std::vector<float> expected;
    auto const some = boxes.some(at, batch->boxes().size());
    for (auto const& box : some.boxes) {
      auto const one = here.read(box);
      expected.insert(expected.end(), one.begin(), one.end());
    }
    expected = some.turned(expected, made.shape);
    at += some.size();
    // Copied in the order of that queue, without a wait before the batch is given back; then overwritten.
    OwnedArray<float, Rank + 1, DeviceBuffer> copy{batch->shape(), on};
    ByteSpan<space::Device> const elements{reinterpret_cast<std::byte*>(batch->array().data()),
                                           static_cast<std::size_t>(batch->array().size()) * sizeof(float)};
    crossing<space::Device, space::Device>::copy(elements, {reinterpret_cast<std::byte*>(copy.data()), elements.size},
                                                 on);
    crossing<space::Device, space::Device>::copy({reinterpret_cast<std::byte const*>(copy.data()), elements.size / 2},
                                                 elements, on);
    if (random.one_in(4)) held.push_back(*std::move(batch));
    if (random.one_in(4)) held.clear();
    batch.reset();
    CHECK(on_host(copy, on) == expected);
  }
  CHECK(at == boxes.size());
  loader.reset();
}

}  // namespace

TEST_CASE("every box of every batch in device memory is what a read gives on the host") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    under_seeds(4, [&] {
      check_loader<test::FromHost, Raw, 1>(seed, false);
      check_loader<Compressed, Zstd, 2>(seed + 100, false);
      check_loader<test::Known, Zstd, 3>(seed + 200, true);
    });
}

TEST_CASE("every box of every batch of a padded array is what numpy.pad gives, in device memory") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    under_seeds(4, [&] {
      CAPTURE(seed);
      Random random{seed};
      NewArray<float> const made{.shape = random.extents(2, 1, 20), .chunks = random.extents(2, 1, 7), .fill = -1};
      MemoryStore<HostBuffer> const store;
      auto const elements = test::numbers_from(1.f, test::size_of(made.shape));
      create_array<float, 2, Zstd>(store, "a", made).write(all, elements);
      auto const array = open_array<float, 2, Compressed>(store, "a", DeviceQueue{test::HostQueue{random(1, 3)}});
      LoaderOptions options{.batch = random(1, 5), .ahead = random(1, 3)};
      options.cache = random.one_in(3) ? 0 : random(0, 8 * array.size());
      options.padding = test::random_padding(random, made.shape);
      auto const padded = options.padding.padded(made.shape);
      Loader loader{array, test::random_oriented_boxes(random, padded, random(1, 20)).sampler(), options};
      while (auto const batch = loader.next()) {
        test::OrientedBoxes drawn{{batch->boxes().begin(), batch->boxes().end()}};
        drawn.orientations = {batch->orientations().begin(), batch->orientations().end()};
        test::PaddedBoxes<float> const expected{elements, made.shape, made.chunks, options.padding, -1, drawn.boxes};
        CHECK(on_host(batch->array(), array.queue()) == drawn.turned(expected.elements, padded));
      }
    });
}

TEST_CASE("a zipped loader of arrays in device memory, and of one in host memory") {
  under_seeds(8, [] {
    MemoryStore<HostBuffer> const store;
    create_array<float, 3, Zstd>(store, "image", {.shape = {2, 12, 12}, .chunks = {1, 5, 5}})
        .write(all, test::numbers_from(0.f, 288));
    auto const here = create_array<int, 2, Zstd>(store, "labels", {.shape = {12, 12}, .chunks = {4, 4}});
    here.write(all, test::numbers_from(0, 144));
    DeviceQueue on{test::HostQueue{}};
    auto const image = open_array<float, 3, Compressed>(store, "image", on);
    auto const labels = open_array<int, 2, Compressed>(store, "labels", on);
    RandomOrientations const crops{UniformBoxes{{12, 12}, {5, 5}, {}, 9}, {.flip = {0, 1}, .permute = {0, 1}}};
    ZippedLoader loader{std::tie(image, labels, here), crops, {.batch = 4, .cache = 600}};
    std::size_t boxes = 0;
    while (auto const batches = loader.next()) {
      auto const& [of_image, of_labels, on_host_too] = *batches;
      auto const elements = on_host(of_image.array(), on);
      auto const classes = on_host(of_labels.array(), on);
      CHECK(std::ranges::equal(classes, on_host_too.array()));
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < classes.size(); ++i)
        for (std::size_t c = 0; c < 2; ++c)
          wrong +=
              elements[(i / 25 * 2 + c) * 25 + i % 25] != static_cast<float>(classes[i] + 144 * static_cast<int>(c));
      CHECK(wrong == 0);
      boxes += of_labels.boxes().size();
    }
    CHECK(boxes == 9);
  });
}

TEST_CASE("a loader of a store in device memory") {
  under_seeds(8, [] {
    auto const array =
        create_array<int, 2>(test::in_device_memory(), "a", {.shape = {6, 8}, .chunks = {3, 4}, .fill = 7},
                             test::OnDevice{}, DeviceQueue{test::HostQueue{}});
    array.write({{0, 6}, {0, 4}}, on_device<int, 2>(test::numbers_from(0, 24), {6, 4}, array.queue())).wait();
    std::vector<Box> const boxes{{{2, 4}, {3, 5}}, {{0, 6, 4}, {0, 6, 3}}, {{2, 4}, {3, 5}}};
    for (auto const keep : {Keep::decoded, Keep::stored}) {  // both in device memory
      Loader loader{array, listed(boxes), {.batch = 2, .cache = 500, .keep = keep}};
      CHECK(on_host(loader.next()->array(), array.queue()) == std::vector<int>{11, 7, 15, 7, 0, 3, 16, 19});
      CHECK(on_host(loader.next()->array(), array.queue()) == std::vector<int>{11, 7, 15, 7});
      CHECK(!loader.next());
      CHECK((loader.statistics().kept > 0) == (keep == Keep::stored));
      CHECK((loader.statistics().hits > 0) == (keep == Keep::decoded));
    }
  });
}

TEST_CASE("a damaged chunk in device memory: its batch throws, the next ones go on") {
  under_seeds(8, [] {
    MemoryStore<HostBuffer> const store;
    auto const array =
        create_array<int, 1>(store, "a", {.shape = {20}, .chunks = {6}}, Compressed{}, DeviceQueue{test::HostQueue{}});
    array.write(all, on_device<int, 1>(test::numbers_from(0, 20), {20}, array.queue())).wait();
    test::put(store, "a/c/1", "damaged");
    for (std::uint64_t const cache : {0u, 48u}) {
      Loader loader{array, listed({{{1, 4}}, {{5, 8}}, {{13, 16}}}), {.cache = cache, .on_error = OnError::go_on}};
      CHECK(on_host(loader.next()->array(), array.queue()) == std::vector<int>{1, 2, 3});
      test::check_refused<CodecError>([&] { (void)loader.next(); }, {"\"a/c/1\"", "zstd"});
      CHECK(on_host(loader.next()->array(), array.queue()) == std::vector<int>{13, 14, 15});
    }
  });
}

TEST_CASE("a loader is destroyed with work under way, before its batches and after") {
  under_seeds(16, [] {
    auto const array = create_array<int, 1>(MemoryStore<HostBuffer>{}, "a", {.shape = {20}, .chunks = {6}},
                                            Compressed{}, DeviceQueue{test::HostQueue{}});
    for (int taken = 0; taken < 4; ++taken) {
      auto loader = std::make_unique<Loader<int, 1, MemoryStore<HostBuffer>, Compressed>>(
          array, UniformBoxes{{20}, {3}}, LoaderOptions{.batch = 2, .cache = 48});
      for (int i = 0; i < taken; ++i) (void)loader->next();
      auto const kept = loader->next();
      loader.reset();
      CHECK(on_host(kept->array(), array.queue()) == std::vector<int>(6, 0));
    }
  });
}

#if defined(TESSERA_CUDA_EMULATION)

TEST_CASE("after the first batches, batches in device memory allocate nothing") {
  under_seeds(8, [] {
    auto const array = create_array<float, 2>(MemoryStore<HostBuffer>{}, "a", {.shape = {60, 60}, .chunks = {10, 10}},
                                              Compressed{}, DeviceQueue{test::HostQueue{}});
    array.write(all, on_device<float, 2>(test::numbers_from(0.f, 3600), {60, 60}, array.queue())).wait();
    // Two batches that take turns: scratch memory has its size after a few.
    std::vector<Box> boxes;
    for (UniformBoxes draw{{60, 60}, {20, 20}, {.seed = 3}, 16}; auto box = draw();) boxes.push_back(*std::move(box));
    for (std::uint64_t const cache : {0u, 4'000u, 20'000u}) {
      CAPTURE(cache);
      Loader loader{array,
                    [&, i = std::size_t{0}]() mutable { return std::optional{boxes[i++ % 16]}; },
                    {.batch = 8, .cache = cache}};
      {  // as much memory as batches in use at once: those ahead, one being read, one of the program
        std::vector<std::optional<decltype(loader)::batch_type>> held;
        for (int i = 0; i < 4; ++i) held.push_back(loader.next());
      }
      CHECK(test::comes_to_allocate_nothing([&] {
        for (int i = 0; i < 20; ++i) (void)loader.next();
      }));
    }
  });
}

#endif

}  // namespace loader_in_device_memory_tests
