#include <string>

#include <doctest/doctest.h>

#include <tessera/core/error.hpp>

using namespace tessera;

TEST_CASE("an error says store, key, codec and problem in that order, whatever the order they were given in") {
  CodecError error{"too short"};
  error.in_codec("zstd").in_key("t1/c/0").in_store("/data");
  CHECK(std::string{error.what()} == "/data: key \"t1/c/0\": codec zstd: too short");
  CHECK(error.store() == "/data");
  CHECK(error.key() == "t1/c/0");
  CHECK(error.codec() == "zstd");
}

TEST_CASE("an error keeps the innermost place") {
  StoreError error{"gone"};
  error.in_key("inner").in_key("outer").in_store("near").in_store("far").in_codec("a").in_codec("b");
  CHECK(std::string{error.what()} == "near: key \"inner\": codec a: gone");
  error.in_chunk(3).in_chunk(7);
  CHECK(error.chunk() == 3);
}

TEST_CASE("an error without a place is its problem alone") {
  CHECK(std::string{Error{"plain"}.what()} == "plain");
  CHECK_FALSE(Error{"plain"}.chunk());
}

TEST_CASE("an error is one line, whatever the names contain") {
  MetadataError error{"bad\r\nname\x7f"};
  error.in_key(std::string{"a\nb\0c\x1b[31m", 10}).in_store("x\ty").in_codec("\v");
  for (char const* c = error.what(); *c; ++c) {
    CHECK(static_cast<unsigned char>(*c) >= ' ');
    CHECK(*c != '\x7f');
  }
  CHECK(std::string{error.what()}.ends_with("bad\\u{d}\\u{a}name\\u{7f}"));
  CHECK(error.key().size() == 10);  // the key itself is unchanged
}

TEST_CASE("an error caught as its base and thrown on keeps its type") {
  auto annotate = [] {
    try {
      throw CodecError{"short"};
    } catch (Error& error) {
      error.in_key("k");
      throw;
    }
  };
  CHECK_THROWS_AS(annotate(), CodecError);
  CHECK_THROWS_WITH(annotate(), "key \"k\": short");
}

TEST_CASE_TEMPLATE("every error is an Error and a std::exception", E, StoreError, MetadataError, CodecError,
                   SelectionError) {
  CHECK_THROWS_AS(throw E{"x"}, Error);
  CHECK_THROWS_AS(throw E{"x"}, std::exception);
}
