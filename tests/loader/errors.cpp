// A Loader whose store, sampler or user fails, waits or leaves.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <loader/gated_store.hpp>
#include <support/bytes.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/loader/detail/batch_reader.hpp>
#include <tessera/loader/detail/planned_batch.hpp>
#include <tessera/loader/loader.hpp>
#include <tessera/loader/zipped_loader.hpp>
#include <tessera/node/create.hpp>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/place/detail/placer.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

namespace loader_errors_tests {

using namespace tessera;
using test::check_refused;
using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;

namespace {

/// Four chunks of ten elements.
auto numbered(test::GatedStore const& store) {
  auto const array =
      create_array<int, 1>(store, "a", {.shape = {40}, .chunks = {10}}, Zstd{}, test::GatedStore::Queue{2});
  std::vector<int> elements(40);
  for (int i = 0; i < 40; ++i) elements[static_cast<std::size_t>(i)] = i;
  array.write(all, elements);
  return array;
}
using Numbered = decltype(numbered(test::GatedStore{}));
using NumberedLoader = Loader<int, 1, test::GatedStore, Zstd>;

/// Boxes of one element, at these places.
auto at(std::vector<std::uint64_t> places) {
  return [places = std::move(places), i = std::size_t{0}]() mutable -> std::optional<Box> {
    if (i == places.size()) return std::nullopt;
    auto const place = places[i++];
    return Box{place};
  };
}

void damage(test::GatedStore const& store, char const* key) { test::put(store.inner, key, "damaged"); }

}  // namespace

TEST_CASE("a damaged chunk: its batch throws, with the key; then nothing, or the next batches") {
  for (std::uint64_t const cache : {0u, 80u, 160u}) {
    CAPTURE(cache);
    test::GatedStore const store;
    auto const array = numbered(store);
    damage(store, "a/c/2");
    auto const batches = at({1, 11, 22, 3, 33, 4, 23, 34, 12, 2});
    LoaderOptions options{.batch = 2, .cache = cache};
    {
      Loader loader{array, batches, options};
      CHECK(loader.next()->array()(1, 0) == 11);
      check_refused<CodecError>([&] { (void)loader.next(); }, {"\"a/c/2\"", "zstd"});
      CHECK(loader.position() == 4);
      CHECK(!loader.next());
      CHECK(!loader.next());
      CHECK(loader.statistics().batches == 1);
    }
    options.on_error = OnError::go_on;
    Loader loader{array, batches, options};
    auto const check_next = [&](int first, int second) {
      auto const batch = loader.next();
      CHECK(batch->array()(0, 0) == first);
      CHECK(batch->array()(1, 0) == second);
    };
    check_next(1, 11);
    check_refused<CodecError>([&] { (void)loader.next(); }, {"\"a/c/2\"", "zstd"});
    check_next(33, 4);
    check_refused<CodecError>([&] { (void)loader.next(); }, {"\"a/c/2\"", "zstd"});
    check_next(12, 2);
    CHECK(!loader.next());
    CHECK(loader.position() == 10);
  }
}

TEST_CASE("a box outside the array, or of another shape: an error of its batch") {
  test::GatedStore const store;
  auto const array = numbered(store);
  for (std::uint64_t const cache : {0u, 80u}) {
    Loader outside{array, at({1, 40, 2}), {.cache = cache, .on_error = OnError::go_on}};
    CHECK(outside.next()->array()(0, 0) == 1);
    check_refused<SelectionError>([&] { (void)outside.next(); }, {"\"a/zarr.json\"", "box 0", "41"});
    CHECK(outside.next()->array()(0, 0) == 2);
    CHECK(!outside.next());
    std::vector<Box> const boxes{{3}, {{1, 3}}};
    Loader uneven{array,
                  [&, i = std::size_t{0}]() mutable { return i < 2 ? std::optional{boxes[i++]} : std::nullopt; },
                  {.batch = 2, .cache = cache}};
    check_refused<SelectionError>([&] { (void)uneven.next(); }, {"box 1", "[2]", "[1]"});
  }
}

TEST_CASE("what a sampler throws comes after the batches before") {
  test::GatedStore const store;
  auto const array = numbered(store);
  for (auto const on_error : {OnError::end, OnError::go_on}) {
    Loader loader{array,
                  [i = std::uint64_t{0}]() mutable -> std::optional<Box> {
                    if (i == 5) throw std::runtime_error{"the list of patients is damaged"};
                    return Box{i++};
                  },
                  {.batch = 2, .cache = 1000, .on_error = on_error}};
    CHECK(loader.next()->array()(1, 0) == 1);
    CHECK(loader.next()->array()(1, 0) == 3);
    CHECK_THROWS_WITH_AS((void)loader.next(), "the list of patients is damaged", std::runtime_error);
    CHECK(!loader.next());
  }
}

TEST_CASE("at most `ahead` batches are read before the program takes one") {
  test::GatedStore const store;
  auto const array = numbered(store);
  constexpr std::size_t horizon = 7;  // batches, of which the first is being read
  for (std::size_t const ahead : {1u, 3u, 5u})
    for (bool const keeps : {false, true}) {
      LoaderOptions options{.ahead = ahead, .horizon = horizon};
      if (!keeps) options.cache = 0;
      std::atomic<std::uint64_t> drawn{0};
      Loader loader{array, [&]() -> std::optional<Box> { return Box{drawn++ % 40}; }, options};
      for (std::uint64_t taken = 1; taken < 30; ++taken) {
        (void)loader.next();
        CHECK(drawn <= taken + ahead + (keeps ? horizon - 1 : 0));
        if (keeps && ahead >= 3) CHECK(drawn >= taken + horizon - 1);  // with less, no chunk has room
      }
    }
}

TEST_CASE("cancelled while the store makes its read wait: a waiting next() throws at once") {
  for (std::uint64_t const cache : {0u, 1000u}) {
    test::GatedStore const store;
    auto const array = numbered(store);
    store.gate->close();
    NumberedLoader loader{array, at({1, 2, 3}), {.cache = cache}};
    store.gate->await_read();
    std::thread other{[&] { CHECK_THROWS_AS((void)loader.next(), Cancelled); }};
    loader.cancel();
    other.join();
    CHECK_THROWS_AS((void)loader.next(), Cancelled);
    store.gate->open();
  }
}

TEST_CASE("destroyed while the store makes its read wait") {
  test::GatedStore const store;
  auto const array = numbered(store);
  store.gate->close();
  auto loader = std::make_unique<NumberedLoader>(array, at({1, 2, 3}), LoaderOptions{});
  store.gate->await_read();
  std::thread other{[&] { loader.reset(); }};
  store.gate->open();
  other.join();
}

TEST_CASE("cancelled while the sampler draws: no further box is drawn") {
  test::GatedStore const store;
  auto const array = numbered(store);
  std::atomic<int> drawn{0};
  std::atomic<bool> is_cancelled{false};
  {
    auto const slow = [&]() -> std::optional<Box> {
      if (++drawn == 1) drawn.notify_all(), is_cancelled.wait(false);
      return Box{3};
    };
    NumberedLoader loader{array, slow, {.batch = 1000}};
    drawn.wait(0);
    loader.cancel();
    is_cancelled = true, is_cancelled.notify_all();
    CHECK_THROWS_AS((void)loader.next(), Cancelled);
  }
  CHECK(drawn == 1);
}

TEST_CASE("a loader ends with the scope in which it began, and counts in its traffic") {
  test::GatedStore const store;
  auto const array = numbered(store);
  std::atomic<bool> stop{false};
  Traffic traffic;
  std::vector<std::uint64_t> places;
  for (std::uint64_t i = 0; i < 200; ++i) places.push_back(i % 40);
  auto loader = with_defaults(ReadOptions{.stop = &stop, .traffic = &traffic}, [&] {
    return NumberedLoader{array, at(places), {.cache = 0, .on_error = OnError::go_on}};
  });
  CHECK(loader.next()->array()(0, 0) == 0);
  CHECK(traffic.chunks > 0);
  stop = true;
  auto const take_all = [&] {
    while (loader.next()) {
    }
  };
  CHECK_THROWS_AS(take_all(), Cancelled);
  CHECK_FALSE(loader.next());
  CHECK(loader.position() < 10);
  CHECK(traffic.chunks == loader.statistics().chunks);
}

TEST_CASE("cancelled or destroyed at any moment") {
  test::GatedStore const store;
  auto const array = numbered(store);
  for (int taken = 0; taken < 40; ++taken) {
    LoaderOptions const options{
        .batch = 2, .ahead = static_cast<std::size_t>(taken % 4 + 1), .cache = taken % 3 == 0 ? 0u : 100u};
    NumberedLoader loader{array, UniformBoxes{{40}, {3}}, options};
    for (int i = 0; i < taken; ++i) CHECK(loader.next()->boxes().size() == 2);
    if (taken % 2 == 0) continue;
    std::thread other{[&] { loader.cancel(); }};
    auto const take_all = [&] {
      while (loader.next()) {
      }
    };
    CHECK_THROWS_AS(take_all(), Cancelled);
    other.join();
  }
  for (int i = 0; i < 40; ++i) NumberedLoader{array, UniformBoxes{{40}, {3}}};
}

TEST_CASE("several arrays: cancelled or destroyed at any moment, whatever is kept and read together") {
  test::GatedStore const store, other;
  auto const image = numbered(store), labels = numbered(other);
  constexpr Keep kinds[] = {Keep::decoded, Keep::stored, Keep::either};
  for (int taken = 0; taken < 40; ++taken) {
    LoaderOptions const options{.batch = 2,
                                .ahead = 4,
                                .together = static_cast<std::size_t>(taken % 4 + 1),
                                .cache = taken % 5 == 0 ? 0u : 100u,
                                .keep = kinds[taken % 3]};
    ZippedLoader loader{std::tie(image, labels), UniformBoxes{{40}, {3}}, options};
    for (int i = 0; i < taken; ++i) {
      auto const batches = loader.next();
      CHECK(std::get<0>(*batches).array()(1, 2) == std::get<1>(*batches).array()(1, 2));
    }
    if (taken % 2 == 0) continue;
    std::thread canceller{[&] { loader.cancel(); }};
    auto const take_all = [&] {
      while (loader.next()) {
      }
    };
    CHECK_THROWS_AS(take_all(), Cancelled);
    canceller.join();
  }
}

TEST_CASE("several arrays: a batch with a damaged chunk throws the error of the first array, and the next ones go on") {
  test::GatedStore const store, other;
  auto const image = numbered(store), labels = numbered(other);
  damage(store, "a/c/1");
  damage(other, "a/c/1");
  damage(other, "a/c/3");
  for (std::size_t const together : {1u, 2u, 4u}) {
    CAPTURE(together);
    LoaderOptions const options{.ahead = 4, .together = together, .on_error = OnError::go_on};
    ZippedLoader loader{std::tie(image, labels), at({1, 11, 21, 31, 2}), options};
    for (int const place : {1, 11, 21, 31, 2})
      if (place == 11 || place == 31) {
        check_refused<CodecError>([&] { (void)loader.next(); }, {place == 11 ? "\"a/c/1\"" : "\"a/c/3\"", "zstd"});
      } else {
        auto const batches = loader.next();
        CHECK(std::get<1>(*batches).array()(0, 0) == place);
      }
    CHECK(!loader.next());
    CHECK(loader.position() == 5);
  }
}

/// Cannot place anything while `fails`.
struct FailingPlacer final : detail::AnyPlacer<space::Host> {
  using Host = space::Host;
  bool fails = false;

