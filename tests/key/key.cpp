#include <string>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <tessera/key/key.hpp>

using namespace tessera;

TEST_CASE("keys are names joined by slashes") {
  for (auto* good :
       {"a", "zarr.json", "t1/c/0/0/0", "...", ".a", "a.", "..a/b..", "with space", "\\", "\xc3\xa9", "-"}) {
    CAPTURE(std::string{good});
    CHECK_NOTHROW(check_key(Key{good}));
  }
}

TEST_CASE("keys that a store must not trust are refused, with the key") {
  for (std::string const bad :
       {"", "/", "/a", "a/", "a//b", ".", "..", "./a", "a/.", "a/..", "../a", "a/../b", "a/./b"}) {
    CAPTURE(bad);
    test::check_refused<StoreError>([&] { check_key(Key{bad}); }, {"not a key"});
    try {
      check_key(Key{bad});
    } catch (StoreError const& error) {
      CHECK(error.key() == bad);
    }
  }
  CHECK_THROWS_AS(check_key(Key{std::string{"a\0b", 3}}), StoreError);
  CHECK_THROWS_AS(check_key(Key{std::string{"a/\0", 3}}), StoreError);
}

TEST_CASE("a path and a name make a key; the root adds nothing") {
  CHECK(("t1" / std::string_view{"zarr.json"}).path == "t1/zarr.json");
  CHECK((std::string_view{} / std::string_view{"zarr.json"}).path == "zarr.json");
}
