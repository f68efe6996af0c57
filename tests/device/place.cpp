// Placing by kernels, compared with the host's on copies of the same bytes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <device/device.hpp>
#include <support/random.hpp>
#include <support/reference.hpp>

using namespace tessera;
using test::Bytes, test::DeviceQueue, test::Random, test::under_seeds;

namespace {

DeviceBuffer bytes_on_device(Bytes const& bytes, DeviceQueue& on) {
  return test::made<DeviceBuffer>(test::text(test::view(bytes)), on);
}
Bytes bytes_on_host(DeviceBuffer const& buffer, DeviceQueue& on) { return test::bytes(test::text(buffer.view(), on)); }

/// Random strides of one side of a batch, without two elements in one place, and the bytes around them.
struct Side {
  Strides strides;
  std::size_t first = 0, size = 0;  // of a box: the byte of its first element, and its size in bytes

  /// `grain`: strides and places are multiples of it, and of the size of an element.
  Side(Random& random, Extents const& most, std::size_t item, std::size_t grain, bool in_order) {
    strides = Strides::filled(most.rank(), 0);
    auto order = random.permutation(most.rank());
    if (in_order)
      for (std::size_t d = 0; d < order.rank(); ++d) order[d] = order.rank() - 1 - d;
    auto const gap = [&] { return random.one_in(3) ? random(0, 2) * grain : 0; };
    std::uint64_t stride = item + (random.one_in(5) ? gap() : 0), below = 0;
    for (auto d : order) {
      bool const is_negative = random.one_in(6);
      strides[d] = is_negative ? -static_cast<std::int64_t>(stride) : static_cast<std::int64_t>(stride);
      if (is_negative) below += stride * (most[d] - 1);
      stride = stride * most[d] + gap();
    }
    first = below + random(0, 2) * grain;
    size = first - below + stride + item;
    size = (size + grain - 1) / grain * grain;
  }
};

struct Batch {
  bool crossed;  // an array of some size in each of its dimensions, in another order on each side
  std::size_t item, swapped;
  Extents most;
  Side from, to;
  Bytes source, destination, fill;
  std::vector<Placement<space::Host>> boxes;  // from and to: offsets into the two

  static std::size_t item_of(Random& random, bool crossed) {
    std::size_t const sizes[] = {1, 2, 4, 8, 16, 3, 5, 24};
    return sizes[random(0, crossed ? 4 : 7)];
  }
  static std::size_t swapped_of(Random& random, std::size_t item) {
    std::size_t const sizes[] = {2, 4, 8};
    auto const size = sizes[random(0, 2)];
    return item % size == 0 ? size : 1;
  }
  static Extents extents(Random& random, bool crossed) {
    if (crossed) {
      auto const rank = random(2, 4);
      return random.extents(rank, rank == 2 ? 2 : 3, rank == 2 ? 90 : rank == 3 ? 40 : 14);
    }
    auto const rank = random(0, 8);
    std::uint64_t const most[] = {1, 3000, 90, 24, 10, 6, 4, 3, 3};
    auto result = random.extents(rank, 1, most[rank]);
    if (rank > 1 && random.one_in(3)) result[random(0, rank - 1)] = 1;
    if (rank > 2 && random.one_in(3)) result[random(0, rank - 1)] = 40;
    return result;
  }

  std::size_t grain(Random& random) const { return crossed || random.one_in(2) ? 16 : random(1, 20); }

