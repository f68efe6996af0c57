#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include <support/random.hpp>
#include <support/reference.hpp>
#include <support/written_array.hpp>
#include <tessera/plan/detail/plan.hpp>

using namespace tessera;

namespace {

// The elements of a selection, in the order of the target.
std::vector<Extents> elements_of(ResolvedSelection const& selected, std::size_t rank) {
  std::vector<Extents> result;
  if (selected.is_points) {
    auto const& [first, count, owner] = selected.points;
    for (std::size_t i = 0; i < count.size(); ++i) {
      auto at = Extents::filled(rank, 0);
      for (std::size_t d = 0; d < rank; ++d) at[d] = first[i * rank + d];
      for (std::uint64_t k = 0; k < count[i]; ++k) {
        result.push_back(at);
        if (rank > 0) ++at[rank - 1];
      }
    }
    return result;
  }
  test::for_each_index(selected.shape, [&](Extents const& index) {
    auto at = index;
    for (std::size_t d = 0; d < rank; ++d)
      at[d] = selected.list(d) ? (*selected.list(d))[index[d]]
                  : selected.region.first[d] + index[d] * selected.region.step[d];
    result.push_back(at);
  });
  return result;
}

ResolvedSelection random_box(test::Random& random, Extents const& shape) {
  return Box{test::random_slices(random, shape)}.resolve(shape);
}

ResolvedSelection random_lists(test::Random& random, Extents const& shape) {
  auto selected = random_box(random, shape);
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    if (random.one_in(3)) continue;
    auto& list = selected.lists.emplace_back(IndexList{d, {}}).indices;
    auto index = random(0, shape[d] - 1);
    for (auto n = random(0, 12); n > 0; --n) {
      list.push_back(index);
      index = random.one_in(3) ? random(0, shape[d] - 1) : (index + random(0, 2)) % shape[d];
    }
    if (random.one_in(3)) std::sort(list.begin(), list.end());
    selected.shape[d] = list.size();
  }
  return selected;
}

ResolvedSelection random_points(test::Random& random, Extents const& shape) {
  PointRuns runs;
  std::set<Extents, bool (*)(Extents const&, Extents const&)> longer{[](Extents const& a, Extents const& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }};  // elements of runs of several, which belong to no other run
  for (auto n = random(0, 30); n > 0; --n) {
    Extents at;
    for (auto length : shape) at.push_back(random(0, length - 1));
    std::uint64_t count = 0;
    auto const most = shape.rank() > 0 && random.one_in(2) ? random(1, shape[shape.rank() - 1] - at[shape.rank() - 1]) : 1;
    for (auto next = at; count < most && !longer.contains(next); ++count)
      if (shape.rank() > 0) ++next[shape.rank() - 1];
    if (count == 0) continue;
    if (count > 1) {
      bool is_taken = false;
      for (std::size_t i = 0; i < runs.count.size(); ++i) {
        bool same_row = true;
        for (std::size_t d = 0; d + 1 < shape.rank(); ++d) same_row &= runs.first[i * shape.rank() + d] == at[d];
        auto const last = runs.first[(i + 1) * shape.rank() - 1], mine = at[shape.rank() - 1];
        is_taken |= same_row && last < mine + count && mine < last + runs.count[i];
      }
      if (is_taken) continue;
    }
    auto next = at;
    for (std::uint64_t k = 0; k < count && count > 1; ++k, ++next[shape.rank() - 1]) longer.insert(next);
    for (auto index : at) runs.first.push_back(index);
    runs.count.push_back(count);
  }
  return ResolvedSelection{runs};
}

// Chunks of one group are consecutive; groups, and the chunks in each, are in C order.
bool is_before(Extents const& a, Extents const& b, Extents const& group) {
  for (std::size_t d = 0; d < a.rank(); ++d)
    if (a[d] / group[d] != b[d] / group[d]) return a[d] / group[d] < b[d] / group[d];
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

void check_plan(ResolvedSelection const& selected, Extents const& shape, Extents const& chunks, Extents const& group,
                Repeats repeats) {
  auto const rank = shape.rank();
  auto const elements = elements_of(selected, rank);
  Plan const plan{selected, chunks, group, repeats};
  std::vector<int> seen(elements.size()), wanted(elements.size(), 1);
  std::vector<int> given(test::size_of(shape));
  for (auto i = elements.size(); i-- > 0 && repeats == Repeats::last;)
    if (given[test::c_index(shape, elements[i])]++ > 0) wanted[i] = 0;
  std::size_t wrong = 0;
  for (std::size_t d = 0; d < rank; ++d) wrong += plan.steps()[d] != 1 && plan.steps()[d] >= chunks[d];
  std::optional<Extents> before;
  for (std::uint64_t i = 0; i < plan.size(); ++i) {
    auto const piece = plan.piece(i);
    if (before) CHECK(is_before(*before, piece.chunk, group.rank() == 0 ? Extents::filled(rank, 1) : group));
    before = piece.chunk;
    std::uint64_t parts = 0, count = 0;
    plan.for_each_part(piece, [&](Part const& part) {
      ++parts;
      if (parts == 1) wrong += part.first != piece.part.first || part.count != piece.part.count || part.target != piece.part.target;
      CHECK(test::size_of(part.count) > 0);
      count += test::size_of(part.count);
      test::for_each_index(part.count, [&](Extents const& index) {
        auto at = index, target = part.target;
        for (std::size_t d = 0; d < rank; ++d) {
          auto const in_chunk = part.first[d] + index[d] * plan.steps()[d];
          wrong += in_chunk >= chunks[d];
          at[d] = piece.chunk[d] * chunks[d] + in_chunk;
          if (!selected.is_points) target[d] += index[d];
        }
        if (selected.is_points && rank > 0) target[0] += index[rank - 1];
        for (std::size_t d = 0; d < target.rank(); ++d) wrong += target[d] >= selected.shape[d];
        if (wrong > 0) return;
        auto const place = test::c_index(selected.shape, target);
        wrong += elements[place] != at;
        ++seen[place];
      });
    });
    CHECK(parts > 0);
    CHECK((parts == 1) == plan.has_one_part(piece));
    CHECK((parts == 1 || !plan.is_box()));
    CHECK(count == plan.elements(piece));
  }
  CHECK(wrong == 0);
  CHECK(seen == wanted);
}

}  // namespace

