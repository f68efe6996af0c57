#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <support/bytes.hpp>
#include <support/random.hpp>
#include <support/reference.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/place/detail/placer.hpp>

using namespace tessera;
using test::Bytes;
using test::Random;

namespace {

/// A box in memory of its own: strides as random as possible without two elements in one place. `in_lines`: rows begin
/// at a cache line.
struct Side {
  Bytes memory;
  std::size_t first = 0;  // byte of the element at index 0
  Strides strides;

  Side(Random& random, Extents const& count, std::size_t item, bool in_lines = false)
      : strides{Strides::filled(count.rank(), 0)} {
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
      if (in_lines) stride = (stride + 63) / 64 * 64;
    }
    auto const margin = static_cast<std::int64_t>(random(0, 9));
    first = static_cast<std::size_t>(below + margin);
    memory = random.noise(static_cast<std::size_t>(stride + 2 * margin) + item + 72);
    if (in_lines) first += 63 - (reinterpret_cast<std::uintptr_t>(memory.data()) + first + 63) % 64;
  }
  std::byte* at(Extents const& index) {
    return memory.data() + static_cast<std::int64_t>(first) + test::offset(strides, index);
  }
};

/// The expected result of place(), one element at a time.
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
  bool const non_temporal = random.one_in(2), in_lines = non_temporal && random.one_in(2);
  Side from{random, count, item}, to{random, count, item, in_lines};
  auto const element = random.noise(item);
  PlacementForm const form{item,         swapped,    fill ? test::view(element) : test::HostView{},
                           from.strides, to.strides, non_temporal};

  auto expected = to;
  place_slowly(from, expected, count, form);
  Placement<space::Host> const placement{fill ? nullptr : from.at(Extents::filled(rank, 0)),
                                         to.at(Extents::filled(rank, 0)), count};
  Queue<space::Host> queue;
  std::array const batch{placement};
  auto const moved = placer<space::Host>::place(batch, form, queue);
  CHECK(moved == test::size_of(count) * item);
  CHECK(to.memory == expected.memory);  // all of it: nothing outside the box is changed
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
  for (std::uint64_t length = 1; length <= 700; ++length) {
    CAPTURE(length);
    Random random{length};
    auto const source = random.noise(3 * (length + 2)), before = random.noise(3 * (length + 5) + 1);
    auto memory = before, expected = before;
    for (std::size_t row = 0; row < 3; ++row)
      std::copy_n(source.data() + row * (length + 2), length, expected.data() + 1 + row * (length + 5));
    auto const stride = static_cast<std::int64_t>(length);
    std::array const batch{Placement<space::Host>{source.data(), memory.data() + 1, {3, length}}};
    for (bool non_temporal : {false, true}) {
      memory = before;
      PlacementForm const form{1, 1, {}, {stride + 2, 1}, {stride + 5, 1}, non_temporal};
      CHECK(placer<space::Host>::place(batch, form, queue) == 3 * length);
      CHECK(memory == expected);
    }
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

TEST_CASE("rows past the cache: whole lines of it, and what is before and behind them") {
  Queue<space::Host> queue;
  Random random{1};
  for (std::uint64_t length : {64u, 100u, 128u, 512u, 577u})
    for (std::size_t first : {0u, 1u, 16u, 63u})
      for (std::uint64_t gap : {0u, 64u, 3u}) {
        CAPTURE(length);
        CAPTURE(first);
        CAPTURE(gap);
        auto const source = random.noise(3 * length);
        HostBuffer memory{4096}, expected{4096};  // begins at a line
        std::fill_n(memory.span().data, 4096, std::byte{1});
        std::fill_n(expected.span().data, 4096, std::byte{1});
        for (std::size_t row = 0; row < 3; ++row)
          std::copy_n(source.data() + row * length, length, expected.span().data + first + row * (length + gap));
        auto const stride = static_cast<std::int64_t>(length);
        std::array const batch{Placement<space::Host>{source.data(), memory.span().data + first, {3, length}}};
        PlacementForm const form{1, 1, {}, {stride, 1}, {stride + static_cast<std::int64_t>(gap), 1}, true};
        CHECK(placer<space::Host>::place(batch, form, queue) == 3 * length);
        CHECK(test::text(memory.view()) == test::text(expected.view()));
      }
}

TEST_CASE("long rows that are swapped past the cache: tiles of one row and of many, and what is left of them") {
  Queue<space::Host> queue;
  Random random{2};
  for (std::uint64_t rows : {1u, 3u})
    for (std::uint64_t length : {1u, 15u, 16u, 17u, 1023u, 1024u, 1025u, 3100u}) {  // words of 4 bytes; tiles have 1024
      CAPTURE(rows);
      CAPTURE(length);
      auto const source = random.noise(rows * length * 4);
      auto const apart = (length * 4 + 127) / 64 * 64;
      HostBuffer memory{rows * apart}, expected{rows * apart};  // begin at a line
      std::fill_n(memory.span().data, rows * apart, std::byte{1});
      std::fill_n(expected.span().data, rows * apart, std::byte{1});
      for (std::size_t row = 0; row < rows; ++row) {
        auto const first = source.begin() + static_cast<std::ptrdiff_t>(row * length * 4);
        auto const swapped = test::swapped({first, first + static_cast<std::ptrdiff_t>(length * 4)}, 4);
        std::copy(swapped.begin(), swapped.end(), expected.span().data + row * apart);
      }
      std::array const batch{Placement<space::Host>{source.data(), memory.span().data, {rows, length}}};
      PlacementForm const form{
          4, 4, {}, {static_cast<std::int64_t>(length * 4), 4}, {static_cast<std::int64_t>(apart), 4}, true};
      CHECK(placer<space::Host>::place(batch, form, queue) == rows * length * 4);
      CHECK(test::text(memory.view()) == test::text(expected.view()));
    }
}
