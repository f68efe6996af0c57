// A cache's bookkeeping, without memory: least recent use, free slots, sizes of slabs.
#include <array>
#include <mutex>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/cache/detail/arena.hpp>
#include <tessera/cache/detail/chunk_copies.hpp>
#include <tessera/cache/detail/evict.hpp>
#include <tessera/cache/detail/least_recently_used.hpp>
#include <tessera/cache/detail/slots.hpp>
#include <tessera/cache/detail/take_chunks.hpp>
#include <tessera/view/box.hpp>

namespace cache_bookkeeping_tests {

using namespace tessera;

namespace {

struct Used : detail::UseLink {
  explicit Used(int n) : number{n} {}
  int number;
};

std::vector<int> order_of(detail::LeastRecentlyUsed<Used>& used) {
  std::vector<int> order;
  for (auto* one = used.coldest(); one; one = used.after(*one)) order.push_back(one->number);
  return order;
}

}  // namespace

TEST_CASE("the least recently used is the first") {
  Used a{1}, b{2}, c{3};
  detail::LeastRecentlyUsed<Used> used;
  CHECK(used.coldest() == nullptr);
  used.add_warmest(a), used.add_warmest(b), used.add_coldest(c);
  CHECK(order_of(used) == std::vector{3, 1, 2});
  CHECK(used.size() == 3);
  used.remove(a);
  used.remove(a);  // it is missing
  used.add_warmest(a);
  CHECK(order_of(used) == std::vector{3, 2, 1});
  used.remove(a), used.remove(b), used.remove(c);
  CHECK(order_of(used).empty());
  CHECK(used.size() == 0);
}

TEST_CASE("clean chunks leave and dirty ones stay, unless dirty ones are wanted too") {
  struct Chunk {
    bool is_dirty = false;
  };
  struct Copy : detail::UseLink {
    Chunk* of = nullptr;
    void* data = this;
    bool is_there = true;
  };
  struct State {
    using Copy = struct Copy;
    std::mutex book;
    detail::LeastRecentlyUsed<Copy> used;
    auto& idle(detail::Level) { return used; }
  };
  std::array<Chunk, 4> chunks;
  std::array<Copy, 4> copies;
  State state;
  for (std::size_t i = 0; i < 4; ++i) copies[i].of = &chunks[i], state.used.add_warmest(copies[i]);
  chunks[0].is_dirty = chunks[2].is_dirty = true;
  auto const left = [&] {
    std::vector<std::ptrdiff_t> places;
    for (auto* one = state.used.coldest(); one; one = state.used.after(*one)) places.push_back(one - copies.data());
    return places;
  };
  using Places = std::vector<std::ptrdiff_t>;

  auto const clean = detail::take_coldest(state, detail::Level::near, 4, false);
  CHECK(clean == std::vector<Copy*>{&copies[1], &copies[3]});
  CHECK((copies[0].is_there && !copies[1].is_there && copies[2].is_there && !copies[3].is_there));
  CHECK(left() == Places{0, 2});
  detail::keep_after_all(state, detail::Level::near, clean);
  CHECK(left() == Places{1, 3, 0, 2});
  CHECK((copies[1].is_there && copies[3].is_there));
  CHECK(detail::take_coldest(state, detail::Level::near, 1, false) == std::vector<Copy*>{&copies[1]});
  CHECK(left() == Places{3, 0, 2});
  CHECK(detail::take_coldest(state, detail::Level::near, 2) == std::vector<Copy*>{&copies[3], &copies[0]});
  CHECK(left() == Places{2});
}

TEST_CASE("slots that are taken together follow each other") {
  detail::Slots slots;
  CHECK(slots.add_slab(3) == 0);
  CHECK(slots.add_slab(2) == 1);
  auto const some = slots.take(4);
  CHECK(some == std::vector<detail::Slot>{{0, 0}, {0, 1}, {0, 2}, {1, 0}});
  CHECK(some[0].is_followed_by(some[1]));
  CHECK_FALSE(some[2].is_followed_by(some[3]));
  CHECK(slots.free() == 1);
  CHECK(slots.taken(0) == 3);
  slots.give_back({0, 1});
  slots.give_back({0, 1});
  CHECK(slots.free() == 2);
  CHECK(slots.taken(0) == 2);
  CHECK(slots.take(1)[0] == detail::Slot{0, 1});
  for (std::uint32_t i = 0; i < 3; ++i) slots.give_back({0, i});
  slots.remove_slab(0);
  CHECK(slots.size() == 2);
  CHECK(slots.free() == 1);
  CHECK(slots.add_slab(1) == 2);
}

TEST_CASE("one copy takes all slots that follow each other on both sides") {
  std::vector<detail::SlotPair> pairs{
      {{0, 2}, {1, 5}}, {{0, 0}, {1, 3}}, {{0, 1}, {1, 4}}, {{0, 3}, {1, 8}}, {{1, 4}, {1, 9}}};
  std::vector<std::size_t> counts;
  detail::for_each_run(pairs, [&](detail::SlotPair const&, std::size_t count) { counts.push_back(count); });
  CHECK(counts == std::vector<std::size_t>{3, 1, 1});
}

TEST_CASE("slabs take what the budget allows, and not a byte more") {
  Queue<space::Host> on;
  detail::Arena<space::Host> arena{1000, 64};
  CHECK(arena.capacity() == 15);
  CHECK(arena.grow(4, on));
  CHECK(arena.bytes() == 4 * 64);
  CHECK(arena.grow(1, on));  // all of them
  CHECK(arena.slots().size() == 8);
  CHECK(arena.grow(7, on));
  CHECK(arena.bytes() == 15 * 64);
  CHECK_FALSE(arena.grow(1, on));
  CHECK(arena.capacity() == 15);
  arena.remove_slab(1);
  CHECK(arena.bytes() == 11 * 64);
  CHECK(arena.capacity() == 15);
  CHECK(arena.data({0, 3}) == arena.data({0, 0}) + 3 * 64);
}

TEST_CASE("a slab is no longer than what a held chunk may keep, unless that is one chunk") {
  Queue<space::Host> on;
  using Arena = detail::Arena<space::Host>;
  constexpr std::size_t slot = 3 << 20;  // two to a slab
  Arena arena{8 * slot, slot};
  CHECK(arena.grow(3, on));
  CHECK(arena.slots().slabs() == 2);
  CHECK(arena.slots().size(0) == 2);
  CHECK(arena.slots().size(1) == 2);  // all of them
  CHECK(arena.grow(1, on));
  CHECK(arena.slots().size(2) == 2);  // and no more than that
  CHECK_FALSE(arena.grow(3, on));
  CHECK(arena.slots().size() == 6);
  Arena large{3 * (Arena::most_slab + 64), Arena::most_slab + 64};
  CHECK(large.grow(3, on));
  CHECK(large.slots().slabs() == 3);
}

TEST_CASE("the chunks of a selection, of any kind") {
  using Found = std::vector<std::vector<std::uint64_t>>;
  auto const of_plan = [](ResolvedSelection const& selected) {
    Found found;
    for (auto const& number : detail::touched_chunks<2>(Plan{selected, {10, 10}}))
      found.push_back({number.place.begin(), number.place.end()});
    return found;
  };
  CHECK(of_plan(Region{{5, 19}, {10, 2}, {1, 1}}) == Found{{0, 1}, {0, 2}, {1, 1}, {1, 2}});
  CHECK(of_plan(Region{{5, 19}, {0, 2}, {1, 1}}).empty());
  CHECK(of_plan(Region{{0, 0}, {1, 3}, {1, 40}}) == Found{{0, 0}, {0, 4}, {0, 8}});

  // A box with small steps is recognised without a plan: the same chunks.
  Extents const shape{100, 100}, chunk{10, 10};
  for (auto const& box : {Box{{5, 15}, {19, 21}}, Box{{5, 5}, {19, 21}}, Box{9, 10}, Box{{0, 10}, {0, 20}}, Box{all},
                          Box{{3, 100, 7}, {9, 99, 10}}, Box{{9, 21, 10}, {0, 11, 9}}}) {
    auto const range = detail::touched_chunks<2>(box, shape, chunk);
    CHECK(range.are_neighbours());
    Found found;
    CHECK(range.for_each([&](auto const& number) {
      found.push_back({number.place.begin(), number.place.end()});
      return true;
    }));
    CHECK(found == of_plan(box.resolve(shape)));
  }
  CHECK_FALSE(detail::touched_chunks<2>(Box{all, {0, 100, 11}}, shape, chunk).are_neighbours());
  int some = 0;
  CHECK_FALSE(detail::touched_chunks<2>(all, shape, chunk).for_each([&](auto const&) { return ++some < 2; }));
  CHECK(some == 2);
  CHECK(detail::touched_chunks<0>(all, {}, {}).for_each([&](auto const&) { return ++some; }));
  CHECK(some == 3);
}

}  // namespace cache_bookkeeping_tests
