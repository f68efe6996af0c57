// Values on web servers: one that supports ranges, and lesser ones; and the requests to them.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/bytes.hpp>
#include <support/child.hpp>
#include <support/http_server.hpp>
#include <support/refused.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/node/consolidate.hpp>
#include <tessera/tessera.hpp>
#include <tessera/testing/store_conformance.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using test::check_refused;

namespace http_tests {
namespace {

using Lines = std::vector<std::string>;

void write_file(std::filesystem::path const& path, std::string const& value) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream{path, std::ios::binary} << value;
}

// "0123456789abcdef" at "a/k", a value of 10 000 bytes at "long", none at "empty".
struct Values {
  test::TemporaryFolder folder;
  test::HttpServer server{folder.path().string()};

  Values() {
    write_file(folder.path() / "a/k", "0123456789abcdef");
    write_file(folder.path() / "long", std::string(10'000, 'x'));
    write_file(folder.path() / "empty", "");
  }
  HttpStore at(std::string const& mode, HttpOptions options = {}) const {
    options.pause = std::chrono::milliseconds{1};
    return HttpStore{server.at(mode), std::move(options)};
  }
};

}  // namespace

TEST_CASE("a server's values are a store, whether it knows ranges, sizes or neither") {
  for (std::string const mode : {"plain", "whole", "chunked", "moved", "busy"}) {
    CAPTURE(mode);
    test::TemporaryFolder folder;
    test::HttpServer server{folder.path().string()};
    int stores = 0;
    auto const make = [&](std::map<std::string, std::string> const& values) {
      auto const name = std::to_string(stores++);
      for (auto const& [key, value] : values) write_file(folder.path() / name / key, value);
      HttpOptions options;
      options.pause = std::chrono::milliseconds{1};
      return HttpStore{server.at(mode + '/' + (mode == "busy" ? "1/" : "-/") + name), options};
    };
    CHECK(testing::store_conformance(make) == std::vector<std::string>{});
    CHECK(stores > 3);
  }
}

TEST_CASE("a range is asked for alone") {
  Values values;
  auto const store = values.at("plain/-");
  CHECK(test::value(store, "a/k") == "0123456789abcdef");
  CHECK(test::value(store, "a/k", {2, 3}) == "234");
  CHECK(test::value(store, "a/k", {14, 100}) == "ef");
  CHECK(test::value(store, "a/k", {14}) == "ef");
  CHECK(test::value(store, "a/k", ByteRange::suffix(2)) == "ef");
  CHECK(test::value(store, "a/k", ByteRange::suffix(100)) == "0123456789abcdef");
  CHECK(test::value(store, "a/k", {16, 4}) == "");
  CHECK(test::value(store, "a/k", {4, 0}) == "");
  CHECK(test::value(store, "a/k", ByteRange::suffix(0)) == "");
  CHECK(test::value(store, "empty", {0, 4}) == "");
  CHECK(test::value(store, "a") == "(missing)");
  CHECK(test::value(store, "b", {2, 3}) == "(missing)");
  CHECK(values.server.told() ==
        Lines{"/plain/-/a/k ", "/plain/-/a/k bytes=2-4", "/plain/-/a/k bytes=14-113", "/plain/-/a/k bytes=14-",
              "/plain/-/a/k bytes=-2", "/plain/-/a/k bytes=-100", "/plain/-/a/k bytes=16-19", "/plain/-/a/k bytes=0-0",
              "/plain/-/a/k bytes=0-0", "/plain/-/empty bytes=0-3", "/plain/-/a ", "/plain/-/b bytes=2-4"});
  check_refused<StoreError>([&] { test::value(store, "a/k", {17, 4}); },
                            {values.server.at("plain/-").c_str(), "key \"a/k\"", "byte 17", "16 bytes"});
}

TEST_CASE("many requests: those that lie close are one, and all are under way at once") {
  Values values;
  test::HostQueue on;
  Key const k{"a/k"}, far{"long"}, missing{"b"};
  std::map<int, std::string> got;
  std::vector<ReadRequest<space::Host>> requests;
  std::vector<std::string> memory(7);
  std::vector<std::function<ByteSpan<space::Host>(std::size_t)>> destinations;
  for (auto& one : memory)
    destinations.push_back([&](std::size_t n) {
      CHECK(one.empty());  // requested once
      one.resize(n);
      return ByteSpan<space::Host>{reinterpret_cast<std::byte*>(one.data()), n};
    });
  auto const add = [&](Key const& key, ByteRange range) {
    requests.push_back({&key, range, destinations[requests.size()]});
  };
  add(k, {8, 2}), add(k, {1, 3}), add(k, {2, 4}), add(k, ByteRange::suffix(1));
  add(far, {0, 2}), add(far, {9'000, 3}), add(missing, {});

  SUBCASE("of a server that knows ranges") {
    get_many(values.at("plain/-"), std::span{requests}, on);
    auto told = values.server.told();
    std::ranges::sort(told);
    CHECK(told == Lines{"/plain/-/a/k bytes=-1", "/plain/-/a/k bytes=1-9", "/plain/-/b ", "/plain/-/long bytes=0-1",
                        "/plain/-/long bytes=9000-9002"});
  }
  SUBCASE("of one that answers when five are under way") {
    get_many(values.at("together/5", {.first_at_once = 5}), std::span{requests}, on);
  }
  SUBCASE("of one that knows no ranges") { get_many(values.at("whole/-"), std::span{requests}, on); }
  SUBCASE("of one that sends half of each first") { get_many(values.at("cut/1"), std::span{requests}, on); }
  CHECK(memory == std::vector<std::string>{"89", "123", "2345", "f", "xx", "xxx", ""});
  for (std::size_t i = 0; i < 6; ++i) CHECK(requests[i].size == memory[i].size());
  CHECK(requests[6].size == std::nullopt);
}

TEST_CASE("no more requests are under way than the options say") {
  Values values;
  test::HostQueue on;
  std::string memory(40, ' ');
  std::vector<Key> keys;
  for (int i = 0; i < 40; ++i) {
    keys.push_back({"n/" + std::to_string(i)});
    write_file(values.folder.path() / keys.back().path, std::string(1, static_cast<char>('A' + i)));
  }
  auto destination = [&, at = std::size_t{0}](std::size_t n) mutable {
    return ByteSpan<space::Host>{reinterpret_cast<std::byte*>(memory.data() + at++), n};
  };
  std::vector<ReadRequest<space::Host>> requests;
  for (auto const& key : keys) requests.push_back({&key, {}, destination});
  get_many(values.at("most/3", {.most_at_once = 3}), std::span{requests}, on);
  std::ranges::sort(memory);
  CHECK(memory.front() == 'A');
  CHECK(memory.back() == 'A' + 39);
  CHECK(test::value(values.at("most/-"), "most") == "3");
}

TEST_CASE(
    "a read begins with few requests, and has more under way with each answer over a connection that stays open") {
  Values values;
  write_file(values.folder.path() / "some", std::string(100, 'x'));
  test::HostQueue on;
  Key const key{"some"};
  auto destination = [](std::size_t n) {
    static std::byte memory[100];
    return ByteSpan<space::Host>{memory, n};
  };
  std::vector<ReadRequest<space::Host>> requests(100, {&key, {}, destination});
  SUBCASE("of a server that answers the first ones when there are four") {
    get_many(values.at("first/4"), std::span{requests}, on);
    CHECK(test::value(values.at("first/-"), "first") == "4");
    CHECK(values.server.connections() > 4);
    CHECK(values.server.connections() <= 64 + 3);  // with the requests for this
  }
  SUBCASE("of a server that closes them: four at a time") {
    get_many(values.at("old/4"), std::span{requests}, on);
    CHECK(test::value(values.at("most/-"), "most") == "4");
  }
  SUBCASE("as few as the options say") {
    get_many(values.at("old/2", {.first_at_once = 2}), std::span{requests}, on);
    CHECK(test::value(values.at("most/-"), "most") == "2");
  }
  SUBCASE("of all threads and copies together") {
    auto const store = values.at("old/4");
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([copy = store, &key] {
        test::HostQueue own;
        for (int k = 0; k < 10; ++k) CHECK(get_value(copy, key, own)->view().size == 100);
      });
    for (auto& thread : threads) thread.join();
    CHECK(test::value(values.at("most/-"), "most") == "4");
  }
  for (auto const& request : requests) CHECK(request.size.value_or(100) == 100);
}

TEST_CASE("the pace of requests: more with answers, fewer after refusals, and within its bounds") {
  http::Pace pace{4, 64};
  auto const taken = [&] {
    std::size_t n = 0;
    while (pace.take()) ++n;
    for (auto i = n; i > 0; --i) pace.give_back();
    return n;
  };
  CHECK(taken() == 4);
  for (int i = 0; i < 4; ++i) pace.hear(http::Answered::keeps_connection);
  CHECK(taken() == 8);
  for (int i = 0; i < 9; ++i) pace.hear(http::Answered::closes_connection);
  CHECK(taken() == 8);
  for (int i = 0; i < 99; ++i) pace.hear(http::Answered::keeps_connection);
  CHECK(taken() == 64);
  pace.hear(http::Answered::too_much);
  CHECK(taken() == 32);
  for (int i = 0; i < 99; ++i) pace.hear(http::Answered::too_much);
  CHECK(taken() == 1);
  CHECK(http::Pace{4, 2}.take());
}

TEST_CASE("a queue keeps its connections, and a child made by fork() has its own") {
  Values values;
  test::HostQueue on;
  auto const store = values.at("plain/-");
  auto const read = [&] { return get_value(store, {"a/k"}, on, {2, 3})->view().size == 3; };
  for (int i = 0; i < 20; ++i) CHECK(read());
  CHECK(values.server.connections() == 2);
  CHECK(test::in_child([&] { return read() && read(); }));
  CHECK(read());
  CHECK(values.server.connections() == 4);
}

TEST_CASE("many requests at once leave as many connections, which the next ones use; threads share what is allowed") {
  Values values;
  std::string memory(32, ' ');
  for (std::size_t threads : {1u, 4u}) {
    CAPTURE(threads);
    test::HostQueue on{threads};
    auto const before = values.server.connections();
    for (int i = 0; i < 5; ++i) {
      Key const key{"a/k"};
      std::size_t at = 0;
      auto destination = [&](std::size_t) {
        return ByteSpan<space::Host>{reinterpret_cast<std::byte*>(&memory[at++]), 1};
      };
      std::vector<ReadRequest<space::Host>> requests;
      for (std::uint64_t k = 0; k < 32; ++k) requests.push_back({&key, ByteRange::suffix(1), destination});
      get_many(values.at("plain/-", {.most_at_once = 32}), std::span{requests}, on);
      CHECK(memory == std::string(32, 'f'));
    }
    CHECK(values.server.connections() - before <= static_cast<int>(32 / threads) + 1);
  }
}

TEST_CASE("over TLS, with a certificate that the program trusts") {
  Values values;
  std::string const certificate = "tests/http/data/certificate.pem";
  test::HttpServer const server{values.folder.path().string(), certificate};
  HttpOptions options{.retries = 0, .certificates = certificate};
  CHECK(test::value(HttpStore{server.at("plain/-"), options}, "a/k", {2, 3}) == "234");
  auto const elsewhere = "elsewhere/" + values.server.port();  // an answer redirects there, but not out of TLS
  CHECK(test::value(values.at(elsewhere), "a/k", {2, 3}) == "234");
  check_refused<StoreError>([&] { test::value(HttpStore{server.at(elsewhere), options}, "a/k"); }, {"key \"a/k\""});
  options.certificates.clear();
  check_refused<StoreError>([&] { test::value(HttpStore{server.at("plain/-"), options}, "a/k"); },
                            {(server.at("plain/-") + ": key \"a/k\"").c_str(), "certificate"});
}

TEST_CASE("keys are percent-encoded, and a query stays behind them") {
  Values values;
  for (std::string const key : {"100%", "a b", "a?b=c", "a#b", "\xc3\xbc/\xe2\x82\xac", "c/0.0", "~a-b_c", "a+b&c=d;e,f"}) {
    CAPTURE(key);
    write_file(values.folder.path() / key, key);
    CHECK(test::value(values.at("plain/-/"), key) == key);
    CHECK(test::value(values.at("signed/-?signature=open"), key) == key);
  }
  check_refused<StoreError>([&] { test::value(values.at("plain/-"), "../a"); }, {"key \"../a\""});
  check_refused<StoreError>([&] { test::value(values.at("signed/-?signature=secret"), "a/k"); },
                            {(values.server.at("signed/-") + ": key \"a/k\"").c_str(), "the server answered 403"});
}

TEST_CASE("arrays, shards and groups of a server") {
  test::HttpServer server{"examples/data"};
  HttpStore const store{server.at("plain/-/brain.zarr")};
  LocalStore<HostBuffer> const files{"examples/data/brain.zarr"};
  Queue<space::Host> const on{4};
  auto const same = [&]<class T>(std::string const& path, T) {
    CAPTURE(path);
    auto const open = [&](auto const& from) { return open_array<T, 3, AllCodecs>(from, path, on); };
    std::vector<T> read(open(store).size()), expected(read.size());
    open(store).read(all, read);
    open(files).read(all, expected);
    CHECK(read == expected);
    CHECK(open(store).read({{10, 90}, {100, 101}, all})(3, 0, 50) == open(files).read(all)(13, 100, 50));
  };
  same("t1", std::uint8_t{});
  same("t1_half", 0.0F);
  same("t1_sharded", std::uint8_t{});
  auto const group = open_group(store, "");
  CHECK(group.attributes() == open_group(files, "").attributes());
  check_refused<StoreError>([&] { group.children(); }, {store.name().c_str(), "cannot be listed", "consolidated metadata"});
}

TEST_CASE("a thread asks for 32 chunks at once, and for several shards") {
  test::TemporaryFolder folder;
  LocalStore<HostBuffer> const files{folder.path().string()};
  test::HttpServer server{folder.path().string()};
  std::vector<std::uint8_t> numbers(256), read(numbers.size());
  std::iota(numbers.begin(), numbers.end(), std::uint8_t{0});
  create_array<std::uint8_t, 1>(files, "a", {.shape = {256}, .chunks = {8}}).write(all, numbers);
  Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes>>> const shards{{.chunk_shape = {8}}};
  create_array<std::uint8_t, 1>(files, "b", {.shape = {256}, .chunks = {32}}, shards).write(all, numbers);
  for (std::string const path : {"a", "b"}) {
    CAPTURE(path);
    HttpStore const store{server.at(path == "a" ? "together/32" : "together/8"), {.first_at_once = 32}};
    open_array<std::uint8_t, 1, AllCodecs>(store, path, test::HostQueue{}).read(all, read);
    CHECK(read == numbers);
    std::ranges::fill(read, std::uint8_t{0});
  }
  CHECK(server.told().size() == 2 + 32 + 8);
}

TEST_CASE("a group with consolidated metadata shows what is in it") {
  test::TemporaryFolder folder;
  LocalStore<HostBuffer> const files{folder.path().string()};
  create_group(files, "");
  create_array<float, 1>(files, "one/a", {.shape = {4}, .chunks = {2}});
  create_array<float, 1>(files, "two", {.shape = {4}, .chunks = {2}});
  consolidate(files, "");
  test::HttpServer server{folder.path().string()};
  auto const group = open_group(HttpStore{server.at("plain/-")}, "");
  std::vector<std::string> paths;
  group.walk([&](Node const& node) { paths.push_back(node.path); });
  CHECK(paths == std::vector<std::string>{"one", "one/a", "two"});
  CHECK(server.told() == Lines{"/plain/-/zarr.json "});
}

TEST_CASE("eight threads read the parts of an array") {
  test::HttpServer server{"examples/data"};
  auto const open = [](auto const& store) { return open_array<std::uint8_t, 3, AllCodecs>(store, "t1_sharded"); };
  auto const array = open(HttpStore{server.at("plain/-/brain.zarr")});
  auto const expected = open(LocalStore<HostBuffer>{"examples/data/brain.zarr"}).read(all);
  std::vector<std::thread> threads;
  std::vector<int> different(8, -1);
  for (std::size_t i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      auto const z = i * 20;
      auto const part = array.read({all, all, {z, z + 20}});
      different[i] = 0;
      for (std::size_t x = 0; x < 197; ++x)
        for (std::size_t y = 0; y < 233; ++y)
          for (std::size_t k = 0; k < 20; ++k) different[i] += part(x, y, k) != expected(x, y, z + k);
    });
  for (auto& thread : threads) thread.join();
  CHECK(different == std::vector<int>(8, 0));
}

}  // namespace http_tests