  explicit Batch(Random& random)
      : crossed{random.one_in(3)},
        item{item_of(random, crossed)},
        swapped{random.one_in(2) ? 1 : swapped_of(random, item)},
        most{extents(random, crossed)},
        from{random, most, item, grain(random), !crossed && random.one_in(3)},
        to{random, most, item, grain(random), crossed || random.one_in(2)},
        fill{random.noise(item)} {
    auto const many = test::size_of(most) * item > 3000;
    auto const count = random.one_in(8) ? 0 : random.one_in(4) && !many ? random(0, 200) : random(1, 9);
    auto const fills = random(0, 3);  // in four
    if (!crossed && most.rank() > 0 && random.one_in(6))
      from.strides[random(0, most.rank() - 1)] = 0;  // one element again and again
    source = random.noise(count * from.size);
    destination = random.noise(count * to.size);
    bool const at_edges = random.one_in(2);
    for (std::uint64_t i = 0; i < count; ++i) {
      auto extents = most;
      if (at_edges)
        for (auto d = std::size_t{0}; d < most.rank(); ++d)
          if (random.one_in(4)) extents[d] = random(random.one_in(10) ? 0 : 1, most[d]);
      bool const is_filled = random(0, 3) < fills;
      boxes.push_back({is_filled ? nullptr : source.data() + i * from.size + from.first,
                       destination.data() + i * to.size + to.first, extents});
    }
  }

  PlacementForm form() const { return {item, swapped, test::view(fill), from.strides, to.strides}; }
  std::vector<Placement<space::Device>> boxes_in(DeviceBuffer const& there, DeviceBuffer& here) const {
    std::vector<Placement<space::Device>> result;
    for (auto const& [f, t, n] : boxes)
      result.push_back(
          {f ? there.view().data + (f - source.data()) : nullptr, here.span().data + (t - destination.data()), n});
    return result;
  }
};

void check_batch(std::uint64_t seed, DeviceQueue& on, std::uint64_t limit) {
  CAPTURE(seed);
  CAPTURE(limit);
  Random random{seed};
  Batch batch{random};
  CAPTURE(batch.item);
  CAPTURE(batch.swapped);
  CAPTURE(to_string(batch.most));
  CAPTURE(to_string(batch.from.strides));
  CAPTURE(to_string(batch.to.strides));
  auto const from = bytes_on_device(batch.source, on);
  auto to = bytes_on_device(batch.destination, on);
  auto const boxes = batch.boxes_in(from, to);
  auto const form = batch.form();
  detail::PlacementPlan plan;
  plan.make(boxes, form, limit);
  CHECK(std::all_of(plan.shapes.begin(), plan.shapes.end(), [&](auto const& shape) { return shape.words < limit; }));
  auto const moved = detail::place_by_kernels<space::Device>(boxes, form, on, limit);
  test::HostQueue host;
  CHECK(moved == placer<space::Host>::place(batch.boxes, form, host));
  CHECK(bytes_on_host(to, on) == batch.destination);  // all of it: nothing outside the boxes is changed
  CHECK(bytes_on_host(from, on) == batch.source);
}

}  // namespace

TEST_CASE("placing by kernels does what placing by the host does") {
  std::uint64_t seed = 0;
  under_seeds(16, [&] {
    DeviceQueue on{test::HostQueue{}};
    for (int i = 0; i < 60; ++i) check_batch(++seed, on, std::uint64_t{1} << 31);
  });
}

namespace {

/// Test processors read words at any address; devices do not.
void check_alignment(detail::PlacementPlan const& plan) {
  std::uint64_t together = 0;
  for (auto const& box : plan.boxes)
    together |= reinterpret_cast<std::uintptr_t>(box.from) | reinterpret_cast<std::uintptr_t>(box.to);
  for (std::uint32_t d = 0; d < plan.table.rank; ++d)
    together |= static_cast<std::uint64_t>(plan.table.axes[d].from) | static_cast<std::uint64_t>(plan.table.axes[d].to);
  CHECK(together % plan.word == 0);
}

/// A tile is in shared memory from its first word to its last.
template <class Kernel>
void check_tile(Kernel const& kernel) {
  auto const& table = kernel.table;
  auto const step = [&](std::uint32_t axis) { return table.axes[axis].step; };
  auto const lines = 1u << (step(table.row) + step(table.depth)), columns = 1u << step(table.column);
  CHECK(lines * columns <= Kernel::words);
  CHECK(lines * (columns + Kernel::padding) <= std::extent_v<decltype(Kernel::Shared::word)>);
}

}  // namespace

