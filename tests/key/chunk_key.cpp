#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include <tessera/key/key.hpp>

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

TEST_CASE("the place of a chunk is read out of its key, and out of no other") {
  auto const place = [](ChunkKeyEncoding encoding, std::string const& path, std::size_t rank) {
    return encoding.place_of(path, rank);
  };
  for (auto encoding : {slash, dot, v2_dot, v2_slash})
    for (auto const& chunk : {Extents{}, Extents{0}, Extents{1, 23, 45}, Extents{~std::uint64_t{0}, 10}}) {
      auto const path = key(encoding, chunk);
      CAPTURE(path);
      CHECK(place(encoding, path, chunk.rank()) == chunk);
      if (path != "0") {  // v2's name for a chunk of no dimensions, too
        CHECK_FALSE(place(encoding, path, chunk.rank() + 1));
        if (chunk.rank() > 0) CHECK_FALSE(place(encoding, path, chunk.rank() - 1));
      }
      for (auto const* more : {"/", ".", "x", "/zarr.json", "0x"})
        CHECK_FALSE(place(encoding, path + more, chunk.rank()));
    }
  for (auto const* other : {"", "c", "c/", "c/1", "c/1/02", "c/1/+2", "c/1/-2", "c/1.2", "1/2", "d/1/2", "c/1//2",
                            "C/1/2", "zarr.json", "c/18446744073709551616/2", ".tessera-1-2"}) {
    CAPTURE(other);
    CHECK_FALSE(place(slash, other, 2));
  }
}
