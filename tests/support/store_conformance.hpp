// What every store does, whatever it is: run for each of them. `make()` gives a new, empty store.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/bytes.hpp>
#include <support/refused.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>

namespace test {

using HostQueue = tessera::Queue<tessera::space::Host>;

template <class S>
void put(S const& store, std::string const& key, std::string_view value) {
  HostQueue on;
  auto const bytes = test::bytes(value);
  store.write({key}, view(bytes), on);
}

/// The value as text; "(missing)", if there is none.
template <class S>
std::string value(S const& store, std::string const& key, tessera::ByteRange range = {}) {
  HostQueue on;
  auto const buffer = tessera::get(store, {key}, on, range);
  return buffer ? text(buffer->view()) : "(missing)";
}

template <class S>
bool erase(S const& store, std::string const& key) {
  HostQueue on;
  return store.erase({key}, on);
}

/// What a listing shows, sorted: "a/b:3" is a key of three bytes, "c/" a prefix.
template <class S>
std::vector<std::string> listed(S const& store, std::string_view prefix) {
  std::vector<std::string> result;
  store.list(prefix, [&](tessera::Listed const& entry) {
    CHECK_FALSE(entry.is_prefix);
    result.push_back(std::string{entry.path} + ':' + std::to_string(entry.size));
  });
  std::sort(result.begin(), result.end());
  return result;
}
template <class S>
std::vector<std::string> listed_directory(S const& store, std::string_view prefix) {
  std::vector<std::string> result;
  store.list_directory(prefix, [&](tessera::Listed const& entry) {
    result.push_back(std::string{entry.path} + (entry.is_prefix ? "/" : ':' + std::to_string(entry.size)));
  });
  std::sort(result.begin(), result.end());
  return result;
}

template <class Make>
void reads_what_was_written(Make&& make) {
  auto const store = make();
  CHECK(value(store, "a") == "(missing)");
  CHECK(value(store, "a/b/c") == "(missing)");
  put(store, "a/b/c", "0123456789");
  put(store, "d", "x");
  CHECK(value(store, "a/b/c") == "0123456789");
  CHECK(value(store, "d") == "x");
  CHECK(value(store, "a/b") == "(missing)");
  CHECK(value(store, "a") == "(missing)");
  CHECK(value(store, "d/e") == "(missing)");
  CHECK(value(store, "zarr.json") == "(missing)");
}

template <class Make>
void reads_ranges(Make&& make) {
  auto const store = make();
  put(store, "k", "0123456789");
  CHECK(value(store, "k", {2, 3}) == "234");
  CHECK(value(store, "k", {7}) == "789");
  CHECK(value(store, "k", {8, 99}) == "89");
  CHECK(value(store, "k", {10, 5}) == "");
  CHECK(value(store, "k", {0, 0}) == "");
  CHECK(value(store, "k", tessera::ByteRange::suffix(4)) == "6789");
  CHECK(value(store, "k", tessera::ByteRange::suffix(99)) == "0123456789");
  CHECK(value(store, "k", tessera::ByteRange::suffix(0)) == "");
  CHECK(value(store, "missing", {2, 3}) == "(missing)");
  check_refused<tessera::StoreError>(
      [&] {
        value(store, "k", {11, 1});
      },
      {"key \"k\"", store.name().c_str(), "byte 11", "10 bytes"});
}

template <class Make>
void holds_empty_values(Make&& make) {
  auto const store = make();
  put(store, "k", "");
  CHECK(value(store, "k") == "");
  CHECK(value(store, "k", tessera::ByteRange::suffix(3)) == "");
  CHECK(listed(store, "") == std::vector<std::string>{"k:0"});
}

template <class Make>
void overwrites_and_erases(Make&& make) {
  auto const store = make();
  put(store, "a/k", "a long first value");
  put(store, "a/k", "short");
  CHECK(value(store, "a/k") == "short");
  put(store, "a/k", "a longer second value");
  CHECK(value(store, "a/k") == "a longer second value");
  CHECK_FALSE(erase(store, "a"));
  CHECK_FALSE(erase(store, "a/k/x"));
  CHECK(value(store, "a/k") != "(missing)");
  CHECK(erase(store, "a/k"));
  CHECK_FALSE(erase(store, "a/k"));
  CHECK(value(store, "a/k") == "(missing)");
  put(store, "a/k", "again");
  CHECK(value(store, "a/k") == "again");
}

template <class Make>
void copies_see_the_same_keys(Make&& make) {
  auto const store = make();
  auto copy = store;
  put(copy, "k", "from the copy");
  CHECK(value(store, "k") == "from the copy");
  erase(store, "k");
  CHECK(value(copy, "k") == "(missing)");
}

template <class Make>
void asks_for_room_once(Make&& make) {
  auto const store = make();
  put(store, "k", "0123456789");
  HostQueue on;
  Bytes memory(10);
  std::vector<std::size_t> asked;
  auto room = [&](std::size_t n) {
    asked.push_back(n);
    return HostSpan{memory.data(), n};
  };
  CHECK(store.read({"k"}, {}, room, on) == 10);
  CHECK(store.read({"k"}, {3, 4}, room, on) == 4);
  CHECK(store.read({"k"}, tessera::ByteRange::suffix(2), room, on) == 2);
  CHECK(asked == std::vector<std::size_t>{10, 4, 2});
  CHECK_FALSE(store.read({"missing"}, {}, room, on));
  CHECK_THROWS_AS(store.read({"k"}, {99, 1}, room, on), tessera::StoreError);
  CHECK(asked.size() == 3);  // neither of the two needs room
}

template <class Make>
void lets_the_room_refuse(Make&& make) {
  auto const store = make();
  put(store, "k", "0123456789");
  HostQueue on;
  auto full = [](std::size_t) -> HostSpan { throw std::length_error{"no room"}; };
  CHECK_THROWS_AS(store.read({"k"}, {}, full, on), std::length_error);
  auto error = [](std::size_t) -> HostSpan { throw tessera::CodecError{"no room"}; };
  check_refused<tessera::CodecError>([&] { store.read({"k"}, {}, error, on); }, {"key \"k\"", "no room"});
  CHECK(value(store, "k") == "0123456789");
}

template <class Make>
void reads_into_memory_given(Make&& make) {
  auto const store = make();
  put(store, "k", "0123456789");
  HostQueue on;
  auto memory = bytes("............");
  CHECK(tessera::get_into(store, {"k"}, span(memory), on) == 10);
  CHECK(text(view(memory)) == "0123456789..");
  CHECK(tessera::get_into(store, {"k"}, span(memory), on, {5, 2}) == 2);
  CHECK(text(view(memory)) == "5623456789..");
  CHECK_FALSE(tessera::get_into(store, {"missing"}, span(memory), on));
  check_refused<tessera::StoreError>([&] { tessera::get_into(store, {"k"}, span(memory).sub(0, 9), on); },
                                     {"key \"k\"", "10 bytes", "9 bytes"});
  CHECK(text(view(memory)) == "5623456789..");
}

template <class Make>
void reads_many(Make&& make) {
  auto const store = make();
  put(store, "a", "first");
  put(store, "b", "second");
  HostQueue on;
  tessera::Key const keys[] = {{"a"}, {"missing"}, {"b"}, {"a"}};
  std::vector<Bytes> memory(4);
  auto room = [](Bytes& into) {
    return [&into](std::size_t n) {
      into.resize(n);
      return span(into);
    };
  };
  auto r0 = room(memory[0]), r1 = room(memory[1]), r2 = room(memory[2]), r3 = room(memory[3]);
  std::vector<tessera::ReadRequest<tessera::space::Host>> requests{
      {&keys[0], {}, r0}, {&keys[1], {}, r1}, {&keys[2], {1, 3}, r2}, {&keys[3], tessera::ByteRange::suffix(2), r3}};
  tessera::get_many(store, std::span{requests}, on);
  CHECK(requests[0].size == 5);
  CHECK_FALSE(requests[1].size);
  CHECK(requests[2].size == 3);
  CHECK(requests[3].size == 2);
  CHECK(text(view(memory[0])) == "first");
  CHECK(text(view(memory[2])) == "eco");
  CHECK(text(view(memory[3])) == "st");
}

template <class Make>
void lists(Make&& make) {
  using Names = std::vector<std::string>;
  auto const store = make();
  CHECK(listed(store, "").empty());
  CHECK(listed_directory(store, "").empty());
  put(store, "a/x", "1");
  put(store, "a/c/0/0", "22");
  put(store, "a/c/0/1", "22");
  put(store, "ab/x", "333");
  put(store, "a.b", "4");
  put(store, "a0", "5");
  CHECK(listed(store, "") == Names{"a.b:1", "a/c/0/0:2", "a/c/0/1:2", "a/x:1", "a0:1", "ab/x:3"});
  CHECK(listed_directory(store, "") == Names{"a.b:1", "a/", "a0:1", "ab/"});
  CHECK(listed(store, "a") == Names{"a/c/0/0:2", "a/c/0/1:2", "a/x:1"});  // and not what "a" is the beginning of
  CHECK(listed_directory(store, "a") == Names{"a/c/", "a/x:1"});
  CHECK(listed_directory(store, "a/c") == Names{"a/c/0/"});
  CHECK(listed(store, "a/x").empty());  // a key is not a folder
  CHECK(listed_directory(store, "a/x").empty());
  CHECK(listed(store, "unknown").empty());
  CHECK(listed_directory(store, "a/unknown").empty());
}

template <class Make>
void may_be_used_while_it_is_listed(Make&& make) {
  auto const store = make();
  put(store, "a/x", "1");
  put(store, "a/y", "2");
  std::string seen;
  store.list("a", [&](tessera::Listed const& entry) {
    seen += value(store, std::string{entry.path});
    put(store, "b/" + seen, "3");
  });
  CHECK(seen.size() == 2);
  CHECK(listed(store, "b").size() == 2);
}

template <class Make>
void refuses_keys_that_are_none(Make&& make) {
  auto const store = make();
  for (auto* key : {"", "/", "/etc/passwd", "a/", "a//b", ".", "..", "../a", "a/../../b", "a/./b"}) {
    CAPTURE(std::string{key});
    auto const name = store.name();
    check_refused<tessera::StoreError>([&] { value(store, key); }, {"not a key", name.c_str()});
    check_refused<tessera::StoreError>([&] { put(store, key, "x"); }, {"not a key", name.c_str()});
    check_refused<tessera::StoreError>([&] { erase(store, key); }, {"not a key", name.c_str()});
    if (*key == '\0') continue;  // the root is a prefix
    CHECK_THROWS_AS(listed(store, key), tessera::StoreError);
    CHECK_THROWS_AS(listed_directory(store, key), tessera::StoreError);
  }
  CHECK_THROWS_AS(put(store, std::string{"a\0b", 3}, "x"), tessera::StoreError);
  CHECK(listed(store, "").empty());
}

template <class Make>
void shows_the_old_value_or_the_new_never_half(Make&& make) {
  auto const store = make();
  std::string const values[] = {std::string(40'000, 'a'), std::string(70'000, 'b'), std::string(1, 'c')};
  put(store, "k", values[0]);
  std::atomic<int> torn{0}, reads{0};
  std::vector<std::thread> threads;
  for (int w = 0; w < 2; ++w)
    threads.emplace_back([&, w] {
      for (std::size_t i = 0; i < 60; ++i) put(store, "k", values[(i + static_cast<std::size_t>(w)) % 3]);
    });
  for (int r = 0; r < 2; ++r)
    threads.emplace_back([&] {
      for (int i = 0; i < 120; ++i) {
        auto const found = value(store, "k");
        torn += std::find(std::begin(values), std::end(values), found) == std::end(values);
        ++reads;
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(torn == 0);
  CHECK(reads == 240);
  CHECK(listed(store, "").size() == 1);  // nothing unfinished is left
}

template <class Make>
void test_store(Make&& make) {
  SUBCASE("reads what was written") { reads_what_was_written(make); }
  SUBCASE("reads ranges") { reads_ranges(make); }
  SUBCASE("holds empty values") { holds_empty_values(make); }
  SUBCASE("overwrites and erases") { overwrites_and_erases(make); }
  SUBCASE("copies see the same keys") { copies_see_the_same_keys(make); }
  SUBCASE("asks for room once, with the right size") { asks_for_room_once(make); }
  SUBCASE("lets the room refuse") { lets_the_room_refuse(make); }
  SUBCASE("reads into memory given") { reads_into_memory_given(make); }
  SUBCASE("reads many") { reads_many(make); }
  SUBCASE("lists") { lists(make); }
  SUBCASE("may be used while it is listed") { may_be_used_while_it_is_listed(make); }
  SUBCASE("refuses keys that are none") { refuses_keys_that_are_none(make); }
  SUBCASE("shows the old value or the new, never half") { shows_the_old_value_or_the_new_never_half(make); }
}

}  // namespace test