TEST_CASE(
    "the batches of the test above need every kernel: each size of word, in tiles and not, and words are aligned") {
  std::set<std::pair<unsigned, bool>> kernels;
  for (std::uint64_t seed = 1; seed <= 960; ++seed) {
    Random random{seed};
    Batch const batch{random};
    std::vector<Placement<space::Device>> boxes;  // planned only
    for (auto const& [from, to, count] : batch.boxes) boxes.push_back({from, to, count});
    detail::PlacementPlan plan;
    plan.make(boxes, batch.form());
    if (plan.moved == 0) continue;
    kernels.emplace(plan.word, plan.tiled);
    check_alignment(plan);
    if (plan.tiled)
      detail::with_word(plan.word, [&](auto word) { check_tile(detail::PlaceTiles<word()>{plan.table}); });
  }
  CHECK(kernels.size() == 10);
}

TEST_CASE("boxes with many words are divided, and nothing is lost or done twice") {
  std::uint64_t seed = 10000;
  under_seeds(4, [&] {
    DeviceQueue on{test::HostQueue{}};
    for (int i = 0; i < 60; ++i) check_batch(++seed, on, 30);
  });
}

TEST_CASE("boxes that fill their memory to its ends: nothing beside it is touched") {
  under_seeds(1, [] {
    DeviceQueue on{test::HostQueue{}};
    for (std::size_t item : {1u, 2u, 4u, 8u, 16u, 3u})
      for (auto const& shape : {Extents{37, 53}, Extents{3, 70, 5}, Extents{1001}, Extents{32, 4, 32}})
        for (bool const crossed : {false, true}) {
          CAPTURE(item);
          CAPTURE(to_string(shape));
          CAPTURE(crossed);
          auto const source = Random{item}.noise(test::size_of(shape) * item);
          Bytes expected(source.size());
          auto const from = bytes_on_device(source, on);
          auto to = bytes_on_device(expected, on);
          auto const rows = Layout::c_order(shape, item).strides;
          auto other = rows;  // the first dimension is the contiguous one
          auto stride = static_cast<std::int64_t>(item);
          for (std::size_t d = 0; d < shape.rank(); stride *= static_cast<std::int64_t>(shape[d++])) other[d] = stride;
          PlacementForm const form{item, 1, {}, crossed ? other : rows, rows};
          std::vector<Placement<space::Host>> const here{{source.data(), expected.data(), shape}};
          std::vector<Placement<space::Device>> const there{{from.view().data, to.span().data, shape}};
          placer<space::Device>::place(there, form, on);
          placer<space::Host>::place(here, form, on.host());
          CHECK(bytes_on_host(to, on) == expected);
        }
  });
}

TEST_CASE("a division by multiplication is a division") {
  Random random{1};
  constexpr std::uint32_t most = (std::uint32_t{1} << 31) - 1;
  auto const check = [&](std::uint32_t by) {
    CAPTURE(by);
    detail::Division const division{by};
    std::uint32_t wrong = 0;
    for (std::uint32_t n : {0u, 1u, by - 1, by, by + 1, 2 * by - 1, most / by * by - 1, most / by * by, most})
      if (n <= most) wrong += division.quotient(n) != n / by || division.remainder(n) != n % by;
    for (int i = 0; i < 50; ++i) {
      auto const n = static_cast<std::uint32_t>(random(0, most));
      wrong += division.quotient(n) != n / by || division.remainder(n) != n % by;
    }
    CHECK(wrong == 0);
  };
  for (std::uint32_t by = 1; by <= 300; ++by) check(by);
  for (unsigned bit = 8; bit < 31; ++bit)
    for (std::uint32_t by : {(1u << bit) - 1, 1u << bit, (1u << bit) + 1}) check(by);
  for (int i = 0; i < 300; ++i) check(static_cast<std::uint32_t>(random(1, most)));
  check(most);
}

