#include <cstdint>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <tessera/key/key.hpp>

using namespace tessera;

static void check_range(ByteRange range, std::uint64_t total, std::uint64_t offset, std::uint64_t size) {
  CAPTURE(total);
  auto const found = range.resolve(total);
  CHECK(found.offset == offset);
  CHECK(found.size == size);
}

TEST_CASE("a range is all of a value unless said otherwise") {
  CHECK(ByteRange{}.is_whole());
  CHECK_FALSE(ByteRange{1}.is_whole());
  CHECK_FALSE(ByteRange{0, 5}.is_whole());
  CHECK_FALSE(ByteRange::suffix(~std::uint64_t{0}).is_whole());
  check_range({}, 10, 0, 10);
  check_range({}, 0, 0, 0);
}

TEST_CASE("a range is clipped at the value's end") {
  check_range({2, 3}, 10, 2, 3);
  check_range({8, 5}, 10, 8, 2);
  check_range({10, 5}, 10, 10, 0);
  check_range({3}, 10, 3, 7);
  check_range({0, 0}, 10, 0, 0);
  check_range({~std::uint64_t{0} - 1, 5}, ~std::uint64_t{0}, ~std::uint64_t{0} - 1, 1);
}

TEST_CASE("a suffix is counted from the end") {
  check_range(ByteRange::suffix(3), 10, 7, 3);
  check_range(ByteRange::suffix(10), 10, 0, 10);
  check_range(ByteRange::suffix(99), 10, 0, 10);
  check_range(ByteRange::suffix(0), 10, 10, 0);
  check_range(ByteRange::suffix(4), 0, 0, 0);
}

TEST_CASE("a range that begins beyond the end is an error") {
  test::check_refused<StoreError>([] { ByteRange{11, 1}.resolve(10); }, {"byte 11", "10 bytes"});
  CHECK_THROWS_AS((ByteRange{1, 0}.resolve(0)), StoreError);
  CHECK_THROWS_AS((ByteRange{~std::uint64_t{0}, ~std::uint64_t{0}}.resolve(10)), StoreError);
}
