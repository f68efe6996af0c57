#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/nlohmann_json.hpp>

using namespace tessera;
using nlohmann::ordered_json;
using test::check_refused;

namespace {

using Memory = MemoryStore<HostBuffer>;

ordered_json ome() {
  return ordered_json::parse(R"({"ome": {"version": "0.5", "multiscales": [{"axes": [{"name": "z", "type": "space"}],
      "datasets": [{"path": "0", "scale": [0.5, 1, 1e-7]}]}]}, "zarr": null, "a": [true, -7, "\u00b5m", {}, []]})");
}

ordered_json read(std::string const& text) { return parse_json(text).as<ordered_json>(); }

}  // namespace

TEST_CASE("nlohmann_json: attributes are given as they are, and read back, members in their order") {
  Memory const store;
  auto const given = ome();
  (void)create_group(store, "g", given);
  auto const array = create_array<int, 1>(store, "g/a", {.shape = {4}, .chunks = {2}, .attributes = given});
  (void)create_group(store, "h");
  set_attributes(store, "h", given);
  for (auto* path : {"g", "g/a", "h"}) {
    CAPTURE(std::string{path});
    CHECK(get_attributes(store, path).as<ordered_json>() == given);
    CHECK(get_attributes(store, path).as<ordered_json>().dump() == given.dump());
    auto const document = ordered_json::parse(test::value(store, document_key(path).path));
    CHECK(document.at("attributes").dump() == given.dump());
  }
  ordered_json const attributes = open_array<int, 1>(store, "g/a").attributes();
  CHECK(attributes == given);
  ordered_json const one = open_group(store, "g").attributes().at("ome");
  CHECK(one == given.at("ome"));
  CHECK(array.attributes().at("ome").at("multiscales").at(0).as<ordered_json>()["axes"][0]["name"] == "z");

  merge_attributes(store, "h", ordered_json{{"new", {1, 2.5}}});
  auto group = open_group(store, "h");
  CHECK(group.attributes().at("new") == Value{List{1, 2.5}});
  group.set_attributes(ordered_json{{"only", 1}});
  CHECK(get_attributes(store, "h") == Members{{"only", 1}});
  create_group(store, "sorted", nlohmann::json::parse(R"({"b": 1, "a": 2})"));
  CHECK(get_attributes(store, "sorted") == Members{{"a", 2}, {"b", 1}});
  CHECK(Value{List{ordered_json{{"a", 1}}}} == Value{List{Members{{"a", 1}}}});
}

TEST_CASE("nlohmann_json: what is no object is refused as attributes") {
  Memory const store;
  check_refused<MetadataError>([&] { (void)create_group(store, "g", ordered_json::array({1, 2})); },
                               {"found [1, 2], expected an object"});
  check_refused<MetadataError>([&] { (void)create_group(store, "g", ordered_json{}); }, {"found null"});
  CHECK_FALSE(store.erase({"g/zarr.json"}, *std::make_unique<test::HostQueue>()));
}

TEST_CASE("nlohmann_json: numbers are what they were, of 64 bits and of a double") {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  auto const written = [](ordered_json const& json) { return to_json(Value{json}); };
  CHECK(written(least) == "-9223372036854775808");
  CHECK(written(most) == "18446744073709551615");
  CHECK(written(0.1) == "0.1");
  CHECK(written(1.0) == "1.0");
  CHECK(written(-0.0) == "-0.0");
  CHECK(written(5e-324) == "5e-324");
  CHECK(written(1.7976931348623157e308) == "1.7976931348623157e+308");
  CHECK(read("-9223372036854775808") == ordered_json(least));
  CHECK(read("18446744073709551615") == ordered_json(most));
  CHECK(read("18446744073709551615").is_number_unsigned());
  CHECK(read("7").is_number_unsigned());
  CHECK(read("-7").is_number_integer());
  CHECK(read("7.0").is_number_float());
  CHECK(read("1e2").is_number_float());
}

TEST_CASE("nlohmann_json: NaN and infinities are zarr-python's words, and doubles again") {
  auto const nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  Memory const store;
  (void)create_group(store, "g", ordered_json{{"x", {nan, infinity, -infinity}}});
  CHECK(test::value(store, "g/zarr.json").find("NaN,") != std::string::npos);
  CHECK(get_attributes(store, "g").at("x") == Value{List{Number{"NaN"}, Number{"Infinity"}, Number{"-Infinity"}}});
  ordered_json const again = open_group(store, "g").attributes();
  CHECK(std::isnan(again["x"][0].get<double>()));
  CHECK(again["x"][1] == infinity);
  CHECK(again["x"][2] == -infinity);
  CHECK(again.dump() == R"({"x":[null,null,null]})");  // why such attributes are not written by nlohmann's dump()
}

TEST_CASE("nlohmann_json: numbers beyond a double's range are refused, integers beyond 64 bits become the nearest double") {
  for (auto* text : {"1e400", "-1e400", "[1, {\"a\": 1e309}]"}) {
    CAPTURE(std::string{text});
    check_refused<MetadataError>([&] { (void)read(text); },
                                 {"e", "expected a number within the range of a float of 8 bytes"});
  }
  CHECK(read("1e-400") == 0.0);
  CHECK(read("18446744073709551616") == 18446744073709551616.0);
  CHECK(read("-9223372036854775809").is_number_float());
}

TEST_CASE("nlohmann_json: what no document can say is refused: too deep, binary, a member twice") {
  auto deep = [](int levels) {
    ordered_json json = 1;
    for (int i = 0; i < levels; ++i) json = ordered_json::array({std::move(json)});
    return json;
  };
  CHECK(parse_json(to_json(Value{deep(256)})) == Value{deep(256)});
  check_refused<MetadataError>([&] { (void)Value{deep(257)}; }, {"nested deeper than 256"});
  check_refused<MetadataError>([&] { (void)Value{deep(1'000'000)}; }, {"nested deeper than 256"});
  check_refused<MetadataError>([] { (void)Value{ordered_json::binary({1})}; }, {"found a binary value"});
  check_refused<MetadataError>([] { (void)Members{{"a", 1}, {"a", 2}}.as<ordered_json>(); }, {"\"a\"", "twice"});
  Memory const store;
  check_refused<MetadataError>([&] { (void)create_group(store, "g", ordered_json{{"a", "\xff"}}); }, {"not UTF-8"});
}
