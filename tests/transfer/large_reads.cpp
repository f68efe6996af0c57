// Reads larger than the caches, which write past them.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/node/create.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/zstd.hpp>

namespace large_reads_tests {

using namespace tessera;

namespace {

constexpr std::uint64_t depth = 36, height = 1000, stored = 600, width = 1024;  // 70 MiB of 16-bit elements
constexpr std::uint16_t fill = 7;

std::vector<std::uint16_t> numbers() {
  std::vector<std::uint16_t> result;
  for (std::uint64_t z = 0; z < depth; ++z)
    for (std::uint64_t y = 0; y < height; ++y)
      for (std::uint64_t x = 0; x < width; ++x)
        result.push_back(y < stored ? static_cast<std::uint16_t>(z * 1009 + y * 31 + x / 3) : fill);
  return result;
}

// Into memory that begins anywhere, whole and without a frame of one element.
template <class P>
void check_reads(std::vector<std::uint16_t> const& elements, Extents const& chunk_shape, P const& pipeline) {
  MemoryStore<HostBuffer> const store;
  Queue<space::Host> const on{2};
  auto const array = create_array<std::uint16_t, 3>(
      store, "a", {.shape = {depth, height, width}, .chunks = chunk_shape, .fill = fill}, pipeline, on);
  array.write(all, elements);
  std::vector<std::uint16_t> found(elements.size() + 64);
  for (std::size_t first : {0u, 1u, 24u}) {
    auto const room = std::span{found}.subspan(first, elements.size());
    std::ranges::fill(found, std::uint16_t{0});
    array.read(all, room);
    CHECK(std::ranges::equal(room, elements));
    CHECK(found.back() == 0);
  }
  constexpr std::uint64_t d = depth - 1, h = height - 2, w = width - 2;
  std::ranges::fill(found, std::uint16_t{0});
  array.read({{1, depth}, {1, height - 1}, {1, width - 1}}, std::span{found}.first(d * h * w));
  std::size_t wrong = 0;
  for (std::uint64_t z = 0; z < d; ++z)
    for (std::uint64_t y = 0; y < h; ++y)
      wrong += !std::equal(found.begin() + static_cast<std::ptrdiff_t>((z * h + y) * w),
                           found.begin() + static_cast<std::ptrdiff_t>((z * h + y + 1) * w),
                           elements.begin() + static_cast<std::ptrdiff_t>(((z + 1) * height + y + 1) * width + 1));
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("what is read past the cache is what was written") {
  auto const elements = numbers();
  check_reads(elements, {12, 100, 96}, Pipeline<space::Host, codec::Bytes, codec::Zstd>{});
  check_reads(elements, {6, 100, 300}, Pipeline<space::Host, codec::Bytes>{codec::Bytes{std::endian::big}});
  using Reversed = Pipeline<space::Host, codec::Transpose, codec::Bytes>;
  check_reads(elements, {12, 100, 96}, Reversed{codec::Transpose{{2, 1, 0}}, codec::Bytes{}});
}

}  // namespace large_reads_tests
