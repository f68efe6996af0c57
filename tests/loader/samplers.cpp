// The samplers: which boxes they draw, in which order, on every platform.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/random.hpp>
#include <support/refused.hpp>
#include <tessera/loader/sampler.hpp>

namespace samplers_tests {

using namespace tessera;
using test::check_refused, test::Random;

namespace {

constexpr std::uint64_t huge = std::uint64_t{1} << 40;

/// Where the boxes begin.
template <class F>
std::vector<std::vector<std::uint64_t>> drawn(F sampler, Extents const& box, std::uint64_t most = 100'000) {
  std::vector<std::vector<std::uint64_t>> firsts;
  while (firsts.size() < most)
    if (auto const one = sampler()) {
      auto const region = one->resolve(Extents::filled(box.rank(), huge));
      CHECK(region.count == box);
      CHECK(region.step == Extents::filled(box.rank(), 1));
      firsts.emplace_back(region.first.begin(), region.first.end());
    } else {
      break;
    }
  return firsts;
}

template <class F>
void check_resumes(F const& sampler, Extents const& box, std::uint64_t most) {
  auto const all = drawn(sampler, box, most);
  for (std::uint64_t const at :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{all.size() / 2}, std::uint64_t{all.size()}}) {
    auto other = sampler;
    other.seek(at);
    CHECK(other.position() == at);
    auto const rest = drawn(other, box, most - at);
    CHECK(std::equal(rest.begin(), rest.end(), all.begin() + static_cast<std::ptrdiff_t>(at), all.end()));
  }
  auto moving = sampler;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(5, all.size()); ++i) {
    CHECK(moving.position() == i);
    (void)moving();
  }
}

/// What the ranks draw, put together, is what one process draws.
template <class F>
void check_ranks(F const& make, Extents const& box, std::uint64_t ranks, std::uint64_t most) {
  auto const alone = drawn(make(std::uint64_t{0}, std::uint64_t{1}), box, most);
  std::vector<std::vector<std::uint64_t>> together(alone.size());
  for (std::uint64_t r = 0; r < ranks; ++r) {
    auto const mine = drawn(make(r, ranks), box, (most - r + ranks - 1) / ranks);
    for (std::size_t i = 0; i < mine.size(); ++i) together.at(i * ranks + r) = mine[i];
  }
  CHECK(together == alone);
}

}  // namespace

TEST_CASE("random orientations: the same on every platform, each as often, of each rank and from any position") {
  UniformBoxes const boxes{{100, 100, 100}, {4, 4, 4}, {.seed = 7}, 2000};
  RandomTurns const turns{.flip = {2, 0}, .permute = {0, 2}};
  auto const all_of = [](auto sampler) {
    std::vector<OrientedBox> drawn;
    while (auto box = sampler()) drawn.push_back(*box);
    return drawn;
  };
  auto const alone = all_of(RandomOrientations{boxes, turns, {.seed = 7}});
  REQUIRE(alone.size() == 2000);
  std::map<std::string, int> counts;
  std::vector<std::string> first;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    auto const& [flip, axes] = alone[i].orientation;
    auto const text = to_text({to_string(flip), to_string(axes)});
    ++counts[text];
    if (i < 4) first.push_back(text);
  }
  CHECK(counts.size() == 4 * 2);
  for (auto const& one : counts) {
    CAPTURE(one.first);
    CHECK(one.second > 200);
    CHECK(one.second < 300);
  }
  CHECK(first == std::vector<std::string>{"[][0, 1, 2]", "[][0, 1, 2]", "[2][2, 1, 0]", "[2, 0][0, 1, 2]"});
  auto plain = boxes;
  for (auto const& one : alone)
    CHECK(one.box.resolve({100, 100, 100}).first == plain()->resolve({100, 100, 100}).first);
  for (std::uint64_t rank = 0; rank < 3; ++rank) {
    SamplerOptions const options{.seed = 7, .rank = rank, .ranks = 3};
    RandomOrientations some{UniformBoxes{{100, 100, 100}, {4, 4, 4}, options, 2000}, turns, options};
    some.seek(5);
    CHECK(some.position() == 5);
    for (std::uint64_t i = 5; i < 50; ++i) CHECK(some()->orientation == alone[3 * i + rank].orientation);
  }
  check_refused<SelectionError>([&] { (RandomOrientations{boxes, {.flip = {1, 1}}}); }, {"[1, 1]", "each once"});
  check_refused<SelectionError>([&] { (RandomOrientations{boxes, {.permute = {2, 64}}}); }, {"[2, 64]"});
}

TEST_CASE("the boxes of a seed are the same on every platform") {
  CHECK(drawn(UniformBoxes{{1000, 1000}, {10, 20}, {.seed = 7}, 3}, {10, 20}) ==
        std::vector<std::vector<std::uint64_t>>{{366, 370}, {309, 977}, {181, 472}});
  CHECK(drawn(ShuffledGrid{{10}, {2}, {.seed = 7}, 2}, {2}) ==
        std::vector<std::vector<std::uint64_t>>{{8}, {0}, {2}, {6}, {4}, {0}, {6}, {4}, {8}, {2}});
  CHECK(drawn(WeightedBoxes{{{{0, 2}}, {{2, 4}}, {{4, 6}}}, {1, 2, 4}, {.seed = 7}, 6}, {2}) ==
        std::vector<std::vector<std::uint64_t>>{{4}, {0}, {4}, {4}, {0}, {2}});
}