  std::uint64_t place(std::span<Placement<Host> const> batch, PlacementForm const& form,
                      Queue<Host>& on) const override {
    if (fails) throw std::bad_alloc{};
    return placer<Host>::place(batch, form, on);
  }
  std::uint64_t place_listed(ListedBatch<Host> const&, PlacementForm const&, Queue<Host>&) const override { return 0; }
};

TEST_CASE("a batch whose kept chunks could not be placed: its other chunks, which were not read, are not kept") {
  test::GatedStore const store;
  auto const array = numbered(store);
  detail::BatchReader<test::GatedStore, Zstd> reader{array.untyped(), {}, {}};
  reader.keep(1 << 20);
  FailingPlacer placer;
  std::vector<int> elements(2);
  auto const read = [&](std::uint64_t first) {
    detail::PlannedBatch batch;
    for (auto const at : {first, first + 10}) batch.add(Box{{at, at + 1}});
    reader.plan(batch);
    reader.read(batch, {}, {reinterpret_cast<std::byte*>(elements.data()), Strides{4, 4}}, {}, &placer);
  };
  read(0);
  placer.fails = true;
  CHECK_THROWS_AS(read(10), std::bad_alloc);
  placer.fails = false;
  read(20);
  CHECK(elements == std::vector{20, 30});
}

TEST_CASE("the position is behind every batch that one of several threads has") {
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<int, 1>(store, "a", {.shape = {40}, .chunks = {10}}, Zstd{});
  constexpr std::uint64_t count = 100000;
  Loader loader{array, UniformBoxes{{40}, {1}, {}, count}, {.ahead = 8}};
  std::atomic<int> behind = 0;
  auto const take = [&] {
    while (auto const batch = loader.next()) behind += loader.position() <= batch->first();
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(take);
  for (auto& thread : threads) thread.join();
  CHECK(behind == 0);
  CHECK(loader.position() == count);
}

}  // namespace loader_errors_tests
