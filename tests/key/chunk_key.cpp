#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include <tessera/key/chunk_key.hpp>

using namespace tessera;

static std::string key(ChunkKeyEncoding encoding, Extents const& chunk, std::string path = "") {
  encoding.append(path, chunk);
  return path;
}

static constexpr ChunkKeyEncoding slash{false, '/'}, dot{false, '.'}, v2_dot{true, '.'}, v2_slash{true, '/'};

TEST_CASE("the chunk of an array without dimensions has a key too (G-01)") {
  CHECK(key(slash, {}) == "c");
  CHECK(key(dot, {}) == "c");
  CHECK(key(v2_dot, {}) == "0");
  CHECK(key(v2_slash, {}) == "0");
}

TEST_CASE("chunk keys in three dimensions (G-02)") {
  CHECK(key(slash, {1, 23, 45}, "foo/baz/") == "foo/baz/c/1/23/45");
  CHECK(key(dot, {1, 23, 45}, "foo/baz/") == "foo/baz/c.1.23.45");
  CHECK(key(v2_dot, {1, 23, 45}, "foo/baz/") == "foo/baz/1.23.45");
  CHECK(key(v2_slash, {1, 23, 45}, "foo/baz/") == "foo/baz/1/23/45");
}

TEST_CASE("chunk keys of one dimension, and of large indices") {
  CHECK(key(slash, {0}) == "c/0");
  CHECK(key(v2_dot, {7}) == "7");
  CHECK(key(slash, {~std::uint64_t{0}}) == "c/18446744073709551615");
}
