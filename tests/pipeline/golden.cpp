// Bytes from other programs.
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include <support/chain.hpp>

using namespace tessera;

TEST_CASE("transpose goes in the direction that zarr-python gives it (G-13)") {
  std::vector<std::uint8_t> elements(24);
  std::iota(elements.begin(), elements.end(), std::uint8_t{0});
  auto const stored = test::hex("0004080c10140105090d111502060a0e121603070b0f1317");
  using P = Pipeline<space::Host, codec::Transpose, codec::Bytes>;
  auto const form =
      P{codec::Transpose{{2, 0, 1}}, codec::Bytes{}}.resolve({{2, 3, 4}, {DataKind::unsigned_integer, 1}});
  CHECK(form.is_view());
  CHECK(test::seen_through(form.layout, test::view(stored)) == test::memory_of(elements));
}

TEST_CASE("byte order is as stored, whatever the machine's is") {
  auto const big = test::hex("0001 0102 fffe"), little = test::hex("0100 0201 feff");
  std::vector<std::uint16_t> const elements{0x0001, 0x0102, 0xfffe};
  ChunkSpecification const chunk{{3}, {DataKind::unsigned_integer, 2}};
  using P = Pipeline<space::Host, codec::Bytes>;
  auto seen = [&](std::endian endian, test::Bytes const& stored) {
    return test::seen_through(P{codec::Bytes{endian}}.resolve(chunk).layout, test::view(stored));
  };
  CHECK(seen(std::endian::big, big) == test::memory_of(elements));
  CHECK(seen(std::endian::little, little) == test::memory_of(elements));
}
