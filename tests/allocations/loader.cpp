// After the first batches, a Loader allocates the boxes, and nothing else.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/allocations.hpp>
#include <support/brain.hpp>
#include <tessera/loader/loader.hpp>
#include <tessera/loader/loader_as.hpp>

namespace loader_tests {

using namespace tessera;

namespace {

/// `make(array, sampler, options)`: a loader.
template <class Make>
void check_allocations(Make const& make) {
  (void)test::all_allocations_are_seen();
  using P = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  auto const array = open_array<std::uint8_t, 3, P>(test::brain_store(), "t1", test::HostQueue{});
  std::vector<Box> boxes;
  for (UniformBoxes draw{array.shape(), {50, 50, 50}, {.seed = 1}, 32}; auto box = draw();)
    boxes.push_back(*std::move(box));
  constexpr std::size_t batch = 8;
  for (Option<std::uint64_t> const cache : {Option<std::uint64_t>{}, {0}, {1 << 20}, {1 << 26}}) {
    CAPTURE(cache.value());
    CAPTURE(cache.is_given());
    auto const draw = [&, i = std::size_t{0}]() mutable { return std::optional{boxes[i++ % boxes.size()]}; };
    auto loader = make(array, draw, LoaderOptions{.batch = batch, .cache = cache});
    {  // as much memory as batches in use at once: those ahead, one being read, one of the program
      std::vector<std::optional<typename decltype(loader)::batch_type>> held;
      for (int i = 0; i < 4; ++i) held.push_back(loader.next());
    }
    for (int i = 0; i < 40; ++i) (void)loader.next();
    constexpr int counted_batches = 16;
    test::Allocations counted{1000};
    for (int i = 0; i < counted_batches; ++i) (void)loader.next();
    counted.stop();
    CHECK(counted.large() == 0);
    // Those that are read ahead meanwhile may be some more than those that are taken.
    CHECK(counted.blocks() <= 2 * (counted_batches + 4) * batch);
  }
}

}  // namespace

TEST_CASE("batches of a loader: after the first ones only boxes are allocated") {
  check_allocations([](auto const& array, auto const& draw, LoaderOptions const& options) {
    return Loader{array, draw, options};
  });
}

TEST_CASE("batches of a loader of turned boxes: after the first ones only boxes are allocated") {
  check_allocations([](auto const& array, auto const& draw, LoaderOptions const& options) {
    return Loader{array, RandomOrientations{draw, {.flip = {0, 1, 2}, .permute = {0, 1, 2}}}, options};
  });
}

TEST_CASE("batches of a loader of other numbers: after the first ones only boxes are allocated") {
  check_allocations([](auto const& array, auto const& draw, LoaderOptions const& options) {
    return loader_as<float>(array, draw, {.scale = 0.5}, options);
  });
}

TEST_CASE("by default a loader allocates one block for kept chunks, twice the size of ahead + 2 batches") {
  using P = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  auto const array = open_array<std::uint8_t, 3, P>(test::brain_store(), "t1", test::HostQueue{});
  constexpr std::size_t kept = 30 * 64 * 64 * 64;  // within eight batches of 8 * 50^3 bytes
  for (std::size_t const expected : {1u, 0u}) {
    CAPTURE(expected);
    test::Allocations counted{expected == 1 ? kept : kept + 1};
    Loader loader{array, UniformBoxes{array.shape(), {50, 50, 50}}, {.batch = 8}};
    for (int i = 0; i < 6; ++i) (void)loader.next();
    CHECK(counted.stop().large() == expected);
  }
}

}  // namespace loader_tests
