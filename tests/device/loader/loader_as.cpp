// loader_as of arrays in device memory: the elements, numbers that do not fit, and what it costs.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <device/arrays.hpp>
#include <support/converted_boxes.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/array/convert.cuh>
#include <tessera/loader/loader.cuh>
#include <tessera/loader/loader.hpp>

namespace loader_as_in_device_memory_tests {

using namespace tessera;
using test::Compressed, test::DeviceQueue, test::on_device, test::on_host, test::Random, test::under_seeds;

namespace {

using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;

auto listed(std::vector<Box> boxes) {
  return [boxes = std::move(boxes), i = std::size_t{0}]() mutable -> std::optional<Box> {
    if (i == boxes.size()) return std::nullopt;
    return boxes[i++];
  };
}

template <class Program, class T, class Device, std::size_t Rank>
void check_loader(std::uint64_t seed, bool in_shards) {
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
  auto const here = create_array<T, Rank, Zstd>(store, "a", made);
  for (auto const& box : test::random_boxes(random, made.shape, 2))
    here.write(box, how.numbers(random, test::size_of(box.resolve(made.shape).count)));
  auto const whole = here.read(all);
  std::vector<T> const in_array(whole.begin(), whole.end());
  how.choose_missing(random, in_array);
  CAPTURE(how.text());

  auto const array = open_array<T, Rank, Device>(store, "a", DeviceQueue{test::HostQueue{random(1, 3)}});
  LoaderOptions options{.batch = random(1, 5), .ahead = random(1, 3), .horizon = random(1, 9)};
  options.on_error = OnError::go_on;
  if (!random.one_in(3)) options.cache = random.one_in(3) ? 0 : random(0, 2 * array.size() * sizeof(T));
  auto value = made.fill;
  if (!random.one_in(3)) options.padding = test::random_padding(random, made.shape);
  if (random.one_in(2)) options.padding.value = value = how.number(random);
  how.choose_by_index(random, made.shape, options.padding);
  auto const padded = options.padding.padded(made.shape);
  auto const boxes = test::random_oriented_boxes(random, padded, random(1, 20));
  auto loader = loader_as<Program>(array, boxes.sampler(), how.conversion, options);
  for (std::size_t at = 0; at < boxes.size(); at += options.batch) {
    auto const count = std::min(options.batch, boxes.size() - at);
    auto const some = boxes.some(at, count);
    test::PaddedBoxes<T> const given{in_array, made.shape, inner, options.padding, value, some.boxes};
    auto const shape = some.shape_of_all(padded);
    test::ConvertedBoxes<Program> const expected{some.turned(given.elements, padded), shape, how,
                                                 how.indices(some, made.shape, options.padding)};
    expected.check([&] {
      auto const batch = loader.next();
      REQUIRE(batch);
      CHECK(batch->shape() == shape);
      CHECK(expected.wrong(on_host(batch->array(), array.queue())) == 0);
    });
  }
  CHECK(!loader.next());
}

}  // namespace

TEST_CASE("every element of every batch in device memory in numbers of another type") {
  for (std::uint64_t seed = 1; seed <= 15; ++seed)
    under_seeds(3, [&] {
      check_loader<float, std::uint8_t, Compressed, 1>(seed, false);
      check_loader<float, std::uint16_t, Compressed, 2>(seed + 100, false);
      check_loader<std::uint8_t, std::int16_t, test::Known, 2>(seed + 200, true);
    });
}

TEST_CASE("a number that does not fit, in device memory: its batch throws and names it") {
  under_seeds(8, [] {
    auto const array = create_array<int, 1>(MemoryStore<HostBuffer>{}, "a", {.shape = {20}, .chunks = {6}},
                                            Compressed{}, DeviceQueue{test::HostQueue{}});
    array.write(all, on_device<int, 1>(test::numbers_from(240, 20), {20}, array.queue())).wait();
    for (std::uint64_t const cache : {0u, 48u}) {
      LoaderOptions const options{.cache = cache, .on_error = OnError::go_on};
      auto loader = loader_as<std::uint8_t>(array, listed({{{1, 4}}, {{14, 17}}, {{12, 15}}}), {}, options);
      CHECK(on_host(loader.next()->array(), array.queue()) == std::vector<std::uint8_t>{241, 242, 243});
      test::check_refused<ConversionError>([&] { (void)loader.next(); }, {"\"a\": element [2] of box 0 is 256"});
      CHECK(on_host(loader.next()->array(), array.queue()) == std::vector<std::uint8_t>{252, 253, 254});
    }
  });
}

#if defined(TESSERA_CUDA_EMULATION)

TEST_CASE("after the first batches, converted batches in device memory allocate nothing, and wait only to refuse") {
  under_seeds(8, [] {
    auto const array =
        create_array<std::uint16_t, 2>(MemoryStore<HostBuffer>{}, "a", {.shape = {60, 60}, .chunks = {10, 10}},
                                       Compressed{}, DeviceQueue{test::HostQueue{}});
    auto const numbers = test::numbers_from<std::uint16_t>(0, 3600);
    array.write(all, on_device<std::uint16_t, 2>(numbers, {60, 60}, array.queue())).wait();
    std::vector<Box> boxes;
    for (UniformBoxes draw{{60, 60}, {20, 20}, {.seed = 3}, 16}; auto box = draw();) boxes.push_back(*std::move(box));
    auto const check = [&](auto loader, bool waits) {
      {  // as much memory as batches in use at once: those ahead, one being read, one of the program
        std::vector<std::optional<typename decltype(loader)::batch_type>> held;
        for (int i = 0; i < 4; ++i) held.push_back(loader.next());
      }
      auto const read = [&] {
        for (int i = 0; i < 20; ++i) (void)loader.next();
      };
      CHECK(test::comes_to_allocate_nothing(read));
      emulation::Watch const watch;
      read();
      CHECK(watch.synchronisations() == 0);
      CHECK((watch.count("cudaEventSynchronize") > 0) == waits);
    };
    auto const draw = [&, i = std::size_t{0}]() mutable { return std::optional{boxes[i++ % 16]}; };
    for (std::uint64_t const cache : {0u, 2'000u, 10'000u}) {
      CAPTURE(cache);
      LoaderOptions const options{.batch = 8, .cache = cache};
      check(loader_as<float>(array, draw, {.scale = 0.5}, options), false);
      check(loader_as<std::int16_t>(array, draw, {}, options), true);
      check(loader_as<std::int16_t>(array, draw, {.out_of_range = OutOfRange::saturate}, options), false);
    }
  });
}

#endif

}  // namespace loader_as_in_device_memory_tests