TEST_CASE("the parts of a plan are the elements of its selection, each once, its chunks group by group") {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    CAPTURE(seed);
    test::Random random{seed};
    auto const rank = random(0, 3);
    auto const shape = random.extents(rank, 1, 20), chunks = random.extents(rank, 1, 8);
    auto const group = random.one_in(2) ? Extents{} : random.extents(rank, 1, 4);
    auto const selected = seed % 3 == 0   ? random_box(random, shape)
                          : seed % 3 == 1 ? random_lists(random, shape)
                                          : random_points(random, shape);
    check_plan(selected, shape, chunks, group, random.one_in(2) ? Repeats::all : Repeats::last);
  }
}

TEST_CASE("neighbours in a list that are neighbours in the target are one part, and equal steps one region") {
  auto const parts = [](std::vector<std::uint64_t> const& list) {
    ResolvedSelection selected{Region{{0}, {list.size()}, {1}}};
    selected.lists.push_back({0, list});
    Plan const plan{selected, {8}};
    std::vector<std::uint64_t> counts;
    for (std::uint64_t i = 0; i < plan.size(); ++i)
      plan.for_each_part(plan.piece(i), [&](Part const& part) { counts.push_back(part.count[0]); });
    return counts;
  };
  using Counts = std::vector<std::uint64_t>;
  CHECK(parts({4, 5, 6, 7, 8, 9}) == Counts{4, 2});
  CHECK(parts({1, 3, 5, 7, 9}) == Counts{4, 1});
  CHECK(parts({9, 1, 2, 3, 12, 13}) == Counts{3, 1, 2});
  CHECK(parts({3, 2, 1, 0}) == Counts{1, 1, 1, 1});
  CHECK(parts({}) == Counts{});

  ResolvedSelection const points{
      PointRuns{{0, 4, 1, 1, 1, 2, 1, 3}, {2, 1, 1, 1}}};  // (0, 4), (0, 5); (1, 1), (1, 2), (1, 3)
  Plan const plan{points, {2, 8}};
  REQUIRE(plan.size() == 1);
  Counts counts;
  plan.for_each_part(plan.piece(0), [&](Part const& part) { counts.push_back(part.count[1]); });
  CHECK(counts == Counts{2, 3});
}

TEST_CASE("steps may pass over any number of chunks: those between are not planned") {
  Plan const plan{Box{{0, 30, 25}}.resolve({30}), {5}};
  REQUIRE(plan.size() == 2);
  CHECK(plan.piece(0).chunk == Extents{0});
  CHECK(plan.piece(1).chunk == Extents{5});

  constexpr auto length = std::uint64_t{1} << 60, step = std::uint64_t{1} << 50;
  for (auto group : {Extents{}, Extents{7}}) {
    Plan const wide{Box{{0, length, step}}.resolve({length}), {1}, group};
    REQUIRE(wide.size() == 1024);
    CHECK(wide.piece(1023).chunk == Extents{1023 * step});
    CHECK(wide.piece(1023).part.target == Extents{1023});
  }
}

TEST_CASE("an empty region has no chunks; a region without dimensions has one") {
  CHECK(Plan(Box{{3, 3}, all}.resolve({9, 9}), {2, 2}).size() == 0);
  CHECK(Plan(Box(all).resolve({}), {}).size() == 1);
}

TEST_CASE("positions near the largest do not wrap") {
  constexpr auto large = std::uint64_t{1} << 62;
  for (auto group : {Extents{}, Extents{3}, Extents{large}}) {
    Plan const plan{Box{{large - 3, large, large}}.resolve({large}), {4}, group};
    REQUIRE(plan.size() == 1);
    CHECK(plan.piece(0).chunk == Extents{large / 4 - 1});
    CHECK(plan.piece(0).part.first == Extents{1});
    CHECK(plan.piece(0).part.count == Extents{1});
    constexpr auto most = ~std::uint64_t{0};
    Plan const last{Box{{most - 9, most}}.resolve({most}), {2}, group};
    REQUIRE(last.size() == 5);
    CHECK(last.piece(4).chunk == Extents{most / 2});
    CHECK(last.piece(4).part.target == Extents{8});
  }
}
