// S3Store over moto's S3: values, listings, arrays, and the suite that every store passes.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/bytes.hpp>
#include <support/refused.hpp>
#include <support/s3_server.hpp>
#include <tessera/tessera.hpp>
#include <tessera/testing/store_conformance.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using test::check_refused;
using test::value;

namespace s3_tests {
namespace {

using Lines = std::vector<std::string>;
using Bucket = S3Store<HostBuffer>;

Lines listed(Bucket const& store, std::string const& folder, bool one_level = false) {
  Lines lines;
  auto const visit = [&](Listed const& entry) {
    lines.push_back(std::string{entry.path} + (entry.is_prefix ? "/" : " " + std::to_string(entry.size)));
  };
  one_level ? store.list_directory(folder, visit) : store.list(folder, visit);
  std::ranges::sort(lines);
  return lines;
}

}  // namespace

// The examples of Amazon's documentation: "Authenticating Requests: Using the Authorization Header".
TEST_CASE("a signature is the one that Amazon's examples have") {
  s3::Credentials const key{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
  auto const empty = s3::sha256_text("");
  auto const signed_as = [&](s3::Unsigned const& request) {
    auto const text = s3::authorization(key, "us-east-1", "20130524T000000Z", request);
    return text.substr(text.find("Signature=") + 10);
  };
  CHECK(empty == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(signed_as({"GET",
                   "/test.txt",
                   "",
                   {{"host", "examplebucket.s3.amazonaws.com"},
                    {"range", "bytes=0-9"},
                    {"x-amz-content-sha256", empty},
                    {"x-amz-date", "20130524T000000Z"}},
                   empty}) == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  CHECK(signed_as({"GET",
                   "/",
                   s3::query_text({{"prefix", "J"}, {"max-keys", "2"}}),
                   {{"host", "examplebucket.s3.amazonaws.com"},
                    {"x-amz-content-sha256", empty},
                    {"x-amz-date", "20130524T000000Z"}},
                   empty}) == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST_CASE("of XML the few elements are read that buckets send") {
  CHECK(s3::xml::plain("a&lt;b&amp;&quot;&apos;&#x41;&#228;&#x20AC;&unknown;&") ==
        "a<b&\"'A\xc3\xa4\xe2\x82\xac&unknown;&");
  std::string_view rest = "<Keys/><Key x='1'>a</Key><Key></Key><Key/><Key>b";
  CHECK(*s3::xml::take(rest, "Key") == "a");
  CHECK(*s3::xml::take(rest, "Key") == "");
  CHECK(*s3::xml::take(rest, "Key") == "");
  CHECK_FALSE(s3::xml::take(rest, "Key"));
  CHECK(s3::from_url("a%2Fb+c%25%zz%4") == "a/b c%%zz%4");
}

TEST_CASE("addresses and options that are none, and secrets that no message shows") {
  test::PlainEnvironment const environment;
  for (std::string const wrong :
       {"", "secret", "https://secret", "s3://", "s3:///secret", "s3://sec ret/a", "s3://user:secret@b/a"}) {
    CAPTURE(wrong);
    auto const error = test::error_of([&] { Bucket{wrong}; });
    CHECK(error.find("address") != error.npos);
    CHECK(error.find("secret") == error.npos);
  }
  check_refused<StoreError>([] { Bucket{"s3://bucket/a/../b"}; }, {"a/../b"});
  auto const refuses = [](S3Options const& options, char const* word) {
    auto const error = test::error_of([&] { Bucket("s3://bucket", options); });
    CHECK(error.find(word) != error.npos);
    CHECK(error.find("sEcret") == error.npos);
  };
  refuses({.access_key = "A"}, "secret_key");
  refuses({.access_key = "A", .secret_key = "sEcret\n"}, "character");
  refuses({.profile = "none"}, "profile");
  refuses({.part_bytes = 1}, "part_bytes");
  refuses({.multipart_above = ~std::uint64_t{0}}, "multipart_above");
  refuses({.lease = std::chrono::seconds{0}}, "lease");
  refuses({.endpoint = "ftp://host"}, "http://");
  refuses({.endpoint = "http://user:sEcret@host"}, "endpoint");
  CHECK(Bucket{"s3://a-bucket/f/g/"}.name() == "s3://a-bucket/f/g at https://a-bucket.s3.us-east-1.amazonaws.com");
  CHECK(Bucket{"s3://a.bucket", {.region = "eu-west-1"}}.name() ==
        "s3://a.bucket at https://s3.eu-west-1.amazonaws.com");
  CHECK(Bucket{"s3://b", {.endpoint = "http://host:1/x", .style = S3Style::host}}.name() ==
        "s3://b at http://b.host:1/x");
}

TEST_CASE("a bucket keeps the rules of stores, signed and anonymous, at Amazon's kinds of address") {
  if (!test::has_s3("S3Store over moto")) return;
  test::S3Server const server;
  int stores = 0;
  CHECK(testing::store_conformance([&] { return server.at("conformance/" + std::to_string(stores++)); }) == Lines{});
  CHECK(stores > 3);

  auto options = server.options();
  options.access_key = options.secret_key = "";
  options.anonymous = true;
  Bucket const anonymous{"s3://public", options};
  test::put(anonymous, "a/k", "0123456789");
  CHECK(value(anonymous, "a/k", {2, 3}) == "234");
  CHECK(listed(anonymous, "") == Lines{"a/k 10"});
  check_refused<StoreError>([&] { value(server.at("", options), "k"); },
                            {"s3://tests at http://127.0.0.1", "key \"k\"", "403 AccessDenied", "request R-403"});
  options.anonymous = false;
  check_refused<StoreError>([&] { value(server.at("", options), "k"); }, {"no credentials"});
  check_refused<StoreError>([&] { value(Bucket{"s3://missing/a", server.options()}, "k"); }, {"404 NoSuchBucket"});
}

TEST_CASE("ranges, sizes and many values are asked for with few requests") {
  if (!test::has_s3("requests of an S3Store")) return;
  test::S3Server const server;
  auto const store = server.at("f");
  test::put(store, "k", "0123456789abcdef");
  test::put(store, "empty", "");
  server.requests();
  CHECK(value(store, "k") == "0123456789abcdef");
  CHECK(value(store, "k", {2, 3}) == "234");
  CHECK(value(store, "k", ByteRange::suffix(2)) == "ef");
  CHECK(value(store, "k", {16, 4}) == "");
  CHECK(value(store, "empty", {0, 4}) == "");
  CHECK(value(store, "missing", {2, 3}) == "(missing)");
  test::HostQueue on;
  CHECK(store.size({"k"}, on) == 16U);
  CHECK_FALSE(store.size({"missing"}, on));
  auto const lines = server.requests();
  auto const last = [&](std::size_t i) { return lines.at(i); };
  CHECK(last(0) == "GET /tests/f/k signed");
  CHECK(last(1) == "GET /tests/f/k range=bytes=2-4 signed");
  CHECK(last(2) == "GET /tests/f/k range=bytes=-2 signed");
  CHECK(lines.back() == "HEAD /tests/f/missing signed");
  CHECK(test::erase(store, "k"));
  CHECK_FALSE(test::erase(store, "k"));
}

TEST_CASE("names with all characters are signed, listed and erased") {
  if (!test::has_s3("names of an S3Store")) return;
  test::S3Server const server;
  auto const store = server.at("a folder+/\xc3\xa4&<'\">");
  Lines names{"sp ace", "pl+us", "%41", "a=b&c", "q?h#", "(x)!*'", "\xe2\x82\xac/~-._", "tab\t", "at@:,;$[]"};
  for (auto const& name : names) test::put(store, name, name);
  for (auto const& name : names) CHECK(value(store, name) == name);
  std::ranges::sort(names);
  Lines found;
  store.list("", [&](Listed const& entry) { found.emplace_back(entry.path); });
  std::ranges::sort(found);
  CHECK(found == names);
  std::vector<Key> keys;
  for (auto const& name : names) keys.push_back({name});
  test::HostQueue on;
  store.erase_many(keys, on);
  CHECK(listed(store, "") == Lines{});

  for (auto const& name : names) test::put(store, name, name);
  server.fault("status:501:NotImplemented", 1, "POST", "delete=");
  store.erase_many(keys, on);
  CHECK(listed(store, "") == Lines{});
}

TEST_CASE("a listing goes on over pages, and shows the folders of one level") {
  if (!test::has_s3("listings of an S3Store")) return;
  test::S3Server const server;
  auto const store = server.at("");
  server.ask("fill?count=2100");
  std::vector<Key> keys;
  for (int i = 0; i < 2100; ++i) keys.push_back({"many/" + std::to_string(i % 2) + "/" + std::to_string(i)});
  test::HostQueue on;
  test::put(store, "many.not", "");
  CHECK(listed(store, "many").size() == 2100);
  CHECK(listed(store, "", true) == Lines{"many.not 0", "many/"});
  CHECK(listed(store, "many", true) == Lines{"many/0/", "many/1/"});
  CHECK(listed(store, "many/0", true).size() == 1050);
  CHECK(listed(store, "none") == Lines{});
  server.requests();
  store.erase_many(keys, on);
  CHECK(listed(store, "") == Lines{"many.not 0"});
  CHECK(server.requests().size() == 4);
}

TEST_CASE("arrays and groups are made, written, read and erased in a bucket") {
  if (!test::has_s3("arrays in a bucket")) return;
  test::S3Server const server;
  auto const store = server.at("volume.zarr");
  std::vector<std::int32_t> numbers(64 * 64), read(numbers.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  create_group(store, "g");
  create_array<std::int32_t, 2>(store, "g/plain", {.shape = {64, 64}, .chunks = {16, 16}}).write(all, numbers);
  Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes>>> const shards{{.chunk_shape = {8, 8}}};
  create_array<std::int32_t, 2>(store, "g/shards", {.shape = {64, 64}, .chunks = {32, 32}}, shards).write(all, numbers);
  for (std::string const path : {"g/plain", "g/shards"}) {
    CAPTURE(path);
    auto const array = open_array<std::int32_t, 2, AllCodecs>(store, path);
    array.read(all, read);
    CHECK(read == numbers);
    CHECK(array.read({{8, 10}, {60, 64}})(1, 3) == 9 * 64 + 63);
    std::ranges::fill(read, 0);
  }
  Lines names;
  for (auto const& child : open_group(store, "g").children()) names.push_back(child.name);
  std::ranges::sort(names);
  CHECK(names == Lines{"plain", "shards"});
  CHECK(open_group(store).children().size() == 1);
  server.requests();
  CHECK(erase_node(store, "g"));
  CHECK(std::ranges::count_if(server.requests(),
                              [](auto const& line) { return line.starts_with("POST /tests?delete="); }) == 1);
  CHECK(listed(store, "") == Lines{"zarr.json " + std::to_string(value(store, "zarr.json").size())});
  CHECK(listed(server.at(""), "").size() == 1);  // no lock is left
}

TEST_CASE("a large value is written part by part, and an upload that fails is aborted") {
  if (!test::has_s3("uploads")) return;
  test::S3Server const server;
  auto options = server.options();
  options.multipart_above = 6 << 20;
  options.part_bytes = 5 << 20;
  auto const store = server.at("f", options);
  std::string large(11 << 20, '\0');
  for (std::size_t i = 0; i < large.size(); i += 4096) large[i] = static_cast<char>('a' + i / 4096 % 26);
  test::put(store, "small", "x");
  server.requests();
  test::put(store, "large", large);
  auto const sent = server.requests();
  CHECK(sent.size() == 5);
  CHECK(std::ranges::count_if(sent, [](auto const& line) { return line.find("partNumber=") != line.npos; }) == 3);
  CHECK(value(store, "large") == large);

  server.fault("status:400:EntityTooSmall", 1, "PUT", "partNumber=2");
  check_refused<StoreError>([&] { test::put(store, "other", large); },
                            {"key \"other\"", "400 EntityTooSmall", "request R-400"});
  CHECK(std::ranges::count_if(server.requests(), [](auto const& line) {
          return line.starts_with("DELETE /tests/f/other?uploadId=");
        }) == 1);
  CHECK(value(store, "other") == "(missing)");
  CHECK(s3::part_size(std::uint64_t{1} << 40, 5 << 20) == std::uint64_t{105} << 20);
  CHECK(s3::part_size(std::uint64_t{1} << 30, 5 << 20) == 5 << 20);
}

}  // namespace s3_tests
