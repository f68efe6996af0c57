// Boxes that are converted while they are placed, compared with numbers that are converted one by one.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>

#include <doctest/doctest.h>

#include <support/converted.hpp>
#include <support/random_selection.hpp>
#include <tessera/core/detail/convert.hpp>
#include <tessera/place/detail/convert.hpp>

using namespace tessera;
using test::Random;

namespace {

// From memory of any strides into memory of any others, with the array's side in either byte order.
template <class Way>
void check(Random& random, bool to_array) {
  using From = typename Way::From;
  using To = typename Way::To;
  bool const is_same = random.one_in(2), swaps = random.one_in(2), non_temporal = random.one_in(3);
  Way const way{is_same ? 1 : 0.375, is_same ? 0.0 : -12.5};
  auto count = random.extents(random(1, 3), 1, 9);
  count[random(0, count.rank() - 1)] = random(1, 400);
  auto const from = test::random_memory(random, count, sizeof(From), true),
             to = test::random_memory(random, count, sizeof(To), false);
  CAPTURE(data_type_of<From>().name());
  CAPTURE(data_type_of<To>().name());
  CAPTURE(to_string(count));
  CAPTURE(is_same);
  CAPTURE(swaps);
  CAPTURE(non_temporal);
  CAPTURE(to_array);
  auto given = random.noise(from.size);
  for (std::size_t at = from.first % sizeof(From); at + sizeof(From) <= given.size(); at += sizeof(From)) {
    auto const number = test::random_number<From>(random);
    std::memcpy(given.data() + at, &number, sizeof number);
    if (swaps && !to_array) std::reverse(given.data() + at, given.data() + at + sizeof number);
  }
  auto expected = random.noise(to.size), found = expected;
  bool all_fit = true;
  test::for_each_index(count, [&](Extents const& index) {
    auto const place = [&](test::StridedMemory const& memory) {
      return static_cast<std::size_t>(static_cast<std::int64_t>(memory.first) + test::offset(memory.strides, index));
    };
    std::byte bytes[sizeof(From)];
    std::memcpy(bytes, given.data() + place(from), sizeof bytes);
    if (swaps && !to_array) std::reverse(bytes, bytes + sizeof bytes);
    From number;
    std::memcpy(&number, bytes, sizeof number);
    auto const made = test::expected_as<To>(number, way.scale, way.offset, to_array);
    all_fit &= made.has_value();
    bool fits = true;  // core/convert.cpp tests the other results
    auto const result = made      ? *made
                        : is_same ? detail::converted<detail::AsItIs>(way, number, fits)
                                  : detail::converted<detail::WorkedOut>(way, number, fits);
    auto* const at = expected.data() + place(to);
    std::memcpy(at, &result, sizeof result);
    if (swaps && to_array) std::reverse(at, at + sizeof result);
  });
  Queue<space::Host> on{1};
  std::atomic<bool> misfit{false};
  detail::ConvertingPlacer<space::Host, Way> placer{way};
  placer.misfits.seen = &misfit;
  Placement<space::Host> const box{given.data() + from.first, found.data() + to.first, count};
  auto const swapped = swaps ? (to_array ? sizeof(To) : sizeof(From)) : 1;
  PlacementForm const form{sizeof(To), swapped, {}, from.strides, to.strides, non_temporal};
  CHECK(placer.place({&box, 1}, form, on) == test::size_of(count) * sizeof(To));
  CHECK(misfit == !all_fit);
  std::size_t wrong = 0;
  auto const skip = to.first % sizeof(To);
  for (auto at = skip; at + sizeof(To) <= found.size(); at += sizeof(To)) {
    if (std::memcmp(found.data() + at, expected.data() + at, sizeof(To)) == 0) continue;
    To a, b;
    std::byte bytes[2][sizeof(To)];
    std::memcpy(bytes[0], found.data() + at, sizeof a);
    std::memcpy(bytes[1], expected.data() + at, sizeof b);
    if (swaps && to_array)
      for (auto& one : bytes) std::reverse(one, one + sizeof a);
    std::memcpy(&a, bytes[0], sizeof a);
    std::memcpy(&b, bytes[1], sizeof b);
    wrong += !(a != a && b != b);
  }
  CHECK(wrong == 0);
}

template <class To, class From>
void check_pair() {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    check<detail::ToProgram<To, From>>(random, false);
    check<detail::ToArray<To, From>>(random, true);
  }
}
template <class To>
void check_from_all() {
  check_pair<To, std::uint8_t>();
  check_pair<To, std::int16_t>();
  check_pair<To, float16>();
  check_pair<To, float>();
  check_pair<To, std::int64_t>();
}

}  // namespace

TEST_CASE("boxes of numbers of one type as those of another") {
  check_from_all<std::uint8_t>();
  check_from_all<std::uint16_t>();
  check_from_all<float16>();
  check_from_all<float>();
  check_from_all<double>();
}
