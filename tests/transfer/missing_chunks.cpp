// A missing chunk has the fill value (FILL-02).
#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <support/brain.hpp>
#include <support/written_array.hpp>

using namespace tessera;

TEST_CASE("the chunks of t1 that are taken away read as the fill value, the others as before") {
  auto const store = test::brain_copy("t1");
  auto const document = test::value(store, "t1/zarr.json");
  auto const at = document.find("\"fill_value\": 0");
  REQUIRE(at != document.npos);
  test::put(store, "t1/zarr.json", std::string{document}.replace(at, 15, "\"fill_value\": 93"));
  CHECK(test::erase(store, "t1/c/1/1/1"));
  CHECK(test::erase(store, "t1/c/2/3/0"));
  // The volume's own empty chunks are not stored either.
  std::vector<bool> present(4 * 4 * 3);
  for (std::size_t i = 0; i < present.size(); ++i)
    present[i] = test::value(store, "t1/c/" + std::to_string(i / 12) + '/' + std::to_string(i / 3 % 4) + '/' +
                                        std::to_string(i % 3)) != "(missing)";
  auto expected = test::t1_elements();
  std::size_t i = 0;
  test::for_each_index({197, 233, 189}, [&](Extents const& index) {
    if (!present[index[0] / 64 * 12 + index[1] / 64 * 3 + index[2] / 64]) expected[i] = 93;
    ++i;
  });
  for (std::size_t threads : {1u, 2u}) {
    auto const array = open_array<std::uint8_t, 3, AllCodecs>(store, "t1", test::HostQueue{threads});
    Traffic traffic;
    std::vector<std::uint8_t> elements(expected.size());
    array.read(all, elements, {.mini_batch = 7, .traffic = &traffic});
    CHECK(elements == expected);
    CHECK(traffic.chunks == 48);
    CHECK(traffic.missing == static_cast<std::uint64_t>(std::count(present.begin(), present.end(), false)));
    CHECK(traffic.placed == elements.size());
  }
}

TEST_CASE("an array without any chunk is all fill, in the machine's byte order, and steps make no difference") {
  MemoryStore<HostBuffer> const store;
  auto document = test::array_document().set("shape", "[5, 6]").set("chunk_grid", test::grid("[2, 4]"));
  document.set("data_type", "\"float64\"").set("fill_value", "-1.5");
  document.set("codecs", R"([{"name": "transpose", "configuration": {"order": [1, 0]}},
                             {"name": "bytes", "configuration": {"endian": "big"}}])");
  test::put(store, "zarr.json", document.text());
  auto const array = open_array<double, 2>(store);
  for (auto const& box : {Box(all), Box{{1, 5, 2}, {0, 6, 5}}}) {
    auto const read = array.read(box);
    CHECK(std::count(read.elements().begin(), read.elements().end(), -1.5) == static_cast<std::ptrdiff_t>(read.size()));
    CHECK(read.size() > 0);
  }
}

TEST_CASE("fill values reach the elements with every bit") {
  auto fill = [](char const* json) {
    MemoryStore<HostBuffer> const store;
    auto document = test::array_document().set("data_type", "\"float32\"").set("fill_value", json);
    test::put(store, "zarr.json",
              document.set("codecs", R"([{"name": "bytes", "configuration": {"endian": "big"}}])").text());
    return std::bit_cast<std::uint32_t>(open_array<float, 1>(store).read({{3, 4}})(0));
  };
  CHECK(fill("\"NaN\"") == 0x7fc00000);
  CHECK(fill("\"0x7fc00001\"") == 0x7fc00001);
  CHECK(fill("-0.0") == 0x80000000);
  CHECK(fill("\"-Infinity\"") == 0xff800000);
}

TEST_CASE("a bool array's fill") {
  MemoryStore<HostBuffer> const store;
  test::put(store, "zarr.json", test::array_document().set("data_type", "\"bool\"").set("fill_value", "true").text());
  CHECK(open_array<bool, 1>(store).read({{0, 1}})(0));
}
