// The sample volume reads with exactly the sums that its README gives, however it is opened.
#include <bit>
#include <vector>

#include <doctest/doctest.h>

#include <support/brain.hpp>
#include <support/reference.hpp>
#include <support/refused.hpp>
#include <support/sha256.hpp>

using namespace tessera;

static constexpr char const* t1_sum = "a42242e3dc051f80e18cf23eb12618a6f09ff951defa2d1e9687d8dcb8810bbf";
static constexpr char const* half_sum = "9cb9da3713e991b8dd67664d810d91811c2f1ccceca1a8ab166b7df91394fbc9";

template <class T>
static std::string sum(std::span<T const> elements) {
  test::HostView const bytes{reinterpret_cast<std::byte const*>(elements.data()), elements.size_bytes()};
  if constexpr (std::endian::native == std::endian::little) return test::sha256(bytes);
  return test::sha256(test::view(test::swapped(test::copy(bytes), sizeof(T))));
}

template <class Array>
static std::string sum_of(Array const& array) {
  auto const read = array.read(all);
  return sum(std::as_const(read).elements());
}

TEST_CASE("the sum is SHA-256") {
  CHECK(test::sha256({}) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  auto const abc = test::bytes("abc");
  CHECK(test::sha256(test::view(abc)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("t1 reads with its sum") {
  using P = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  CHECK(sum_of(test::open_t1()) == t1_sum);
  CHECK(sum_of(open_array<std::uint8_t, 3, Codecs<codec::Bytes, codec::Zstd>>(test::brain_store(), "t1")) == t1_sum);
  CHECK(sum_of(open_array<std::uint8_t, 3, P>(test::brain_store(), "t1")) == t1_sum);
  CHECK(sum_of(open_array<std::uint8_t, 3, P>(test::brain_copy("t1"), "t1", test::HostQueue{2})) == t1_sum);
}

TEST_CASE("t1_half reads with its sum") {
  using P = Pipeline<space::Host, codec::Transpose, codec::Bytes, codec::Blosc>;
  CHECK(sum_of(test::open_t1_half()) == half_sum);
  CHECK(sum_of(open_array<float, 3, P>(test::brain_store(), "t1_half")) == half_sum);
  CHECK(sum_of(open_array<float, 3, P>(test::brain_copy("t1_half"), "t1_half", test::HostQueue{3})) == half_sum);
}

TEST_CASE("the volume may be opened where it is, or from the folder above") {
  LocalStore<HostBuffer> const above{TESSERA_TEST_DATA}, at{TESSERA_TEST_DATA "/brain.zarr/t1"};
  CHECK(sum_of(open_array<std::uint8_t, 3, AllCodecs>(above, "brain.zarr/t1")) == t1_sum);
  CHECK(sum_of(open_array<std::uint8_t, 3, AllCodecs>(at)) == t1_sum);
}

TEST_CASE("t1 is also there for a program that learns type and rank from the file") {
  auto const array = open_any<AllCodecs>(test::brain_store(), "t1_half");
  CHECK(array.type().name() == "float32");
  CHECK(array.shape() == Extents{98, 116, 94});
  CHECK(array.path() == "t1_half");
  std::vector<float> elements(98 * 116 * 94);
  auto const region = Box(all).resolve(array.shape());
  auto* bytes = reinterpret_cast<std::byte*>(elements.data());
  array.read(region, {bytes, Layout::c_order(region.count, 4).strides});
  CHECK(sum(std::span<float const>{elements}) == half_sum);
  test::check_refused<SelectionError>([&] { array.read(region, {bytes, {4}}); }, {"1 strides", "expected 3"});
}

TEST_CASE("t1_sharded reads with the sum of t1") {
  using P = Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes, codec::Zstd>>>;
  CHECK(sum_of(open_array<std::uint8_t, 3, AllCodecs>(test::brain_store(), "t1_sharded")) == t1_sum);
  CHECK(sum_of(open_array<std::uint8_t, 3, P>(test::brain_store(), "t1_sharded")) == t1_sum);
  CHECK(sum_of(open_array<std::uint8_t, 3, P>(test::brain_copy("t1_sharded"), "t1_sharded", test::HostQueue{2})) == t1_sum);
}

TEST_CASE("shards whose inner chunks pass a codec that the program did not name are refused, naming it") {
  test::check_refused<MetadataError>(
      [] { open_array<std::uint8_t, 3>(test::brain_store(), "t1_sharded"); },
      {"brain.zarr: ", "key \"t1_sharded/zarr.json\"", "codec sharding_indexed: ", "\"zstd\"", "transpose, bytes, crc32c"});
  using P = Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes>>>;
  test::check_refused<MetadataError>([] { open_array<std::uint8_t, 3, P>(test::brain_store(), "t1_sharded"); },
                                     {"key \"t1_sharded/zarr.json\"", "bytes | zstd"});
}

TEST_CASE("a codec that the program did not name is refused by name, with the cure") {
  test::check_refused<MetadataError>([] { open_array<std::uint8_t, 3>(test::brain_store(), "t1"); },
                                     {"key \"t1/zarr.json\"", "\"zstd\"", "include <tessera/with/zstd.hpp> and list codec::Zstd"});
  using P = Pipeline<space::Host, codec::Bytes, codec::Blosc>;
  test::check_refused<MetadataError>([] { open_array<std::uint8_t, 3, P>(test::brain_store(), "t1"); },
                                     {"key \"t1/zarr.json\"", "bytes | zstd", "bytes | blosc"});
}