TEST_CASE("uniform boxes: every place is drawn, about equally often; counted, resumed, shared by ranks") {
  UniformBoxes const sampler{{7, 5}, {4, 5}, {.seed = 3}, 4000};
  CHECK(sampler.size() == 4000);
  std::map<std::vector<std::uint64_t>, int> counts;
  for (auto const& first : drawn(sampler, {4, 5})) ++counts[first];
  CHECK(counts.size() == 4);
  for (auto const& [first, count] : counts) CHECK(std::abs(count - 1000) < 150);
  check_resumes(UniformBoxes{{90, 80}, {4, 5}, {.seed = 1, .rank = 1, .ranks = 3}, 100}, {4, 5}, 1000);
  check_resumes(UniformBoxes{{90, 80}, {4, 5}}, {4, 5}, 50);
  for (std::uint64_t const count : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{10}, std::uint64_t{11}})
    check_ranks(
        [&](auto r, auto n) {
          return UniformBoxes{{90, 80}, {4, 5}, {.seed = 1, .rank = r, .ranks = n}, count};
        },
        {4, 5}, 4, 1000);
  CHECK(drawn(UniformBoxes{{90}, {4}, {.seed = 1}, 50}, {4}) != drawn(UniformBoxes{{90}, {4}, {.seed = 2}, 50}, {4}));
}

TEST_CASE("a shuffled grid: each box once in an epoch, epochs in orders of their own; resumed, shared by ranks") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    auto const box = random.extents(2, 1, 5);
    Extents const shape{box[0] * random(1, 12) + random(0, box[0] - 1), box[1] * random(1, 12)};
    auto const boxes = (shape[0] / box[0]) * (shape[1] / box[1]);
    ShuffledGrid const sampler{shape, box, {.seed = seed}, 3};
    CHECK(sampler.size() == boxes);
    auto const all = drawn(sampler, box);
    REQUIRE(all.size() == 3 * boxes);
    std::vector<std::vector<std::uint64_t>> epochs[3];
    for (std::size_t e = 0; e < 3; ++e) {
      auto const begin = all.begin() + static_cast<std::ptrdiff_t>(e * boxes);
      epochs[e].assign(begin, begin + static_cast<std::ptrdiff_t>(boxes));
      std::set<std::vector<std::uint64_t>> const different(epochs[e].begin(), epochs[e].end());
      CHECK(different.size() == boxes);
      for (auto const& first : different)
        for (std::size_t d = 0; d < 2; ++d) CHECK((first[d] % box[d] == 0 && first[d] + box[d] <= shape[d]));
    }
    if (boxes > 20) CHECK((epochs[0] != epochs[1] && epochs[1] != epochs[2]));
    check_resumes(sampler, box, 1000);
    auto const ranks = random(1, 5);
    check_ranks(
        [&](auto r, auto n) {
          return ShuffledGrid{shape, box, {.seed = seed, .rank = r, .ranks = n}};
        },
        box, ranks, 1000);
  }
  // A permutation of more numbers than could be listed.
  ShuffledGrid large{{huge, 1 << 20}, {2, 1}};
  std::set<std::vector<std::uint64_t>> different;
  for (auto const& first : drawn(large, {2, 1}, 1000)) different.insert(first);
  CHECK(different.size() == 1000);
  CHECK(drawn(ShuffledGrid{{10}, {3}, {.rank = 3, .ranks = 4}}, {3}).empty());  // there are three boxes
}

TEST_CASE("weighted boxes: as often as their weights say, and never without one") {
  std::vector<Box> const boxes{{{0, 2}}, {{2, 4}}, {{4, 6}}, {{6, 8}}, {{8, 10}}};
  WeightedBoxes const sampler{boxes, {0, 1, 0, 3, 0}, {.seed = 5}, 4000};
  std::map<std::vector<std::uint64_t>, int> counts;
  for (auto const& first : drawn(sampler, {2})) ++counts[first];
  CHECK(counts.size() == 2);
  CHECK(std::abs(counts[{2}] - 1000) < 150);
  CHECK(std::abs(counts[{6}] - 3000) < 150);
  check_resumes(WeightedBoxes{boxes, {1, 1, 1, 2, 2}, {.rank = 1, .ranks = 2}, 100}, {2}, 1000);
  check_ranks(
      [&](auto r, auto n) {
        return WeightedBoxes{boxes, {1, 1, 1, 2, 2}, {.rank = r, .ranks = n}, 99};
      },
      {2}, 3, 1000);
}

TEST_CASE("samplers refuse what they cannot draw") {
  check_refused<SelectionError>([] { UniformBoxes({10, 10}, {5, 11}); }, {"dimension 1", "11", "10"});
  check_refused<SelectionError>([] { UniformBoxes({10, 10}, {5}); }, {"1 dimensions", "2"});
  check_refused<SelectionError>([] { ShuffledGrid({10, 10}, {11, 5}); }, {"dimension 0", "11", "10"});
  check_refused<SelectionError>([] { ShuffledGrid({10, 10}, {5, 0}); }, {"dimension 1", "0"});
  check_refused<Error>([] { UniformBoxes({10}, {5}, {.rank = 2, .ranks = 2}); }, {"rank 2", "below 2"});
  check_refused<SelectionError>([] { WeightedBoxes({{{0, 1}}}, {}); }, {"0 weights", "1"});
  check_refused<SelectionError>([] { WeightedBoxes({{{0, 1}}}, {-1}); }, {"negative"});
  check_refused<SelectionError>([] { WeightedBoxes({{{0, 1}}}, {0}); }, {"sum of the weights"});
  check_refused<SelectionError>([] { WeightedBoxes({}, {}); }, {"sum of the weights"});
}

}  // namespace samplers_tests