TEST_CASE("what has no elements is no launch") {
  under_seeds(1, [] {
    DeviceQueue on{test::HostQueue{}};
    auto to = test::made<DeviceBuffer>("12345678", on);
    std::vector<Placement<space::Device>> const boxes(3, {to.view().data, to.span().data, {3, 0}});
#if defined(TESSERA_CUDA_EMULATION)
    emulation::Watch watch;
#endif
    CHECK(placer<space::Device>::place(boxes, {1, 1, {}, {1, 1}, {1, 1}}, on) == 0);
    CHECK(placer<space::Device>::place({}, {}, on) == 0);
#if defined(TESSERA_CUDA_EMULATION)
    CHECK(watch.launches() == 0);
    CHECK(watch.count("cudaMemcpyAsync") == 0);
#endif
    CHECK(test::text(to.view(), on) == "12345678");
  });
}

TEST_CASE("ranks up to 32 are placed where dimensions continue each other, and refused by name where they do not") {
  under_seeds(1, [] {
    DeviceQueue on{test::HostQueue{}};
    Extents const count = Extents::filled(20, 2);
    auto const dense = Layout::c_order(count, 1).strides;
    Bytes const bytes = Random{5}.noise(std::size_t{1} << 20);
    auto const from = bytes_on_device(bytes, on);
    auto to = bytes_on_device(Bytes(bytes.size()), on);
    std::vector<Placement<space::Device>> const boxes{{from.view().data, to.span().data, count}};
    CHECK(placer<space::Device>::place(boxes, {1, 1, {}, dense, dense}, on) == bytes.size());
    CHECK(bytes_on_host(to, on) == bytes);
    auto reversed = dense;
    for (std::size_t d = 0; d < 20; ++d) reversed[d] = dense[19 - d];
    try {
      placer<space::Device>::place(boxes, {1, 1, {}, dense, reversed}, on);
      FAIL("it was not refused");
    } catch (Error const& error) {
      CHECK(std::string{error.what()}.find("a device cannot place boxes of 20 dimensions that are not contiguous") ==
            0);
    }
    CHECK_THROWS_AS(placer<space::Device>::place(boxes, {3, 3, {}, dense, dense}, on), Error);
  });
}

namespace {

void check_filled(std::uint64_t seed, DeviceQueue& on) {
  CAPTURE(seed);
  Random random{seed};
  std::size_t const sizes[] = {1, 2, 3, 4, 5, 8, 16, 24, 100, 1500};
  auto const item = sizes[random(0, 9)];
  auto const size = item * random(1, random.one_in(20) ? 300000 / item : 40);
  auto const count = random(0, 30), start = random.one_in(3) ? random(0, 16) : 0;
  CAPTURE(item);
  CAPTURE(size);
  auto const element = random.noise(item);
  Bytes chunks = random.noise(start);
  std::vector<std::uint8_t> expected(count);
  for (auto& is_filled : expected) {
    auto const kind = random(0, 3);
    is_filled = kind > 1;
    auto const begin = chunks.size();
    for (std::size_t at = 0; at < size; at += item) chunks.insert(chunks.end(), element.begin(), element.end());
    if (kind == 0) chunks[begin + random(0, size - 1)] ^= static_cast<std::byte>(random(1, 255));
    if (kind == 1) chunks.back() ^= std::byte{0x80};
  }
  auto const there = bytes_on_device(chunks, on);
  std::vector<std::uint8_t> filled(count, 7);
  placer<space::Device>::find_filled(there.view().sub(start, count * size), size, test::view(element), filled, on);
  CHECK(filled == expected);
}

}  // namespace

TEST_CASE("chunks of nothing but the fill value are found, whatever its size and theirs") {
  std::uint64_t seed = 0;
  under_seeds(16, [&] {
    DeviceQueue on{test::HostQueue{}};
    for (int i = 0; i < 20; ++i) check_filled(++seed, on);
  });
}

