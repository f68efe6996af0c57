// An array of eight times the device's budget, by slabs and at random: bytes cross the bus exactly as
// least-recently-used eviction requires, and cached chunks are not decoded again.
#include <algorithm>
#include <list>
#include <random>
#include <set>

#include <device/cache/cached.hpp>

namespace cache_least_recently_used_tests {

#if defined(TESSERA_CUDA_EMULATION)

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::cached_array, test::cached_chunk, test::under_seeds;

namespace {

using Number = std::pair<std::uint64_t, std::uint64_t>;

// The model: a chunk is in one of two memories; the least recently used one moves from the first to the second, and
// leaves that for good. Every step between a memory and the outside that crosses the bus counts. With copies, a chunk
// that comes back stays in the second memory too, as long as its age allows: it leaves the first without crossing, but
// takes room from others.
class Rule {
 public:
  Rule(std::size_t device, std::size_t host, bool copies = false)
      : most_device_{device}, most_host_{host}, has_copies_{copies} {}

  void use(std::vector<Number> const& chunks) {
    for (auto const& chunk : chunks) {
      bool const is_there = erase(device_, chunk), is_on_host = erase(host_, chunk);
      if (!is_there) ++crossings, ++lacked, decoded += !is_on_host;
      device_.push_back(chunk);
      if (has_copies_ && is_on_host) host_.push_back(chunk);
    }
    while (device_.size() > most_device_) {
      crossings += !erase(host_, device_.front());
      host_.push_back(device_.front());
      device_.pop_front();
    }
    while (host_.size() > most_host_) host_.pop_front();
  }

  std::uint64_t crossings = 0, decoded = 0, lacked = 0;  // not on the device

 private:
  static bool erase(std::list<Number>& from, Number const& chunk) {
    auto const found = std::ranges::find(from, chunk);
    if (found == from.end()) return false;
    from.erase(found);
    return true;
  }
  std::size_t most_device_, most_host_;
  bool has_copies_;
  std::list<Number> device_, host_;
};

template <class Next>
void check_trace(std::uint64_t seed, int steps, Next&& next) {
  CAPTURE(seed);
  DeviceQueue on{HostQueue{}};
  constexpr std::uint64_t columns = 256, device = 16, host = 64;
  ChunkCache const cache{cached_array({128, columns}, on),
                         {.device = device * cached_chunk, .host = host * cached_chunk}};
  // Chunks that come back are in both memories while others leave the device for them.
  Rule rule{device, host}, least{device, host - device}, copies{device, host, true};
  std::uint64_t lacking = 0;
  emulation::Watch const watch;
  for (int step = 0; step < steps; ++step) {
    auto const [rows, cols] = next(step);  // chunks
    std::vector<Number> wanted;
    for (auto i = rows.first; i < rows.second; ++i)
      for (auto j = cols.first; j < cols.second; ++j) {
        wanted.push_back({i, j});
        auto const where = cache.where({i, j});
        lacking += !where.on_device && !where.on_host;
      }
    rule.use(wanted);
    least.use(wanted);
    copies.use(wanted);
    auto const held = cache.hold({{rows.first * 16, rows.second * 16}, {cols.first * 16, cols.second * 16}});
    REQUIRE(held.size() == wanted.size());
    auto const some = held[static_cast<std::size_t>(step) % held.size()];
    if (step % 16 == 0) {
      auto const before = cache.statistics();
      CHECK(before.device_bytes <= device * cached_chunk);
      CHECK(before.host_bytes <= host * cached_chunk);
    }
    CHECK(some.first[0] / 16 >= rows.first);
  }
  auto const crossed = watch.copied(cudaMemcpyHostToDevice) + watch.copied(cudaMemcpyDeviceToHost);
  auto const found = cache.statistics();
  CHECK(found.misses == lacking);
  CHECK(found.misses <= least.decoded);
  CHECK(found.misses <= copies.decoded);
  CHECK(100 * (found.misses + found.returns) <= 102 * rule.lacked);  // the device has the model's chunks
  CHECK(10 * crossed <= 11 * rule.crossings * cached_chunk);
  CHECK(10 * crossed <= 15 * copies.crossings * cached_chunk);  // the price of fewer decodes
  CHECK(found.to_device + found.to_host + found.decoded == crossed);
  MESSAGE("seed " << seed << ": " << crossed / cached_chunk << " chunks crossed and " << found.misses
                  << " were decoded; the rule: " << rule.crossings << " and " << rule.decoded
                  << ", with copies on the host: " << copies.crossings << " and " << copies.decoded);
  for (auto const chunk : cache.hold({{32, 64}, {0, 64}}))
    CHECK(test::elements_of(chunk, {16, 16}, on) == test::expected_of(chunk, columns));
}

}  // namespace

TEST_CASE("an array of eight times the device's budget by slabs: what crosses is what the rule asks for") {
  using Range = std::pair<std::uint64_t, std::uint64_t>;
  // Slabs of a row of chunks, forwards and backwards, so that some are used again.
  check_trace(0, 48, [](int step) {
    auto const at = static_cast<std::uint64_t>(step % 16 < 8 ? step % 16 : 15 - step % 16);
    return std::pair{Range{at, at + 1}, Range{0, 16}};
  });
}

TEST_CASE("an array of eight times the device's budget at random: what crosses is what the rule asks for") {
  using Range = std::pair<std::uint64_t, std::uint64_t>;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    std::mt19937_64 random{seed};
    // Most of the time near one place, so that caching pays.
    check_trace(seed, 300, [&](int) {
      auto const row = random() % 4 == 0 ? random() % 8 : random() % 3,
                 col = random() % 4 == 0 ? random() % 13 : random() % 5;
      auto const rows = std::min<std::uint64_t>(row + 1 + random() % 2, 8);
      return std::pair{Range{row, rows}, Range{col, col + 1 + random() % 3}};
    });
  }
}

#endif

}  // namespace cache_least_recently_used_tests
