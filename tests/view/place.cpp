#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <support/random.hpp>
#include <support/reference.hpp>
#include <tessera/view/copy.hpp>

using namespace tessera;
using test::Bytes;
using test::Random;

namespace {

/// A box in memory of its own: strides as random as they can be without two elements in one place.
struct Side {
  Bytes memory;
  std::size_t first = 0;  // byte of the element at index 0
  Strides strides;

  Side(Random& random, Extents const& count, std::size_t item) : strides{Strides::filled(count.rank(), 0)} {
    auto const order = random.permutation(count.rank());
    std::int64_t stride = static_cast<std::int64_t>(item + (random.one_in(3) ? random(0, 5) : 0)), below = 0;
    for (auto d : order) {
      strides[d] = stride;
      auto const length = static_cast<std::int64_t>(std::max<std::uint64_t>(count[d], 1));
      auto const gap = random.one_in(3) ? static_cast<std::int64_t>(random(0, 3)) : 0;
      if (random.one_in(4)) {
        strides[d] = -stride;
        below += stride * (length - 1);
      }
      stride *= length + gap;
    }
    auto const margin = static_cast<std::int64_t>(random(0, 9));
    first = static_cast<std::size_t>(below + margin);
    memory = random.noise(static_cast<std::size_t>(stride + 2 * margin) + item + 8);
  }
  std::byte* at(Extents const& index) {
    return memory.data() + static_cast<std::int64_t>(first) + test::offset(strides, index);
  }
};

/// What place() shall do, one element at a time.
void place_slowly(Side& from, Side& to, Extents const& count, PlacementForm const& form) {
  test::for_each_index(count, [&](Extents const& index) {
    auto const* element = form.fill.data ? form.fill.data : from.at(index);
    for (std::size_t b = 0; b < form.item_size; ++b) {
      auto const part = b / form.swapped * form.swapped;
      auto const source = form.fill.data ? b : part + (form.swapped - 1 - (b - part));
      to.at(index)[b] = element[source];
    }
  });
}

void check_place(std::uint64_t seed, std::size_t item, std::size_t swapped, bool fill) {
  CAPTURE(seed);
  CAPTURE(item);
  CAPTURE(swapped);
  CAPTURE(fill);
  Random random{seed};
  auto const rank = random(0, 6);
  auto count = random.extents(rank, random.one_in(12) ? 0 : 1, rank > 4 ? 3 : rank > 2 ? 7 : 70);
  if (rank > 0 && random.one_in(4)) count[random(0, rank - 1)] = 1;
  Side from{random, count, item}, to{random, count, item};
  auto const element = random.noise(item);
  PlacementForm const form{item, swapped, fill ? test::view(element) : test::HostView{}, from.strides, to.strides};

  auto expected = to;
  place_slowly(from, expected, count, form);
  Placement<space::Host> const placement{fill ? nullptr : from.at(Extents::filled(rank, 0)),
                                         to.at(Extents::filled(rank, 0)), count};
  Queue<space::Host> queue;
  std::array const batch{placement};
  auto const moved = placer<space::Host>::place(batch, form, queue);
  CHECK(moved == test::size_of(count) * item);
  CHECK(to.memory == expected.memory);  // all of it: nothing beside the box is touched
}

}  // namespace

TEST_CASE("placing does what one does element by element") {
  std::uint64_t seed = 0;
  for (int round = 0; round < 150; ++round)
    for (std::size_t item : {1u, 2u, 3u, 4u, 8u, 16u}) {
      check_place(++seed, item, 1, false);
      check_place(++seed, item, item, false);
      if (item == 16) check_place(++seed, item, 8, false);  // complex: each part on its own
      if (item == 8) check_place(++seed, item, 4, false);
      check_place(++seed, item, 1, true);
    }
}

TEST_CASE("rows of every length: short ones are copied in two parts that overlap") {
  Queue<space::Host> queue;
  for (std::uint64_t length = 1; length <= 300; ++length) {
    CAPTURE(length);
    Random random{length};
    auto const source = random.noise(3 * (length + 2)), before = random.noise(3 * (length + 5) + 1);
    auto memory = before, expected = before;
    for (std::size_t row = 0; row < 3; ++row)
      std::copy_n(source.data() + row * (length + 2), length, expected.data() + 1 + row * (length + 5));
    auto const stride = static_cast<std::int64_t>(length);
    std::array const batch{Placement<space::Host>{source.data(), memory.data() + 1, {3, length}}};
    CHECK(placer<space::Host>::place(batch, {1, 1, {}, {stride + 2, 1}, {stride + 5, 1}}, queue) == 3 * length);
    CHECK(memory == expected);
  }
}

TEST_CASE("a fill is not swapped: it is in the machine's order already") {
  Bytes memory(4), fill = test::hex("01 02");
  std::array const batch{Placement<space::Host>{nullptr, memory.data(), {2}}};
  Queue<space::Host> queue;
  CHECK(placer<space::Host>::place(batch, {2, 2, test::view(fill), {2}, {2}}, queue) == 4);
  CHECK(memory == test::hex("01 02 01 02"));
}

TEST_CASE("a batch places all of its boxes") {
  Bytes const source = test::hex("01 02 03 04");
  Bytes memory(6, std::byte{0xee}), fill = test::hex("ff");
  std::array const batch{Placement<space::Host>{source.data(), memory.data(), {2}},
                         Placement<space::Host>{nullptr, memory.data() + 2, {1}},
                         Placement<space::Host>{source.data() + 2, memory.data() + 4, {2}}};
  Queue<space::Host> queue;
  CHECK(placer<space::Host>::place(batch, {1, 1, test::view(fill), {1}, {1}}, queue) == 5);
  CHECK(test::digits(test::view(memory)) == "0102ffee0304");
}

TEST_CASE("a box without elements moves nothing") {
  std::array const batch{Placement<space::Host>{nullptr, nullptr, {3, 0}}};
  Queue<space::Host> queue;
  CHECK(placer<space::Host>::place(batch, {1, 1, {}, {1, 1}, {1, 1}}, queue) == 0);
  CHECK(placer<space::Host>::place({}, {}, queue) == 0);
}
