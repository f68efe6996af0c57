// KeptChunks: compared with the best choice, with the least recently used chunk, and with a list of the slots.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include <support/random.hpp>
#include <tessera/loader/detail/kept_chunks.hpp>

namespace kept_chunks_tests {

using tessera::detail::KeptChunks, tessera::detail::NumberedChunk;
using test::Random;
using Numbers = std::vector<std::uint64_t>;

namespace {

std::vector<NumberedChunk> wanted(Numbers const& numbers) {
  std::set<std::uint64_t> const sorted(numbers.begin(), numbers.end());
  std::vector<NumberedChunk> result;
  for (auto const number : sorted) result.push_back({number, result.size()});
  return result;
}

/// The misses, if `horizon` batches are known, the first included. Checks that each slot has the chunk that it should.
std::size_t misses(std::vector<Numbers> const& batches, std::size_t slots, std::size_t horizon) {
  KeptChunks kept{slots};
  std::map<std::size_t, std::uint64_t> in_slots;
  std::size_t count = 0;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    auto const now = wanted(batches[b]);
    kept.begin(now);
    for (auto later = std::min(batches.size(), b + horizon); --later > b;) kept.need_later(wanted(batches[later]));
    kept.decide();
    CHECK(kept.hits().size() + kept.missing().size() == now.size());
    std::set<std::size_t> seen;
    for (auto const& [index, slot] : kept.hits()) {
      CHECK(in_slots.at(slot) == now[index].number);
      seen.insert(index);
    }
    for (auto const& [index, slot] : kept.missing()) {
      seen.insert(index);
      if (slot == KeptChunks::none) continue;
      CHECK(slot < slots);
      in_slots[slot] = now[index].number;
    }
    CHECK(seen.size() == now.size());
    CHECK(std::ranges::is_sorted(kept.missing(), {}, &KeptChunks::Place::index));
    CHECK(kept.size() <= slots);
    count += kept.missing().size();
  }
  return count;
}

/// The least number of misses, over all choices. Batches of one chunk.
std::size_t least_misses(std::vector<Numbers> const& batches, std::size_t slots) {
  std::map<std::set<std::uint64_t>, std::size_t> states{{{}, 0}};
  for (auto const& batch : batches) {
    std::map<std::set<std::uint64_t>, std::size_t> next;
    auto const reach = [&](std::set<std::uint64_t> const& state, std::size_t count) {
      auto const found = next.try_emplace(state, count).first;
      found->second = std::min(found->second, count);
    };
    for (auto const& [state, count] : states) {
      if (state.contains(batch[0])) {
        reach(state, count);
        continue;
      }
      reach(state, count + 1);
      auto larger = state;
      larger.insert(batch[0]);
      if (larger.size() <= slots) reach(larger, count + 1);
      for (auto const gone : state) {
        auto other = larger;
        other.erase(gone);
        reach(other, count + 1);
      }
    }
    states = std::move(next);
  }
  std::size_t least = ~std::size_t{0};
  for (auto const& [state, count] : states) least = std::min(least, count);
  return least;
}

}  // namespace

TEST_CASE("in a circle, the least recently used chunk is the wrong one to evict") {
  std::vector<Numbers> circle;
  for (std::uint64_t i = 0; i < 40; ++i) circle.push_back({i % 4});
  CHECK(misses(circle, 3, 1) == 40);
  CHECK(misses(circle, 3, 40) == 13);  // 4, then one of four
  CHECK(misses(circle, 4, 1) == 4);
  CHECK(misses(circle, 0, 40) == 40);
}

TEST_CASE("no choice is better, if all batches are known") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    std::vector<Numbers> batches;
    for (int i = 0; i < 20; ++i) batches.push_back({random(0, 6)});
    auto const slots = random(1, 4);
    CHECK(misses(batches, slots, batches.size()) == least_misses(batches, slots));
  }
}

TEST_CASE("batches of several chunks, also of more than fit: slots have what they should, and knowing more helps") {
  std::size_t known = 0, unknown = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    std::vector<Numbers> batches(30);
    auto const most = random(1, 12);
    for (auto& batch : batches)
      for (std::uint64_t i = 0, n = random(0, most); i < n; ++i) batch.push_back(random(0, 20));
    auto const slots = random(0, 14);
    known += misses(batches, slots, random(5, 30));
    unknown += misses(batches, slots, 1);
    CHECK(misses(batches, 21, 1) <= 21);  // each once
  }
  CHECK(known < unknown);
}

TEST_CASE("chunks that could not be read are not kept, and their slots are free") {
  KeptChunks kept{2};
  auto const begin = [&](Numbers const& numbers) {
    kept.begin(wanted(numbers));
    kept.decide();
  };
  begin({1});
  begin({1, 2});
  CHECK(kept.hits().size() == 1);
  kept.forget_missing();
  CHECK(kept.size() == 1);
  begin({1, 2});
  CHECK(kept.hits().size() == 1);
  CHECK(kept.missing()[0].slot < 2);
  CHECK(kept.missing()[0].slot != kept.hits()[0].slot);
  begin({1, 2});
  CHECK(kept.hits().size() == 2);
}

}  // namespace kept_chunks_tests
