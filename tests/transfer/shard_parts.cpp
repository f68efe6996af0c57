// Shards that are written part by part equal those written at once; the store receives one part at a time.
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/one_shard.hpp>
#include <support/refused.hpp>
#include <tessera/transfer/detail/shard_parts.hpp>

using namespace tessera;

namespace {

namespace in_parts {

std::string const checked = R"([{"name": "bytes"}, {"name": "crc32c"}])";

// Rows [first, past) of the 16.
template <class Array>
void write_rows(Array const& array, std::vector<std::uint64_t> const& ends, std::string const& elements) {
  auto& on = array.queue();
  array.for_written_chunks([&](auto const& chunks, Extents const& shape) {
    REQUIRE(takes_parts(chunks));
    ShardParts parts{chunks, shape, {0, 0}};
    std::uint64_t first = 0;
    for (auto const end : ends) {
      Region const rows{{first, 0}, {end - first, 16}, {1, 1}};
      auto const memory = test::bytes(elements.substr(first * 16, (end - first) * 16));
      parts.write(rows, StridedView<space::Host>{memory.data(), {16, 1}}, on);
      first = end;
    }
    parts.finish(on);
  });
}

template <class From, class To>
void copy(From const& from, To const& to, std::uint64_t part) {
  auto& on = to.queue();
  to.for_written_chunks([&](auto const& written, Extents const&) {
    from.on(on).for_chunks(Region{{0, 0}, {0, 0}, {1, 1}}, {0, 0}, [&](auto const& read) {
      copy_encoded_shard(read, written, {0, 0}, part, on);
    });
  });
}

}  // namespace in_parts
}  // namespace

TEST_CASE("a shard of parts is as one that was written at once, and each part is a request") {
  using namespace in_parts;
  auto const list = test::Sharding{.chunk_shape = "[2, 2]", .codecs = checked}.list();
  MemoryStore<HostBuffer> const whole;
  auto const at_once = test::one_shard(whole, list);
  auto const elements = test::numbers();
  test::put_text(at_once, all, elements, {});
  auto const value = test::value(whole, "c/0/0");
  for (auto const& ends : std::vector<std::vector<std::uint64_t>>{{16}, {2, 16}, {2, 4, 6, 8, 10, 12, 14, 16}}) {
    test::NotingAppends const store;
    auto const array = test::one_shard(store, list);
    write_rows(array, ends, elements);
    auto const asked = *store.asked;
    CHECK(test::value(store.inner, "c/0/0") == value);
    CHECK(test::text_of(array) == elements);
    REQUIRE(asked.size() == ends.size() + 1);
    CHECK(asked.front() == "write " + std::to_string(8 * ends[0] / 2 * 8));  // chunks of 4 bytes and 4
    CHECK(asked.back() == "append " + std::to_string(test::index_size) + " to 512");
  }
}

TEST_CASE("parts of nothing but the fill value are left out") {
  using namespace in_parts;
  test::NotingAppends const store;
  auto const array = test::one_shard(store);
  write_rows(array, {2, 4}, std::string(64, '.'));  // 46
  CHECK(store.asked->empty());
  CHECK(test::text_of(array) == std::string(256, '.'));
  write_rows(array, {2, 4, 6}, std::string(32, '.') + std::string(32, 'a') + std::string(32, '.'));
  CHECK(test::text_of(array) == std::string(32, '.') + std::string(32, 'a') + std::string(192, '.'));
  CHECK(test::value(store.inner, "c/0/0").size() == 32 + test::index_size);
}

TEST_CASE("chunks of shards are copied as they are encoded, in the order of the index, and without what is unused") {
  using namespace in_parts;
  auto const list = test::Sharding{.chunk_shape = "[2, 2]", .codecs = checked}.list();
  MemoryStore<HostBuffer> const from;
  auto const source = test::one_shard(from, list);
  test::put_text(source, {{8, 10}, {0, 4}}, "ABCDEFGH");
  test::put_text(source, {{0, 2}, {0, 2}}, "abcd");   // after the first
  test::put_text(source, {{8, 10}, {0, 2}}, "ABEF");  // once more
  auto damaged = test::value(from, "c/0/0");
  damaged[damaged.find("abcd")] = 'x';
  test::put(from, "c/0/0", damaged);
  for (std::uint64_t const part : {1u, 9u, 1000u}) {
    test::NotingAppends const store;
    auto const array = test::one_shard(store, list);
    copy(source, array, part);
    CHECK(store.asked->size() == (part == 1000 ? 2 : 4));
    CHECK(test::value(store.inner, "c/0/0").size() == 3 * 8 + test::index_size);
    CHECK(test::value(store.inner, "c/0/0").substr(0, 4) == "xbcd");  // nothing was decoded
    CHECK(test::text_of(array, {{8, 10}, {0, 4}}) == "ABCDEFGH");
    test::check_refused<CodecError>([&] { test::text_of(array, {{0, 2}, {0, 2}}); }, {"c/0/0", "[0, 0]", "checksum"});
  }
  test::NotingAppends const store;
  auto const array = test::one_shard(store, list);
  from.erase({"c/0/0"}, array.queue());
  copy(source, array, 9);
  CHECK(store.asked->empty());
}

TEST_CASE("a shard whose index says what cannot be is not copied") {
  using namespace in_parts;
  MemoryStore<HostBuffer> const from;
  auto const source = test::one_shard(from);
  test::put_text(source, {{0, 2}, {0, 2}}, "abcd", {});
  auto cut = test::value(from, "c/0/0");
  test::NotingAppends const store;
  auto const again = test::one_shard(store);
  cut.back() = static_cast<char>(cut.back() + 1);
  test::put(from, "c/0/0", cut);
  test::check_refused<CodecError>([&] { copy(source, again, 9); }, {"c/0/0", "index", "checksum"});
}

TEST_CASE("shards with their index at the start, or in shards, are not written in parts") {
  auto const takes = [](std::string const& list) {
    MemoryStore<HostBuffer> const store;
    auto const array = test::one_shard(store, list);
    bool found = false;
    array.for_written_chunks([&](auto const& chunks, auto const&) { found = takes_parts(chunks); });
    return found;
  };
  CHECK(takes(test::Sharding{.chunk_shape = "[2, 2]"}.list()));
  CHECK_FALSE(takes(test::Sharding{.chunk_shape = "[2, 2]", .index_location = "start"}.list()));
  CHECK_FALSE(takes(test::Sharding{.chunk_shape = "[8, 8]", .codecs = test::Sharding{"[2, 2]"}.list()}.list()));
  CHECK_FALSE(takes(R"([{"name": "bytes"}])"));
}

TEST_CASE("a custom write gets the shape to which another handle has changed the array") {
  MemoryStore<HostBuffer> const store;
  create_array<std::uint8_t, 2>(store, "a", {.shape = {6, 4}, .chunks = {4, 4}});
  auto const array = open_any(store, "a"), other = open_any(store, "a");
  for (std::uint64_t const rows : {7u, 5u}) {
    other.resize({rows, 4});
    Extents found;
    array.for_written_chunks([&](auto const&, Extents const& shape) { found = shape; });
    CHECK(found == Extents{rows, 4});
  }
}
