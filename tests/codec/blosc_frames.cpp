// Blosc chunks that c-blosc wrote, decoded and encoded on the host by the kernels' code.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <blosc.h>
#include <doctest/doctest.h>

#include <support/blosc_on_host.hpp>
#include <support/random.hpp>
#include <tessera/codec/bytes_to_bytes/detail/blosc_plan.hpp>

namespace blosc_frames_tests {

using namespace tessera::detail;

namespace {

struct Written {
  char const* cname = "lz4";
  int level = 5;
  int shuffle = BLOSC_SHUFFLE;
  std::size_t element = 4, block = 0;
};
std::string written(std::string const& plain, Written const& how) {
  std::string to(plain.size() + BLOSC_MAX_OVERHEAD, '?');
  auto const size = blosc_compress_ctx(how.level, how.shuffle, how.element, plain.size(), plain.data(), to.data(),
                                       to.size(), how.cname, how.block, 1);
  REQUIRE(size > 0);
  to.resize(static_cast<std::size_t>(size));
  return to;
}

// Slowly growing numbers, some of whose bytes are random: some blocks do not compress.
std::string numbers(std::size_t size, std::uint64_t seed) {
  test::Random random{seed};
  std::string result(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    result[i] = static_cast<char>(i / 64 >> (i % 4 * 8) & 0xff);
    if (i % 4 == 1 || i / 5000 % 3 == 2) result[i] = static_cast<char>(random(0, 255));
  }
  return result;
}

BloscFrame walked(std::string const& chunk) {
  auto const exact = test::exact_bytes(chunk);
  return BloscFrame::walk(exact.data(), exact.size());
}

}  // namespace

TEST_CASE("blosc: chunks of every compressor, filter, size of element and of block are what c-blosc was given") {
  std::size_t split = 0, stored = 0, filtered = 0;
  for (char const* cname : {"lz4", "lz4hc", "zstd", "zlib", "snappy", "blosclz"})
    for (int const shuffle : {BLOSC_NOSHUFFLE, BLOSC_SHUFFLE, BLOSC_BITSHUFFLE})
      for (std::size_t const element : {1u, 2u, 3u, 4u, 8u, 16u, 17u, 100u, 255u})
        for (std::size_t const size : {1u, 3u, 128u, 4097u, 30000u, 65536u, 100003u})
          for (std::size_t const block : {0u, 1000u, 8192u}) {
            CAPTURE(cname);
            CAPTURE(shuffle);
            CAPTURE(element);
            CAPTURE(size);
            CAPTURE(block);
            auto const plain = numbers(size, size + element);
            auto const chunk = written(plain, {cname, block == 1000 ? 9 : 1, shuffle, element, block});
            auto const frame = walked(chunk);
            CHECK(frame.problem == FrameProblem::none);
            split += frame.splits > 1, stored += frame.is_stored(), filtered += frame.filter != BloscFilter::none;
            auto const found = test::blosc_on_host(chunk, size);
            bool const is_same = found == plain;
            CHECK(is_same);
          }
  CHECK(split > 100);
  CHECK(stored > 100);
  CHECK(filtered > 100);
}

TEST_CASE("blosc: a header says what there is") {
  auto const plain = numbers(100000, 1);
  auto const frame = walked(written(plain, {"lz4", 5, BLOSC_SHUFFLE, 4, 8192}));
  CHECK(frame.inside == BloscInside::lz4);
  CHECK(frame.filter == BloscFilter::bytes);
  CHECK(frame.content == 100000);
  CHECK(frame.block == 65536u);  // c-blosc's minimum, where it splits
  CHECK(frame.blocks() == 2);
  CHECK(frame.whole_blocks() == 1);
  CHECK(frame.splits == 4);
  CHECK(frame.streams() == 5);
  CHECK(frame.size_of(0) == 65536);
  CHECK(frame.size_of(1) == 100000 - 65536);
  CHECK(walked(written(plain, {"zstd", 5, BLOSC_BITSHUFFLE, 4, 16384})).splits == 1);
  auto const stored = walked(written(plain, {"lz4", 0, BLOSC_SHUFFLE, 4, 0}));
  CHECK(stored.is_stored());
  CHECK(stored.streams() == 0);
}

TEST_CASE("blosc: headers that are not sound") {
  auto const chunk = written(numbers(100000, 1), {"lz4", 5, BLOSC_SHUFFLE, 4, 16384});
  auto const with = [&](std::size_t at, std::uint64_t value, std::size_t bytes) {
    auto changed = chunk;
    for (std::size_t i = 0; i < bytes; ++i) changed[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
    return walked(changed).problem;
  };
  for (std::size_t size = 0; size < 200; ++size)
    CHECK(walked(chunk.substr(0, size)).problem == FrameProblem::truncated);
  CHECK(walked(chunk + 'x').problem == FrameProblem::none);
  CHECK(walked(chunk + 'x').size == chunk.size());
  for (std::uint64_t version : {3u, 4u, 5u}) CHECK(with(0, version, 1) == FrameProblem::blosc2);
  for (std::uint64_t version : {0u, 1u, 6u, 255u}) CHECK(with(0, version, 1) == FrameProblem::unknown);
  CHECK(with(1, 2, 1) == FrameProblem::reserved);  // another format of lz4
  CHECK(with(2, 0x29, 1) == FrameProblem::reserved);
  CHECK(with(2, 0x23, 1) == FrameProblem::another);  // stored, in too few bytes
  CHECK(with(3, 0, 1) == FrameProblem::reserved);
  CHECK(with(3, 3, 1) == FrameProblem::reserved);  // three streams of a third of a block
  CHECK(with(4, 0x7fffffff, 4) == FrameProblem::reserved);
  CHECK(with(8, 0, 4) == FrameProblem::reserved);
  CHECK(with(8, 0x80000000, 4) == FrameProblem::reserved);
  CHECK(with(8, 1, 4) == FrameProblem::truncated);  // 100000 blocks
  CHECK(with(12, 0, 4) == FrameProblem::outside);
  CHECK(with(12, 15, 4) == FrameProblem::outside);
  CHECK(with(12, 17, 4) == FrameProblem::truncated);
  CHECK(with(12, 0xffffffff, 4) == FrameProblem::truncated);
  CHECK(with(4, 0, 4) == FrameProblem::none);
}

TEST_CASE("blosc: bytes behind a frame are no part of it, as z5 has left them") {
  for (auto const* inside : {"lz4", "zstd", "zlib", "snappy", "blosclz"})
    for (std::size_t size : {0u, 7u, 10000u}) {
      CAPTURE(std::string{inside});
      CAPTURE(size);
      auto const plain = numbers(size, 3);
      auto const chunk = written(plain, {inside, 5, BLOSC_SHUFFLE, 4, 0});
      for (auto const& tail : {std::string(16, '\0'), chunk, std::string{"x"}})
        CHECK(test::blosc_on_host(chunk + tail, plain.size()) == plain);
    }
}

TEST_CASE("blosc: damaged chunks decode to what c-blosc says, or to nothing, and nothing beyond them is touched") {
  test::Random random{20261124};
  std::size_t same = 0, refused = 0;
  for (int round = 0; round < 4000; ++round) {
    auto const plain = numbers(random(1, 9000), random(0, 1000));
    constexpr char const* names[]{"lz4", "zstd", "zlib", "snappy", "blosclz"};
    auto chunk = written(plain, {names[random(0, 4)], 5, static_cast<int>(random(0, 2)), 1 + random(0, 16),
                                 random(0, 1) * random(100, 5000)});
    for (std::size_t i = 0; i < random(0, 2); ++i)
      chunk[random(0, 1) ? random(0, std::min<std::size_t>(chunk.size() - 1, 40)) : random(0, chunk.size() - 1)] =
          static_cast<char>(random(0, 255));
    CAPTURE(round);
    auto const found = test::blosc_on_host(chunk, plain.size());
    if (!found) {
      ++refused;
      continue;
    }
    std::string expected(plain.size(), '?');
    auto const size = blosc_decompress_ctx(chunk.data(), expected.data(), expected.size(), 1);
    REQUIRE(size >= 0);
    expected.resize(static_cast<std::size_t>(size));
    bool const is_same = *found == expected;
    CHECK(is_same);
    same += is_same;
  }
  CHECK(same > 500);
  CHECK(refused > 500);
}

TEST_CASE("blosc: planned blocks are no larger than those that c-blosc decodes") {
  constexpr std::uint64_t most = BLOSC_MAX_BUFFERSIZE, most_block = BLOSC_MAX_BLOCKSIZE;
  for (auto const inside : {BloscInside::lz4, BloscInside::zstd})
    for (auto const element : {1u, 4u, 255u})
      for (std::uint64_t const block : {std::uint64_t{0}, std::uint64_t{1}, most_block, most_block + 1, most}) {
        CAPTURE(element);
        CAPTURE(block);
        auto const frame = plan_blosc({inside, BloscFilter::bytes, element, block}, most);
        CHECK(frame.block <= most_block);
        CHECK(frame.block + element > std::min(std::max<std::uint64_t>(block, 128), most_block));
        CHECK(frame.block > 0);
      }
  CHECK_THROWS_AS(plan_blosc({BloscInside::lz4, BloscFilter::bytes, 1, 0}, most + 1), tessera::CodecError);
}

}  // namespace blosc_frames_tests
