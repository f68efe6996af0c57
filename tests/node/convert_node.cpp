// Nodes that get documents of the other format in place, and the state after an interruption.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/failing_calls.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/array/convert.hpp>
#include <tessera/metadata/detail/base64.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/node/consolidate.hpp>
#include <tessera/node/convert_node.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;
using test::check_refused;

namespace convert_node_tests {
namespace {

using Memory = MemoryStore<HostBuffer>;
using Failing = test::FailingCallsAndLists;
using Values = std::map<std::string, std::string>;

constexpr ChunkKeyEncoding v2_keys{true, '.'};

template <class S>
void fill(S const& store, ZarrFormat format, std::string const& root = "") {
  create_group(store, root, {{"title", "whole"}}, {.format = format});
  auto const at = [&](char const* path) { return (root / path).path; };
  create_array<std::int16_t, 2>(store, at("a"),
                                {.shape = {3, 2},
                                 .chunks = {2, 2},
                                 .fill = 7,
                                 .attributes = format == ZarrFormat::v2 ? Members{{"unit", "mm"}}
                                                                        : Members{{"unit", "mm"}, {"_FillValue", 7}},
                                 .dimension_names = {"y", "x"},
                                 .key_encoding = v2_keys,
                                 .format = format},
                                Pipeline<space::Host, codec::Transpose, codec::Bytes>{codec::Transpose{{1, 0}}, {}})
      .write({{0, 2}, {0, 2}}, std::vector<std::int16_t>{1, 2, 3, 4});
  create_group(store, at("g"), {}, {.format = format});
  create_array<float, 0>(store, at("g/s"),
                         {.shape = {},
                          .chunks = {},
                          .fill = 1.5f,
                          .attributes = format == ZarrFormat::v2 ? Members{{"_ARRAY_DIMENSIONS", List{}}}
                                                                 : Members{{"_FillValue", "AAAAAAAA+D8="}},
                          .key_encoding = {true, '/'},
                          .format = format})
      .fill(all, 2.5f);
  create_group(store, at("g/h"), {{"n", 1}}, {.format = format});
}

Values values(Memory const& store) {
  Values found;
  store.list(
      "", [&](Listed const& entry) { found[std::string{entry.path}] = test::value(store, std::string{entry.path}); });
  return found;
}
Values chunks(Memory const& store) {
  auto found = values(store);
  std::erase_if(found, [](auto const& one) { return detail::is_document(one.first); });
  return found;
}
Memory with(Values const& values) {
  Memory const store;
  for (auto const& [key, value] : values) test::put(store, key, value);
  return store;
}

// A program's view, one line for each node.
std::string seen(Memory const& store) {
  std::string text;
  auto const group = open_group(store);
  text += to_json(group.attributes()) + '\n';
  group.walk([&](Node const& node) {
    text += node.path + ' ';
    if (node.type == NodeType::group) {
      text += to_json(get_attributes(store, node.path)) + '\n';
      return;
    }
    auto const array = open_any(store, node.path);
    text +=
        array.type().name() + to_string(array.shape()) + ' ' + std::to_string(array.metadata().dimension_names.size());
    text += to_json(array.attributes().get("unit", "none"));
    if (node.path == "a")
      for (auto n : open_array<std::int16_t, 2>(store, "a").read(all)) text += ' ' + std::to_string(n);
    else
      text += ' ' + std::to_string(open_array<float, 0>(store, node.path).read(all)());
    text += '\n';
  });
  return text;
}

// The view of programs that know only one format: "", if the root is not a node for them.
std::string seen_in(Memory const& store, ZarrFormat format) {
  auto all = values(store);
  std::erase_if(all, [&](auto const& one) {
    return detail::is_document(one.first) && one.first.ends_with("zarr.json") != (format == ZarrFormat::v3);
  });
  auto const alone = with(all);
  return detail::node_key(alone, "") ? seen(alone) : "";
}

}  // namespace

TEST_CASE("a hierarchy is converted to the other format and back, and no chunk is touched") {
  Memory const store;
  fill(store, ZarrFormat::v2);
  auto const before = seen(store);
  auto const old = values(store);
  consolidate(store);
  CHECK(convert_node(store, "", ZarrFormat::v3) == 5);
  CHECK(seen(store) == before);
  CHECK(chunks(store) == chunks(with(old)));
  for (auto const& found : values(store)) {
    auto const& key = found.first;
    CAPTURE(key);
    CHECK((!detail::is_document(key) || key.ends_with("zarr.json")));
  }
  CHECK(open_any(store, "a").metadata().dimension_names == DimensionNames{"y", "x"});
  consolidate(store);
  CHECK(convert_node(store, "", ZarrFormat::v2) == 5);
  CHECK(values(store) == old);
  CHECK(convert_node(store, "", ZarrFormat::v2) == 0);
  CHECK(values(store) == old);
}

TEST_CASE("missing values and names of dimensions are where xarray has them in each format") {
  struct Case {
    char const *type, *fill, *attributes;     // of Zarr v2
    char const *fill_in_v3, *attributes_in_v3;  // "" : refused, with an error
  };
  std::string const x = R"("_ARRAY_DIMENSIONS": ["x"])";
  for (Case const& one : {
           Case{"<i2", "-1", R"({"scale_factor": 0.5, X})", "-1", R"({"scale_factor": 0.5, "_FillValue": -1})"},
           Case{"<f4", "\"NaN\"", "{X}", "\"NaN\"", R"({"_FillValue": "AAAAAAAA+H8="})"},
           Case{"<f4", "-9999.0", "{X}", "-9999.0", R"({"_FillValue": "AAAAAICHw8A="})"},
           Case{"<f2", "0.5", "{X}", "0.5", R"({"_FillValue": "AAAAAAAA4D8="})"},
           Case{"<c8", "[1.5, 0.0]", "{X}", "[1.5, 0.0]", R"({"_FillValue": ["AAAAAAAA+D8=", "AAAAAAAAAAA="]})"},
           Case{"|b1", "true", "{X}", "true", R"({"_FillValue": true})"},
           Case{"<M8[s]", "-9223372036854775808", "{X}", "-9223372036854775808", "{}"},
           Case{"<i2", "null", "{X}", "0", "{}"},
           Case{"<i2", "null", R"({"_FillValue": -1, X})", "0", R"({"_FillValue": -1})"},
           Case{"<f8", "null", R"({"_FillValue": 1.5, X})", "0.0", R"({"_FillValue": "AAAAAAAA+D8="})"},
           Case{"<U1", "null", "{X}", "\"\"", "{}"},
           Case{"<i2", "7", R"({"scale_factor": 0.5})", "7", R"({"scale_factor": 0.5})"},
           Case{"<U1", "\"a\"", "{X}", "", "does not read in Zarr v3 for elements of fixed_length_utf32"},
           Case{"<M8[s]", "5", "{X}", "", "does not read in Zarr v3"},
       }) {
    CAPTURE(one.type);
    CAPTURE(one.fill);
    std::string attributes{one.attributes};
    if (auto const at = attributes.find('X'); at != attributes.npos) attributes.replace(at, 1, x);
    Memory const store;
    test::put(store, "a/.zattrs", attributes);
    test::put(store, "a/.zarray",
              std::string{R"({"zarr_format": 2, "shape": [2], "chunks": [2], "filters": null, "compressor": null, )"} +
                  R"("order": "C", "dimension_separator": ".", "dtype": ")" + one.type + R"(", "fill_value": )" +
                  one.fill + "}");
    if (*one.fill_in_v3 == '\0') {
      check_refused<MetadataError>([&] { convert_node(store, "a", ZarrFormat::v3); },
                                   {"member fill_value", one.attributes_in_v3});
      continue;
    }
    convert_node(store, "a", ZarrFormat::v3);
    auto const document = parse_json(test::value(store, "a/zarr.json"));
    CHECK(document.at("fill_value") == parse_json(one.fill_in_v3));
    CHECK(document.at("attributes") == parse_json(one.attributes_in_v3));
    bool const is_named = attributes.find('A') != attributes.npos;
    CHECK(document.get<Members>("attributes").contains("_ARRAY_DIMENSIONS") == false);
    CHECK(open_any(store, "a").dimension_names().empty() != is_named);
    convert_node(store, "a", ZarrFormat::v2);
    CHECK(parse_json(test::value(store, "a/.zattrs")) == parse_json(attributes));
    CHECK(parse_json(test::value(store, "a/.zarray")).at("fill_value") == parse_json(one.fill));
  }
}

TEST_CASE("an array of Zarr v3 whose missing values have no place in v2 is refused") {
  Memory const store;
  auto const convert = [&](std::int16_t fill, Members const& attributes, DimensionNames const& names) {
    create_array<std::int16_t, 1>(store, "a", {.shape = {2}, .chunks = {2}, .fill = fill, .attributes = attributes,
                                               .dimension_names = names, .key_encoding = v2_keys, .overwrite = true});
    convert_node(store, "a", ZarrFormat::v2);
  };
  auto const fill_in_v2 = [&] { return parse_json(test::value(store, "a/.zarray")).at("fill_value"); };
  check_refused<MetadataError>([&] { convert(7, {{"_FillValue", -1}}, {"x"}); }, {"member fill_value", "they differ"});
  check_refused<MetadataError>([&] { convert(7, {}, {"x"}); }, {"member fill_value", "valid elements as missing"});
  convert(0, {{"_FillValue", -1}}, {"x"});
  CHECK(fill_in_v2().is_null());
  CHECK(mask_and_scale(open_any(store, "a")).missing.of<std::int16_t>().first == -1);
  convert(0, {}, {"x"});
  CHECK(fill_in_v2().is_null());
  convert(7, {}, {});  // which xarray does not open
  CHECK(fill_in_v2() == Value{7});
}

TEST_CASE("one array is converted, and a group, and copies above them go") {
  Memory const store;
  fill(store, ZarrFormat::v2);
  consolidate(store);
  auto const before = seen(store);
  CHECK(convert_node(store, "a", ZarrFormat::v3) == 1);
  CHECK(consolidated_above(store, "a").empty());
  CHECK(open_any(store, "a").metadata().format == ZarrFormat::v3);
  CHECK(convert_node(store, "g", ZarrFormat::v3) == 3);
  CHECK(open_group(store).metadata().format == ZarrFormat::v2);
  CHECK(seen(store) == before);
  check_refused<NodeNotFound>([&] { convert_node(store, "none", ZarrFormat::v3); },
                               {"key \"none/zarr.json\"", "no node"});
}

TEST_CASE("a conversion that is cut off leaves the one format or the other whole, and another call does the rest") {
  for (auto const from : {ZarrFormat::v2, ZarrFormat::v3}) {
    auto const to = from == ZarrFormat::v2 ? ZarrFormat::v3 : ZarrFormat::v2;
    Memory const start, end;
    fill(start, from);
    consolidate(start);
    fill(end, from);
    convert_node(end, "", to);
    auto const before = seen(start);
    for (bool const after : {false, true}) {
      bool is_done = false;
      long calls = 0;
      for (; !is_done; ++calls) {
        CAPTURE(static_cast<int>(to));
        CAPTURE(after);
        CAPTURE(calls);
        Failing store;
        for (auto const& [key, value] : values(start)) test::put(store.state->inner, key, value);
        store.state->left = calls;
        store.state->after = after;
        try {
          convert_node(store, "", to);
          is_done = store.state->left >= 0;
        } catch (StoreError const&) {
        }
        auto const& left = store.state->inner;
        CHECK(seen(left) == before);
        auto const in_v2 = seen_in(left, ZarrFormat::v2), in_v3 = seen_in(left, ZarrFormat::v3);
        CHECK((in_v3.empty() ? in_v2 : in_v3) == before);  // programs that know both prefer v3
        CHECK((in_v2 == before || in_v3 == before));
        convert_node(left, "", to);
        CHECK(values(left) == values(end));
      }
      CHECK(calls > 40);
    }
  }
}

TEST_CASE("what has to be encoded anew is named, and then nothing changes") {
  auto const refused = [](auto&& change, std::string const& member, std::string const& words) {
    CAPTURE(member);
    Memory const store;
    fill(store, ZarrFormat::v3);
    auto document = parse_json(test::value(store, "a/zarr.json"));
    change(document);
    test::put(store, "a/zarr.json", to_json(document));
    auto const before = values(store);
    check_refused<MetadataError>([&] { convert_node(store, "", ZarrFormat::v2); },
                                 {"key \"a/zarr.json\"", ("member " + member).c_str(), words.c_str()});
    CHECK(values(store) == before);
  };
  refused([](Value& array) { array["chunk_key_encoding"] = parse_json(R"({"name": "default"})"); },
          "chunk_key_encoding", "expected \"v2\"");
  refused(
      [](Value& array) {
        array["codecs"] = parse_json(R"([{"name": "transpose", "configuration": {"order": [0, 1]}},
      {"name": "bytes", "configuration": {"endian": "little"}}])");
      },
      "codecs", "only the transpose of order");
  refused([](Value& array) { array["codecs"] = parse_json(R"([{"name": "sharding_indexed"}])"); }, "codecs",
          "sharding_indexed");
  refused([](Value& array) { array["other"] = parse_json(R"({"must_understand": false})"); }, "other", "no place");
  refused(
      [](Value& array) { array["storage_transformers"] = parse_json(R"([{"name": "x", "must_understand": false}])"); },
      "storage_transformers", "none");
  refused([](Value& array) { array["attributes"]["_ARRAY_DIMENSIONS"] = parse_json(R"(["z", "x"])"); },
          "dimension_names", "_ARRAY_DIMENSIONS");
  refused(
      [](Value& array) {
        array["data_type"] = "float32";
        array["fill_value"] = "0x7fc00001";
        array["attributes"] = Members{};
      },
      "fill_value", "NaN");
  for (auto* codecs :
       {"[]", R"([{"name": "transpose", "configuration": {"order": [1, 0]}}, "crc32c"])", R"(["zstd"])"})
    refused([&](Value& array) { array["codecs"] = parse_json(codecs); }, "codecs", "in this order");
  refused([](Value& array) { array["codecs"] = parse_json(R"(["bytes", "blosc"])"); }, "codecs", "\"shuffle\"");
  refused(
      [](Value& array) {
        array["codecs"] = parse_json(R"([{"name": "numcodecs.delta", "configuration": {}}, "bytes"])");
      },
      "codecs", "dtype is missing");
  refused(
      [](Value& array) {
        array["data_type"] = "bfloat16";
        array["codecs"] = parse_json(R"([{"name": "bytes", "configuration": {"endian": "big"}}])");
      },
      "data_type", "bfloat16");
  refused(
      [](Value& array) {
        array["chunk_grid"] =
            parse_json(R"({"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[1, 2], 2]}})");
      },
      "chunk_grid", "rectilinear");
  Memory const store;
  fill(store, ZarrFormat::v2);
  test::put(store, "g/s/.zarray", "{}");
  auto const before = values(store);
  check_refused<MetadataError>([&] { convert_node(store, "", ZarrFormat::v3); },
                               {"key \"g/s/.zarray\"", "zarr_format"});
  CHECK(values(store) == before);
}

