// A DiskCachedStore of a web server: what it asks the server for, by the ETags that the server gives.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/http_server.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/store/disk_cached_store.hpp>
#include <tessera/with/curl.hpp>

using namespace tessera;
using test::value;
using Lines = std::vector<std::string>;

TEST_CASE("a value of a web server is sent once, until its ETag changes") {
  test::TemporaryFolder folder;
  auto const write = [&](std::string const& text) { std::ofstream{folder / "a"} << text; };
  test::HttpServer server{folder.path().string()};
  write("0123456789");
  for (int round = 0; round < 2; ++round) {
    DiskCachedStore const store{HttpStore{server.at("etag/strong")}, folder / "cache"};
    server.told();
    CHECK(value(store, "a") == "0123456789");
    CHECK(value(store, "a", {2, 3}) == "234");
    auto const first = round == 0 ? "/etag/strong/a " : "/etag/strong/a bytes=0-0";
    CHECK(server.told() == Lines{first, "/etag/strong/a bytes=0-0"});
  }
  DiskCachedStore const store{HttpStore{server.at("etag/strong")}, folder / "cache"};
  write("9876543210");
  CHECK(value(store, "a", {2, 3}) == "765");
  CHECK(server.told() == Lines{"/etag/strong/a bytes=0-0", "/etag/strong/a bytes=2-4"});
  CHECK(value(store, "a", {2, 3}) == "765");
  CHECK(server.told() == Lines{"/etag/strong/a bytes=0-0"});
  std::filesystem::remove(folder / "a");
  CHECK(value(store, "a", {2, 3}) == "(missing)");
  CHECK(value(store, "a") == "(missing)");
}

TEST_CASE("without a strong ETag values are kept only if they are trusted") {
  test::TemporaryFolder folder;
  std::ofstream{folder / "a"} << "0123456789";
  test::HttpServer server{folder.path().string()};
  for (auto const* mode : {"etag/weak", "plain/-", "whole/-"}) {
    CAPTURE(mode);
    HttpStore const source{server.at(mode)};
    DiskCachedStore const store{source, folder / "cache"}, trusting{source, folder / "cache", {.trusts = true}};
    server.told();
    for (int i = 0; i < 2; ++i) CHECK(value(store, "a") == "0123456789");
    CHECK(server.told().size() == 2);
    for (int i = 0; i < 2; ++i) CHECK(value(trusting, "a") == "0123456789");
    CHECK(server.told().size() == 1);
  }
}
