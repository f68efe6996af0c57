#include <string>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/random.hpp>
#include <support/reference.hpp>
#include <support/refused.hpp>
#include <tessera/codec/array_to_array/transpose.hpp>
#include <tessera/codec/detail/configuration.hpp>

using namespace tessera;
using test::check_refused;

static codec::Transpose transpose(std::string const& configuration) {
  return make_codec<codec::Transpose>(
      test::specification(R"({"name": "transpose", "configuration": )" + configuration + "}"));
}

static constexpr DataType byte{DataKind::unsigned_integer, 1};

TEST_CASE("transpose: order is a permutation (CODEC-TRANSPOSE-01, 04)") {
  CHECK(transpose(R"({"order": [2, 0, 1]})").order == Extents{2, 0, 1});
  CHECK(transpose(R"({"order": [0]})").order == Extents{0});
  CHECK(transpose(R"({"order": []})").order == Extents{});
}

TEST_CASE("transpose: what is no permutation is refused (CODEC-TRANSPOSE-01, 03)") {
  auto refuse = [](char const* configuration, std::initializer_list<char const*> words) {
    CAPTURE(std::string{configuration});
    check_refused<MetadataError>([&] { transpose(configuration); }, words);
  };
  refuse(R"({})", {"codec transpose", "configuration.order is missing"});
  refuse(R"({"order": [0, 0]})", {"codec transpose", "configuration.order", "[0, 0]", "a permutation of 0..1"});
  refuse(R"({"order": [1, 2]})", {"a permutation of 0..1"});
  refuse(R"({"order": [0, 9223372036854775807]})", {"a permutation of 0..1"});
  refuse(R"({"order": [-1, 0]})", {"configuration.order[0]", "found -1"});
  refuse(R"({"order": [1.0, 0]})", {"configuration.order[0]", "found 1.0"});
  refuse(R"({"order": ["1", 0]})", {"configuration.order[0]"});
  refuse(R"({"order": 0})", {"configuration.order", "a list"});
  refuse(R"({"order": [0], "axes": [0]})", {"configuration.axes is unknown"});
  refuse(R"({"order": [0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2]})", {"at most 32"});
}

TEST_CASE("transpose: a chunk of another rank is refused (CODEC-TRANSPOSE-03)") {
  check_refused<MetadataError>(
      [] {
        transpose(R"({"order": [1, 0]})").encoded({{2, 3, 4}, byte});
      },
      {"configuration.order", "[1, 0]", "3 dimensions"});
}

TEST_CASE("transpose: encoded dimension i is decoded dimension order[i] (CODEC-TRANSPOSE-02)") {
  auto const codec = transpose(R"({"order": [2, 0, 1]})");
  CHECK(codec.encoded({{2, 3, 4}, byte}).shape == Extents{4, 2, 3});
  auto const seen = codec.decoded(Layout::c_order({4, 2, 3}, 1));
  CHECK(seen.shape == Extents{2, 3, 4});
  CHECK(seen.strides == Strides{3, 1, 6});
}

TEST_CASE("transpose: reading through it is undoing it") {
  std::uint64_t const seed = 11;
  CAPTURE(seed);
  test::Random random{seed};
  for (int round = 0; round < 200; ++round) {
    auto const rank = random(0, 5);
    auto const shape = random.extents(rank, 1, 4);
    codec::Transpose const codec{random.permutation(rank)};
    auto const elements = random.noise(test::size_of(shape) * 2);
    auto const [stored, stored_shape] = test::transposed(elements, shape, codec.order, 2);
    CHECK(codec.encoded({shape, {DataKind::unsigned_integer, 2}}).shape == stored_shape);
    auto const layout = codec.decoded(Layout::c_order(stored_shape, 2));
    CHECK(test::seen_through(layout, test::view(stored)) == elements);
  }
}

TEST_CASE("transpose: what it was made from comes out again") {
  auto const found = specification_of(transpose(R"({"order": [2, 0, 1]})"));
  CHECK(found.name == "transpose");
  CHECK(found.configuration ==
        test::specification(R"({"name": "x", "configuration": {"order": [2, 0, 1]}})").configuration);
}
