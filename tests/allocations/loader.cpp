// After the first batches, a Loader allocates the boxes, and nothing else. Where an allocation fails, kept chunks stay
// what they are.
#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/allocations.hpp>
#include <support/brain.hpp>
#include <tessera/loader/detail/kept_chunks.hpp>
#include <tessera/loader/loader.hpp>

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

TEST_CASE("kept chunks: where an allocation fails, no slot is lost or has two chunks") {
  using detail::KeptChunks, detail::NumberedChunk;
  constexpr std::size_t slots = 6;
  bool has_failed = true;
  for (std::size_t k = 0; has_failed; ++k) {
    CAPTURE(k);
    KeptChunks kept{slots};
    std::map<std::size_t, std::uint64_t> in_slots;
    auto const read = [&](std::uint64_t first, std::size_t count) {
      std::vector<NumberedChunk> wanted;
      {
        test::AllocationsSucceed const none;
        for (std::size_t i = 0; i < count; ++i) wanted.push_back({first + i, i});
      }
      kept.begin(wanted);
      kept.decide();
      test::AllocationsSucceed const none;
      for (auto const& [index, slot] : kept.hits()) CHECK(in_slots.at(slot) == first + index);
      for (auto const& [index, slot] : kept.missing())
        if (slot != KeptChunks::none) in_slots[slot] = first + index;
    };
    {
      test::FailingAllocation const failing{k};
      for (std::uint64_t first = 0; first < 40; first += 2) try {
          read(first, 1 + static_cast<std::size_t>(first % 9));
        } catch (std::bad_alloc const&) {
        }
      has_failed = failing.has_failed();
    }
    for (std::uint64_t first = 0; first < 40; ++first) read(first, 5);
    CHECK(kept.size() <= slots);
    CHECK(in_slots.size() == slots);
    CHECK(in_slots.rbegin()->first == slots - 1);
  }
}

}  // namespace loader_tests
