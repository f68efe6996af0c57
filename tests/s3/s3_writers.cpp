// S3Stores of several programs: nothing is lost of their changes; and servers that do not keep to conditions.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <support/bytes.hpp>
#include <support/refused.hpp>
#include <support/s3_server.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using test::check_refused;
using test::value;

namespace s3_tests {
namespace {

using Lines = std::vector<std::string>;
using Bucket = S3Store<HostBuffer>;
using Numbers = std::vector<std::int32_t>;
using Sharded = Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes>>>;

// How many of the processes failed; each runs work(number).
int in_processes(int count, std::function<void(int)> const& work) {
  std::vector<pid_t> children;
  for (int w = 0; w < count; ++w) {
    children.push_back(::fork());
    REQUIRE(children.back() >= 0);
    if (children.back() != 0) continue;
    ::alarm(60);
    try {
      work(w);
      ::_exit(0);
    } catch (std::exception const& error) {
      std::cerr << "writer " << w << ": " << error.what() << '\n';
    }
    ::_exit(1);
  }
  int status = 0, bad = 0;
  for (auto const child : children) bad += ::waitpid(child, &status, 0) != child || status != 0;
  return bad;
}

auto open_numbers(Bucket const& store) { return open_array<std::int32_t, 1, AllCodecs>(store, "a"); }
Numbers values(Bucket const& store) {
  auto const array = open_numbers(store);
  Numbers found(array.size());
  array.read(all, found);
  return found;
}

}  // namespace

TEST_CASE("of parts of one chunk or shard that four processes write nothing is lost") {
  if (!test::has_s3("writers of a bucket")) return;
  test::S3Server const server;
  for (bool const is_sharded : {false, true}) {
    CAPTURE(is_sharded);
    auto const folder = is_sharded ? "shard" : "chunk";
    auto const store = server.at(folder);
    NewArray<std::int32_t> const wanted{.shape = {48}, .chunks = {48}};
    if (is_sharded)
      create_array<std::int32_t, 1>(store, "a", wanted, Sharded{{{4}}});
    else
      create_array<std::int32_t, 1>(store, "a", wanted);
    CHECK(in_processes(4, [&](int w) {
            auto const array = open_numbers(server.at(folder));
            for (auto i = static_cast<std::uint64_t>(w); i < 48; i += 4) array.write({{i, i + 1}}, Numbers{7});
          }) == 0);
    CHECK(values(store) == Numbers(48, 7));
  }
}

TEST_CASE("of what four processes append, and merge as attributes, nothing is lost, and one makes a node") {
  if (!test::has_s3("appends to a bucket")) return;
  test::S3Server const server;
  auto const store = server.at("f");
  CHECK(in_processes(
            4, [&](int) { create_array<std::int32_t, 1>(server.at("f"), "a", {.shape = {5}, .chunks = {10}}); }) == 3);
  CHECK(in_processes(4, [&](int w) {
          auto const own = server.at("f");
          auto const array = open_numbers(own);
          for (int i = 0; i < 4; ++i) {
            w == 0 ? array.write({{0, 5}}, Numbers(5, i + 1)) : (void)array.append(Numbers(3, 100 + w));
            merge_attributes(own, "a", {{std::to_string(4 * w + i), i}});
          }
        }) == 0);
  auto const found = values(store);
  CHECK(found.size() == 5 + 3 * 3 * 4);
  CHECK(std::ranges::count(found, 4) == 5);
  for (int w = 1; w < 4; ++w) CHECK(std::ranges::count(found, 100 + w) == 12);
  CHECK(get_attributes(store, "a").size() == 16);
}

TEST_CASE("a process that ends while it holds a folder is waited for no longer than its lease") {
  if (!test::has_s3("locks of a bucket")) return;
  test::S3Server const server;
  auto options = server.options();
  options.lease = std::chrono::seconds{1};
  auto const store = server.at("f", options);
  CHECK(in_processes(1, [&](int) {
          auto const own = server.at("f", options);
          auto const held = own.lock_folder("a", Sharing::alone);
          ::_exit(held ? 0 : 1);  // without an end of the lock
        }) == 0);
  auto const before = std::chrono::steady_clock::now();
  { CHECK(store.lock_folder("a", Sharing::alone)); }
  CHECK(std::chrono::steady_clock::now() - before >= std::chrono::seconds{1});
  {
    auto const other = server.at("f", options);
    auto const one = store.lock_folder("a", Sharing::shared);
    {
      auto const two = other.lock_folder("a", Sharing::shared);
      CHECK(std::ranges::count(value(store, "a/.tessera-lock"), '\n') == 2);
    }
    CHECK(std::ranges::count(value(store, "a/.tessera-lock"), '\n') == 1);
    std::atomic<bool> stop{true};
    CHECK_THROWS_AS(store.lock_folder("a", Sharing::alone, &stop), Cancelled);
    options.lock_patience = std::chrono::seconds{0};
    check_refused<StoreError>([&] { server.at("f", options).lock_folder("a", Sharing::alone); },
                              {"key \"a\"", "another program held the lock"});
  }
  auto const told = value(store, "a/.tessera-lock");
  CHECK(told == "(missing)");
  check_refused<StoreError>([&] { test::put(store, "a/.tessera-lock", "x"); }, {"reserved"});
}

TEST_CASE("a lock that was taken away is noticed by the next write below it, one that is renewed is kept") {
  if (!test::has_s3("lost locks of a bucket")) return;
  test::S3Server const server;
  auto options = server.options();
  options.lease = std::chrono::seconds{1};
  auto const store = server.at("f", options), other = server.at("f", options);
  {
    auto const held = store.lock_folder("a", Sharing::alone);
    { CHECK(other.lock_folder("a", Sharing::alone)); }  // after a second without a renewal
    check_refused<StoreError>([&] { test::put(store, "a/k", "x"); }, {"lock of the folder was taken", "lease"});
    test::put(store, "ab", "x");
  }
  auto const beside = other.lock_folder("a", Sharing::shared), held = store.lock_folder("a", Sharing::shared);
  std::atomic<bool> is_admitted{false}, stop{false};
  std::thread waits{[&] {
    auto const patient = server.at("f", options);
    try {
      is_admitted = static_cast<bool>(patient.lock_folder("a", Sharing::alone, &stop));
    } catch (Cancelled const&) {
    }
  }};
  auto const end = std::chrono::steady_clock::now() + std::chrono::milliseconds{2500};
  while (std::chrono::steady_clock::now() < end) {
    test::put(store, "a/k", "x");
    test::put(other, "a/l", "x");
  }
  CHECK_FALSE(is_admitted);
  CHECK(std::ranges::count(value(store, "a/.tessera-lock"), '\n') == 2);
  stop = true;
  waits.join();
}

TEST_CASE("the end of a lock that was taken away leaves that of its new holder") {
  if (!test::has_s3("ends of lost locks of a bucket")) return;
  test::S3Server const server;
  server.ask("ignore-erase-conditions");
  auto options = server.options();
  options.lease = std::chrono::seconds{1};
  auto const store = server.at("f", options), other = server.at("f", options);
  auto held = std::make_optional(store.lock_folder("a", Sharing::alone));
  auto taken = std::make_optional(other.lock_folder("a", Sharing::alone));  // after a second without a renewal
  held.reset();
  CHECK(std::ranges::count(value(store, "a/.tessera-lock"), '\n') == 1);
  server.fault("status:503:SlowDown", 2, "DELETE", "/a/");  // which says that it did nothing
  taken.reset();
  CHECK(value(store, "a/.tessera-lock") == "(missing)");
}

TEST_CASE("locks and lost answers of a bucket whose keys may not be listed") {
  if (!test::has_s3("locks of a bucket whose keys may not be listed")) return;
  test::S3Server const server;
  server.ask("hide-keys");
  auto options = server.options();
  options.http.missing = {403, 404};
  auto const store = server.at("f", options), other = server.at("f", options);
  auto held = std::make_optional(store.lock_folder("a", Sharing::alone));
  std::thread waits{[&] { CHECK(other.lock_folder("a", Sharing::alone)); }};
  auto const is_waiting = [](std::string const& line) { return line.starts_with("GET /tests/f/a/.tessera-lock"); };
  while (std::ranges::none_of(server.requests(), is_waiting)) std::this_thread::yield();
  held.reset();
  waits.join();
  auto const lock = store.lock({"k"});
  CHECK(value(store, "k") == "(missing)");
  server.fault("status:412:PreconditionFailed", 1, "PUT", "/f/k");
  CHECK_THROWS_AS(test::put(store, "k", "v"), ValueChanged);
}

TEST_CASE("a value that another program changed under the lock is not replaced, nor erased") {
  if (!test::has_s3("conditions of a bucket")) return;
  test::S3Server const server;
  for (bool const forgets : {false, true}) {
    if (forgets) server.ask("forget-erase-conditions");
    auto const store = server.at("f"), other = server.at("f");
    test::put(store, "k", "old");
    {
      auto const held = store.lock({"k"});
      CHECK(value(store, "k") == "old");
      test::put(other, "k", "other");
      CHECK_THROWS_AS(test::put(store, "k", "new"), ValueChanged);
      CHECK_THROWS_AS(test::erase(store, "k"), ValueChanged);
      CHECK_THROWS_AS(value(store, "k"), ValueChanged);
    }
    CHECK(value(store, "k") == "other");
    {
      auto const held = store.lock({"k"});
      test::put(store, "k", "whole");  // nothing was read that it could undo
      test::put(store, "k", "again");
      CHECK(test::erase(store, "k"));
    }
    {
      auto const held = store.lock({"k"});
      CHECK(value(store, "k") == "(missing)");
      test::put(other, "k", "first");
      CHECK_THROWS_AS(test::put(store, "k", "new"), ValueChanged);
    }
    {
      auto const held = store.lock({"k"});
      CHECK(value(store, "k") == "first");
      CHECK(test::erase(other, "k"));
      CHECK_THROWS_AS(test::put(store, "k", "new"), ValueChanged);
    }
    auto options = server.options();
    options.multipart_above = 3;
    auto const parts = server.at("f", options);
    {
      auto const held = parts.lock({"k"});
      CHECK(value(parts, "k") == "(missing)");
      test::put(other, "k", "first");
      CHECK_THROWS_AS(test::put(parts, "k", "part by part"), ValueChanged);
    }
    CHECK(value(store, "k") == "first");
  }
}

TEST_CASE("a change of a value whose version the server does not say is refused") {
  if (!test::has_s3("values without a version")) return;
  test::S3Server const server;
  auto const store = server.at("f");
  test::put(store, "k", "v");
  for (std::string const prefix : {"W/", "none"}) {
    CAPTURE(prefix);
    auto const held = store.lock({"k"});
    server.fault("etag:" + prefix, 1, "GET", "/f/k");
    CHECK(value(store, "k") == "v");
    check_refused<StoreError>([&] { test::put(store, "k", "new"); }, {"key \"k\"", "no strong ETag", "one_writer"});
    CHECK(value(store, "k") == "v");
  }
  test::put(store, "k", "new");
  auto const array = create_array<std::int32_t, 1>(store, "a", {.shape = {8}, .chunks = {8}}, Sharded{{{4}}});
  array.fill(all, 7);
  server.fault("etag:W/", 8, "GET", "/f/a/c/0");
  server.requests();
  CHECK(array.read(all)(7) == 7);
  for (auto const& asked : server.requests()) CHECK(asked.find("if-match") == asked.npos);
  server.fault("etag:none", 1, "GET", "/.tessera-lock");
  auto const other = server.at("f");
  auto const lock = store.lock_folder("a", Sharing::alone);
  check_refused<StoreError>([&] { other.lock_folder("a", Sharing::alone); }, {"key \"a\"", "no strong ETag"});
}

TEST_CASE("a conditional write whose answer was lost knows its own success") {
  if (!test::has_s3("lost answers of a bucket")) return;
  test::S3Server const server;
  auto options = server.options();
  auto const store = server.at("f", options), other = server.at("f", options);
  test::put(store, "k", "first");
  options.multipart_above = 3;
  auto const parts = server.at("f", options);
  for (auto const* one : {&store, &parts}) {
    for (bool const is_other : {false, true}) {
      CAPTURE(is_other);
      bool const is_put = one == &store;
      CAPTURE(is_put);
      auto const held = one->lock({"k"});
      value(*one, "k");
      if (is_other) test::put(other, "k", "other");
      server.fault(is_other ? "cut" : "lost", 1, is_put ? "PUT" : "POST", is_put ? "/f/k" : "uploadId=");
      server.requests();
      if (is_other) {
        CHECK_THROWS_AS(test::put(*one, "k", "second"), ValueChanged);
        CHECK(value(other, "k") == "other");
      } else {
        test::put(*one, "k", "second");
        CHECK(value(other, "k") == "second");
        CHECK(server.requests().size() >= 3);  // two to write it, and one that looks
      }
    }
  }
}

TEST_CASE("a server that ignores conditions is found out before anything is written") {
  if (!test::has_s3("servers without conditions")) return;
  test::S3Server const server;
  server.ask("ignore-conditions");
  auto options = server.options();
  check_refused<StoreError>([&] { test::put(server.at("f", options), "k", "x"); },
                            {"ignores the conditions of writes", "one_writer"});
  Lines left;
  server.at("").list("", [&](Listed const& entry) { left.emplace_back(entry.path); });
  CHECK(left == Lines{});
  options.one_writer = true;
  auto const store = server.at("f", options);
  create_array<std::int32_t, 1>(store, "a", {.shape = {64}, .chunks = {64}});
  auto const array = open_numbers(store);
  std::vector<std::thread> threads;
  for (std::uint64_t w = 0; w < 4; ++w)
    threads.emplace_back([&, w] {
      for (auto i = w; i < 64; i += 4) array.write({{i, i + 1}}, Numbers{7});
    });
  for (auto& thread : threads) thread.join();
  CHECK(values(store) == Numbers(64, 7));
}

TEST_CASE("rclone serves values to S3Store, and is one of these servers") {
  auto const program = std::string{"build/s3-venv/bin/rclone"};
  if (!test::has_s3("S3Store over rclone")) return;
  REQUIRE(std::filesystem::exists(program));
  test::PlainEnvironment const environment;
  test::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "tests");
  test::ServerProcess const server{{test::s3_python, "tests/s3/rclone.py", program, folder.path().string()}};
  S3Options options;
  options.endpoint = "http://127.0.0.1:" + server.port();
  options.access_key = "AKIDTEST";
  options.secret_key = "sEcret/of+the=test";
  check_refused<StoreError>([&] { test::put(Bucket{"s3://tests/f", options}, "k", "x"); }, {"ignores the conditions"});
  options.one_writer = true;
  Bucket const store{"s3://tests/f", options};
  test::put(store, "a/sp ace+\xc3\xa4", "0123456789");
  CHECK(value(store, "a/sp ace+\xc3\xa4", {2, 3}) == "234");
  CHECK(value(store, "a/sp ace+\xc3\xa4", {10, 3}) == "");
  CHECK(value(store, "none") == "(missing)");
  Lines found;
  store.list_directory("a", [&](Listed const& entry) { found.emplace_back(entry.path); });
  CHECK(found == Lines{"a/sp ace+\xc3\xa4"});
  CHECK(test::erase(store, "a/sp ace+\xc3\xa4"));
  options.secret_key = "another";
  check_refused<StoreError>([&] { value(Bucket{"s3://tests/f", options}, "k"); }, {"403 SignatureDoesNotMatch"});
}

}  // namespace s3_tests