TEST_CASE("chunks are compared by bits: a NaN is itself and no other, and -0.0 is not 0.0") {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const nan = std::numeric_limits<double>::quiet_NaN();
    auto other = nan;
    auto* const bits = reinterpret_cast<unsigned char*>(&other);
    bits[0] ^= 1;
    std::vector<double> const values{nan, nan, nan, other, 0.0, 0.0, -0.0, -0.0, 0.0, -0.0};
    auto const there = bytes_on_device(test::memory_of(values), on);
    auto const find = [&](double fill) {
      std::vector<std::uint8_t> filled(5);
      auto const element = test::memory_of(std::vector{fill});
      placer<space::Device>::find_filled(there.view(), 16, test::view(element), filled, on);
      return filled;
    };
    CHECK(find(nan) == std::vector<std::uint8_t>{1, 0, 0, 0, 0});
    CHECK(find(0.0) == std::vector<std::uint8_t>{0, 0, 1, 0, 0});
    CHECK(find(-0.0) == std::vector<std::uint8_t>{0, 0, 0, 1, 0});
  });
}

#if defined(TESSERA_CUDA_EMULATION)
TEST_CASE(
    "a batch is one launch, and one copy of a table if it is large; nothing waits, and after the first nothing is "
    "allocated") {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const from = test::made<DeviceBuffer>(test::long_text(200 * 256), on);
    DeviceBuffer to(200 * 256, on);
    auto const element = test::host_bytes("fill");
    PlacementForm const straight{4, 4, element, {32, 4}, {32, 4}}, crossed{4, 4, element, {4, 32}, {32, 4}};
    for (bool const is_first : {true, false})
      for (std::size_t count : {1u, 200u, 7u})
        for (auto const& form : {straight, crossed}) {
          CAPTURE(count);
          std::vector<Placement<space::Device>> boxes;
          for (std::size_t i = 0; i < count; ++i)
            boxes.push_back({i % 3 == 1 ? nullptr : from.view().data + i * 256,
                             to.span().data + i * 256,
                             {i % 5 == 0 ? 7u : 8u, 8}});
          on.wait();
          emulation::Watch watch;
          placer<space::Device>::place(boxes, form, on);
          CHECK(watch.launches() == 1);
          std::size_t const tables = count > 100 ? 1 : 0;
          CHECK(watch.copies(cudaMemcpyHostToDevice) == tables);
          CHECK(watch.count("cudaMemcpyAsync") == tables);
          CHECK((watch.count("cudaEventRecord") == 0) == (tables == 0));  // the launch is all
          CHECK(watch.synchronisations() == 0);
          CHECK(watch.count("cudaEventSynchronize") == 0);
          if (is_first) continue;
          CHECK(watch.count("cudaMallocFromPoolAsync") == 0);
          CHECK(watch.count("cudaHostAlloc") == 0);
        }
  });
}

TEST_CASE("to look for filled chunks is one launch, no copy, and a wait for an event") {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const there = test::made<DeviceBuffer>(std::string(6400, 'x'), on);
    for (bool const is_first : {true, false}) {
      std::vector<std::uint8_t> filled(100);
      emulation::Watch watch;
      placer<space::Device>::find_filled(there.view(), 64, test::host_bytes("xxxx"), filled, on);
      CHECK(watch.launches() == 1);
      CHECK(watch.count("cudaMemcpyAsync") == 0);
      CHECK(watch.synchronisations() == 0);
      CHECK(watch.count("cudaEventSynchronize") == 1);
      if (!is_first) CHECK(watch.count("cudaMallocFromPoolAsync") + watch.count("cudaHostAlloc") == 0);
      on.wait();
      CHECK(std::count(filled.begin(), filled.end(), 1) == 100);
    }
  });
}
#endif
