// Batches that a Loader reads together: what each has, and what is decoded once for several.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <loader/gated_store.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/loader/loader.hpp>
#include <tessera/loader/zipped_loader.hpp>
#include <tessera/node/create.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

namespace loader_together_tests {

using namespace tessera;
using test::check_refused;
using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;

namespace {

/// Four chunks of ten elements, element i is i.
auto numbered(test::GatedStore const& store, char const* path = "a") {
  auto const array = create_array<int, 1>(store, path, {.shape = {40}, .chunks = {10}}, Zstd{}, Queue<space::Host>{2});
  std::vector<int> elements(40);
  for (int i = 0; i < 40; ++i) elements[static_cast<std::size_t>(i)] = i;
  array.write(all, elements);
  store.gate->reads.clear();
  return array;
}

/// Boxes of one element, at these places.
auto at(std::vector<std::uint64_t> places) {
  return [places = std::move(places), i = std::size_t{0}]() mutable -> std::optional<Box> {
    if (i == places.size()) return std::nullopt;
    auto const place = places[i++];
    return Box{place};
  };
}

}  // namespace

TEST_CASE("a chunk that several batches want is decoded once for those that are read together") {
  std::vector<std::uint64_t> const places{0, 1, 2, 11, 12, 3, 4, 13, 14, 5, 21, 22};  // two in a batch
  struct Case {
    std::size_t together;
    std::uint64_t decoded;
  };
  for (auto const& one : {Case{1, 10}, Case{2, 7}, Case{3, 5}, Case{4, 5}, Case{6, 3}}) {
    CAPTURE(one.together);
    auto const decoded = one.decoded;
    test::GatedStore const store;
    auto const array = numbered(store);
    Loader loader{array, at(places), {.batch = 2, .ahead = 6, .together = one.together, .cache = 0}};
    std::size_t i = 0;
    while (auto batch = loader.next()) {
      CHECK(batch->first() == i);
      CHECK(batch->boxes().size() == 2);
      for (std::size_t k = 0; k < 2; ++k) CHECK(batch->array()(k, 0) == static_cast<int>(places[i++]));
    }
    CHECK(i == places.size());
    auto const did = loader.statistics();
    CHECK(did.chunks == 10);
    CHECK(did.decoded == decoded);
    CHECK(did.hits == 10 - decoded);
    int reads = 0;
    for (auto const& entry : store.gate->reads) reads += entry.second;
    CHECK(static_cast<std::uint64_t>(reads) == decoded);
  }
}

TEST_CASE("of batches that are read together, only that with a damaged chunk or a box outside fails") {
  for (std::size_t const together : {1u, 2u, 3u, 5u})
    for (std::uint64_t const cache : {0u, 80u, 1000u}) {
      CAPTURE(together);
      CAPTURE(cache);
      test::GatedStore const store;
      auto const array = numbered(store);
      test::put(store.inner, "a/c/2", "damaged");
      LoaderOptions options{.ahead = 5, .together = together, .cache = cache, .on_error = OnError::go_on};
      Loader loader{array, at({1, 21, 11, 40, 2, 22, 3}), options};
      CHECK(loader.next()->array()(0, 0) == 1);
      check_refused<CodecError>([&] { (void)loader.next(); }, {"\"a/c/2\"", "zstd"});
      CHECK(loader.next()->array()(0, 0) == 11);
      check_refused<SelectionError>([&] { (void)loader.next(); }, {"\"a/zarr.json\"", "box 0", "41"});
      CHECK(loader.next()->array()(0, 0) == 2);
      check_refused<CodecError>([&] { (void)loader.next(); }, {"\"a/c/2\""});
      CHECK(loader.next()->array()(0, 0) == 3);
      CHECK(!loader.next());
      CHECK(loader.position() == 7);
      options.on_error = OnError::end;
      Loader ends{array, at({1, 21, 11}), options};
      CHECK(ends.next()->array()(0, 0) == 1);
      CHECK_THROWS_AS((void)ends.next(), CodecError);
      CHECK(!ends.next());
    }
}

TEST_CASE("converted: the number that does not fit is named by its own batch") {
  test::GatedStore const store;
  auto const array = numbered(store);
  auto loader = loader_as<std::uint8_t>(array, at({1, 2, 3, 39, 4, 5}), {.scale = 7},
                                        {.batch = 2, .ahead = 3, .together = 3, .on_error = OnError::go_on});
  CHECK(loader.next()->array()(1, 0) == 14);
  check_refused<ConversionError>([&] { (void)loader.next(); }, {"element [0] of box 1 is 39"});
  CHECK(loader.next()->array()(1, 0) == 35);
}

TEST_CASE("several arrays, and a cancel while the store makes the batches wait") {
  test::GatedStore const store;
  auto const image = numbered(store), labels = numbered(store, "b");
  LoaderOptions const options{.ahead = 4, .together = 2};
  ZippedLoader both{std::tie(image, labels), UniformBoxes{{40}, {4}, {}, 9}, options};
  int count = 0;
  while (auto batches = both.next()) {
    auto const& [of_image, of_labels] = *batches;
    for (std::size_t i = 0; i < 4; ++i) CHECK(of_image.array()(0, i) == of_labels.array()(0, i));
    ++count;
  }
  CHECK(count == 9);
  store.gate->close();
  Loader waiting{image, at({1, 2, 3}), options};
  store.gate->await_read();
  waiting.cancel();
  CHECK_THROWS_AS((void)waiting.next(), Cancelled);
  store.gate->open();
}

TEST_CASE("more batches together than ahead, or none, are refused") {
  test::GatedStore const store;
  auto const array = numbered(store);
  check_refused<Error>([&] { Loader(array, at({1}), {.ahead = 2, .together = 3}); }, {"together 3", "ahead, 2"});
  check_refused<Error>([&] { Loader(array, at({1}), {.together = 0}); }, {"together 0"});
}

}  // namespace loader_together_tests
