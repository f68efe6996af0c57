// Elements of lists, placed by kernels and by the host's loops: the same bytes, for any size and order, and however
// boxes are divided.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <device/arrays.hpp>
#include <support/random.hpp>

namespace place_listed_tests {

using namespace tessera;
using test::Bytes, test::DeviceQueue, test::Random;

namespace {

struct Form {
  std::size_t item, swapped;
};
constexpr Form forms[] = {{1, 1}, {2, 1}, {2, 2}, {4, 4}, {8, 4}, {8, 8}, {16, 8}, {16, 1}, {3, 1}, {12, 4}, {24, 8}};

// Boxes whose elements all have different places in the destination: those are a permutation, dealt out box by box.
template <MemorySpace S>
ListedBatch<S> random_batch(Random& random, std::size_t item, std::byte const* from, std::byte* to, std::size_t places) {
  ListedBatch<S> batch;
  std::size_t next = 0;
  auto const far = [&](std::size_t n) { return static_cast<std::int64_t>(n * item); };
  while (next < places) {
    auto const fills = random.one_in(4);
    auto const rows = random(1, 5), columns = random(1, 40), deep = random(1, 3);
    if (next + rows * columns * deep > places) break;
    ListedBox<S> box{fills ? nullptr : from, to + far(next), batch.axes.size(), 0, 0};
    auto const source = [&] { return fills ? 0 : far(random(0, places / 4)); };
    if (random.one_in(2)) {
      batch.axes.push_back({deep, 0, {fills ? 0 : far(7), far(rows * columns)}, false});
    } else {
      batch.axes.push_back({deep, batch.pairs.size(), {}, true});
      for (std::size_t i = 0; i < deep; ++i) batch.pairs.push_back({source(), far((deep - 1 - i) * rows * columns)});
    }
    batch.axes.push_back({rows, batch.pairs.size(), {}, true});
    for (std::size_t i = 0; i < rows; ++i) batch.pairs.push_back({source(), far((i + 1) % rows * columns)});
    batch.axes.push_back({columns, batch.pairs.size(), {}, true});
    for (std::size_t i = 0; i < columns; ++i) batch.pairs.push_back({source(), far(columns - 1 - i)});
    box.axes = 3;
    batch.boxes.push_back(box);
    next += rows * columns * deep;
    if (next < places) {  // a single one, without axes
      batch.boxes.push_back({from, to + far(next), batch.axes.size(), 0, 0});
      ++next;
    }
  }
  return batch;
}

}  // namespace

TEST_CASE("elements of lists: kernels and the host's loops place the same, in boxes of any size") {
  for (std::uint64_t seed = 1; seed <= 110; ++seed) {
    CAPTURE(seed);
    DeviceQueue on{test::HostQueue{}};
    Random random{seed};
    auto const [item, swapped] = forms[seed % std::size(forms)];
    constexpr std::size_t places = 1200;
    auto const source = random.noise(places * item), fill = random.noise(item);
    Bytes expected(places * item, std::byte{0xdd});
    auto const from = test::made<DeviceBuffer>(test::text(test::view(source)), on);
    auto to = test::made<DeviceBuffer>(test::text(test::view(expected)), on);
    PlacementForm const form{item, swapped, {fill.data(), fill.size()}, {}, {}};
    auto again = random;  // the same batch on both sides
    auto const here = random_batch<space::Host>(random, item, source.data(), expected.data(), places);
    auto const there = random_batch<space::Device>(again, item, from.view().data, to.span().data, places);
    auto const moved = placer<space::Host>::place_listed(here, form, on.host());
    std::uint64_t const limits[] = {2, 40, 1000, std::uint64_t{1} << 31};
    auto const limit = limits[seed % std::size(limits)];
    CHECK(detail::place_listed_by_kernels<space::Device>(there, form, on, limit) == moved);
    CHECK(test::bytes(test::text(to.view(), on)) == expected);
  }
}

}  // namespace place_listed_tests
