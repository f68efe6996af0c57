// Memory that an idle queue keeps: no more than its limit, and nothing after trim().
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <support/allocations.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;

namespace {

constexpr std::ptrdiff_t mebibyte = 1 << 20;

// For two chunks of that many MiB, which are read in part, so that they are decoded into scratch; and for shards.
struct Arrays {
  explicit Arrays(std::uint64_t chunk) : rows{2 * chunk} {
    using Plain = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
    using Shards = Pipeline<space::Host, codec::Sharding<Plain>>;
    NewArray<std::uint8_t> const wanted{.shape = {rows, 1 << 20}, .chunks = {chunk, 1 << 20}};
    Queue<space::Host> const on;
    create_array<std::uint8_t, 2>(store, "plain", wanted, Plain{}, on).write(all, elements());
    create_array<std::uint8_t, 2>(store, "shards", wanted, Shards{codec::Sharding<Plain>{{1, 1 << 20}}}, on)
        .write(all, elements());
  }
  std::vector<std::uint8_t> elements() const {
    std::vector<std::uint8_t> result(rows << 20);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<std::uint8_t>(i >> 8 | 1);
    return result;
  }
  void use(Queue<space::Host> const& on) const {
    for (auto const* path : {"plain", "shards"}) {
      auto const array = open_array<std::uint8_t, 2, Codecs<codec::Bytes, codec::Zstd>>(store, path, on);
      Box const part{{0, rows}, {1, 100}};
      std::vector<std::uint8_t> some(rows * 99, 3);
      array.read(part, some);
      array.write(part, some);
    }
  }

  std::uint64_t rows;
  MemoryStore<HostBuffer> store{};
};

}  // namespace

TEST_CASE("after work that took much a queue keeps no more than its bound") {
  Arrays const arrays{40};
  for (std::size_t threads : {1u, 2u})
    for (std::uint64_t most : {0u, 16u, 1u << 20}) {
      CAPTURE(threads);
      CAPTURE(most);
      Queue<space::Host> const on{threads};
      arrays.use(Queue<space::Host>{});  // the store already has its growth
      on.keep_idle(most << 20);
      test::Allocations counted;
      arrays.use(on);
      counted.stop();
      CHECK(counted.peak() > 40 * mebibyte);
      if (most < 40)
        CHECK(counted.live() < static_cast<std::ptrdiff_t>(most + 4) * mebibyte);
      else
        CHECK(counted.live() > 40 * mebibyte);
    }
}

TEST_CASE("the bound is set for what is kept already, too, and by default it is 320 MiB, or 64 for each thread") {
  CHECK(Queue<space::Host>{}.most_idle() == 320u << 20);
  CHECK(Queue<space::Host>{4}.most_idle() == 320u << 20);
  CHECK(Queue<space::Host>{8}.most_idle() == 512u << 20);
  Arrays const arrays{20};
  Queue<space::Host> const on;
  arrays.use(Queue<space::Host>{});
  test::Allocations counted;
  arrays.use(on);
  auto const kept = counted.live();
  on.keep_idle(1 << 20);
  counted.stop();
  CHECK(kept > 20 * mebibyte);
  CHECK(counted.live() < 4 * mebibyte);
}

TEST_CASE("trim gives back all that is not lent") {
  Arrays const arrays{20};
  Queue<space::Host> const on{2};
  arrays.use(on);
  arrays.use(on);
  auto const lent = Queue<space::Host>{on}.lease<std::vector<int>>();
  lent->assign(1000, 7);
  on.trim();
  test::Allocations counted;
  arrays.use(on);
  on.trim();
  counted.stop();
  CHECK(counted.live() < mebibyte / 4);
  CHECK(*lent == std::vector<int>(1000, 7));
}

TEST_CASE("a chunk that is within the bound is read again and again without an allocation") {
  Arrays const arrays{40};
  Queue<space::Host> const on;
  auto const array =
      open_array<std::uint8_t, 2, Pipeline<space::Host, codec::Bytes, codec::Zstd>>(arrays.store, "plain", on);
  std::vector<std::uint8_t> some(arrays.rows * 99);
  Box const part{{0, arrays.rows}, {1, 100}};
  array.read(part, some);
  test::Allocations counted;
  array.read(part, some);
  counted.stop();
  CHECK(counted.news() == 0);
}