// An array in either format: its chunks are not changed.
static std::string meaning(Memory const& store) {
  auto const array = *read_document(store, "", read_array_metadata);
  auto text = array.type.name() + ' ' + detail::describe_fields(array.fields) + ' ' +
              detail::encode_base64(array.fill) + ' ' + to_json(detail::to_value(array.chunk_shape));
  for (auto const& codec : array.codecs)
    text += to_json(to_value({std::string{detail::usual_name(codec.name)}, codec.configuration}));
  return text;
}

TEST_CASE("arrays of every type and filter mean the same in the other format and back, or are refused") {
  auto const array = [](std::string const& dtype, std::string const& fill = "null", std::string const& filters = "null",
                        std::string const& compressor = "null", std::string const& order = "C") {
    Memory const store;
    test::put(store, ".zarray",
              R"({"zarr_format": 2, "shape": [3, 2], "chunks": [2, 2], "dtype": )" + dtype + R"(, "fill_value": )" +
                  fill + R"(, "filters": )" + filters + R"(, "compressor": )" + compressor + R"(, "order": ")" + order +
                  "\"}");
    return store;
  };
  auto const same = [](Memory const& store) {
    auto const before = meaning(store);
    CAPTURE(before);
    CHECK(convert_node(store, "", ZarrFormat::v3) == 1);
    CHECK(meaning(store) == before);
    CHECK(convert_node(store, "", ZarrFormat::v2) == 1);
    CHECK(meaning(store) == before);
    CHECK_FALSE(values(store).contains("zarr.json"));
  };
  for (auto* type : {"<M8[ns]", "<M8[10us]", ">m8[D]", "<m8", "|S5", "<U3", ">U3", "|V3", "<f2", ">c16", "|b1",
                     "bfloat16", "int4", "float8_e4m3"})
    same(array('"' + std::string{type} + '"'));
  same(array(R"("<M8[s]")", "\"NaT\""));
  same(array(R"("|S3")", "\"AABB\""));
  same(array(R"([["a", ">i4"], ["n", [["x", ">f4"], ["t", ">M8[s]"], ["u", ">U2"], ["v", "|V2"]]]])"));
  same(array(R"([["a", ">i2"], ["b", "|u1"]])", "\"AQID\""));
  same(array(R"([["a", "<f4"]])", "\"AQCAfw==\""));  // a NaN with bits of its own
  same(array(R"("|O")", "\"x\"", R"([{"id": "vlen-utf8"}])", R"({"id": "zstd", "level": 1})"));
  same(array(R"("|O")", "\"YQ==\"", R"([{"id": "vlen-bytes"}, {"id": "zlib", "level": 1}])", "null", "F"));
  same(array(R"("<f8")", "0", R"([{"id": "delta", "dtype": "<f8"}, {"id": "bitround", "keepbits": 3}])",
             R"({"id": "gzip", "level": 1})", "F"));
  same(array(R"("<f8")", "0", R"([{"id": "bitround", "keepbits": 3}, {"id": "shuffle", "elementsize": 8}])",
             R"({"id": "crc32c"})"));
  same(array(R"("<f8")", "0",
             R"([{"id": "fixedscaleoffset", "scale": 10, "offset": 1, "dtype": "<f8", "astype": "|u1"}])"));
  same(array(R"("<f8")", "0", R"([{"id": "astype", "decode_dtype": "<f8", "encode_dtype": ">f4"}])",
             R"({"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0})"));
  same(array(R"("|b1")", "0", R"([{"id": "packbits"}])"));

  auto const refused = [](Memory const& store, std::initializer_list<char const*> words) {
    auto const before = values(store);
    check_refused<MetadataError>([&] { convert_node(store, "", ZarrFormat::v3); }, words);
    CHECK(values(store) == before);
  };
  refused(array(R"([["a", "<i4"], ["", "|V4"], ["b", "<f8"]])"), {"member data_type", "gaps"});
  refused(array(R"([["n", [["a", "<i4"], ["", "|V4"]]]])"), {"member data_type", "gaps"});
  refused(array(R"([["a", "|b1"]])", "\"Ag==\""), {"member fill_value", "cannot express"});
}

TEST_CASE("codecs of v3 by their other names are those of Zarr v2") {
  for (auto* codecs : {R"([{"name": "bitround", "configuration": {"keepbits": 3}}, {"name": "bytes"}])",
                       R"(["bytes", {"name": "numcodecs.gzip", "configuration": {"level": 1}}])",
                       R"(["bytes", {"name": "zlib", "configuration": {"level": 1}}])",
                       R"(["bytes", {"name": "numcodecs.crc32c", "configuration": {}}])"}) {
    Memory const store;
    auto document = test::array_document().set("chunk_key_encoding", R"("v2")").set("codecs", codecs);
    test::put(store, "zarr.json", document.text());
    auto const before = meaning(store);
    CHECK(convert_node(store, "", ZarrFormat::v2) == 1);
    CHECK(meaning(store) == before);
  }
}

}  // namespace convert_node_tests
