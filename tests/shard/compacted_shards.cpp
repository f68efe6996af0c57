// Shards that are compacted as if they had been written at once, including those that were cut off.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/one_shard.hpp>
#include <support/refused.hpp>
#include <support/shard_bytes.hpp>

namespace compacted_shards_tests {

using namespace tessera;
using Memory = MemoryStore<HostBuffer>;

TEST_CASE("compact asks for indexes alone where shards are in order, and leaves inner chunks encoded as they are") {
  test::NotingAppends const store;
  auto const array = test::one_shard(store);
  test::put_text(array, all, test::numbers());
  auto& asked = *store.asked;
  asked.clear();
  CHECK(array.compact() == 0);
  CHECK(asked == test::Texts{"read 256 + 1028"});
  asked.clear();
  test::put_text(array, Box{{0, 2}, all}, std::string(32, '.'), {.store_fill_chunks = true});
  CHECK(array.compact() == 0);  // store_fill_chunks keeps them
  test::put_text(array, Box{{2, 4}, {4, 6}}, "wxyz");
  test::put_text(array, Box{{2, 4}, {6, 8}}, "....");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> progress;
  asked.clear();
  CHECK(array.compact({.progress = [&](auto done, auto of) { progress.push_back({done, of}); }}) == 4 + 4 + 2 * 1028);
  CHECK(asked.back() == "write 1280");
  CHECK(progress == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{1, 1}});
  CHECK(test::text_of(array, Box{{2, 4}, {4, 8}}) == "wx..yz..");
}

TEST_CASE("chunks in another order, gaps, and shards of nothing: compact makes them what a write makes") {
  Memory const store;
  auto const document = test::sharded_document("[4, 12]", "[4, 4]", test::Sharding{"[2, 2]"}.list());
  auto const array = create_any<AllCodecs>(store, "", test::array_metadata(document.text()));
  auto const tidy = test::ShardBytes{}.text();
  test::ShardBytes other{"DDDD__CCCCBBBBAAAA"};
  other.set(0, 14, 4).set(1, 10, 4).set(2, 6, 4).set(3, 0, 4);
  test::put(store, "c/0/0", other.text());
  test::ShardBytes empty{"____"};
  for (std::size_t i = 0; i < 4; ++i) empty.set(i, ShardEntry::none, ShardEntry::none);
  test::put(store, "c/0/1", empty.text());
  test::put(store, "c/0/2", tidy);
  test::put(store, "c/0/3", "not the array's");
  CHECK(array.compact() == 2 + empty.text().size());
  CHECK(test::value(store, "c/0/0") == tidy);
  CHECK(test::value(store, "c/0/1") == "(missing)");
  CHECK(test::value(store, "c/0/2") == tidy);
  CHECK(test::text_of(array, Box{all, {0, 4}}) == test::four_letters);
}

TEST_CASE("a selection's shards are compacted, and no others") {
  auto const check = [](auto const& selection, test::Texts const& expected) {
    Memory const store;
    using Shards = codec::Sharding<Pipeline<space::Host, codec::Bytes>>;
    auto const array = create_array<std::uint8_t, 2>(store, "", {.shape = {8, 11}, .chunks = {4, 4}},
                                                     Pipeline<space::Host, Shards>{Shards{{2, 2}}});
    array.fill(all, std::uint8_t{1});
    auto const tidy = test::value(store, "c/0/0").size();
    array.fill({{0, 8, 4}, {0, 11, 4}}, std::uint8_t{2}, test::appending);
    CHECK(array.compact(selection) == expected.size() * (4 + 68));
    test::Texts compacted;
    for (std::string const key : {"c/0/0", "c/0/1", "c/0/2", "c/1/0", "c/1/1", "c/1/2"})
      if (test::value(store, key).size() == tidy) compacted.push_back(key);
    CHECK(compacted == expected);
    CHECK(array.read({4, 8})(0, 0) == 2);
  };
  check(Box{{3, 5}, {8, 10}}, {"c/0/2", "c/1/2"});
  check(Box{{0, 0}, all}, {});
  check(Orthogonal{std::vector{7, 6}, std::vector{0, 10}}, {"c/1/0", "c/1/2"});
  check(Points{std::vector{4, 0, 5}, std::vector{4, 0, 5}}, {"c/0/0", "c/1/1"});
  check(Blocks{1, {0, 2}}, {"c/1/0", "c/1/1"});
  check(all, {"c/0/0", "c/0/1", "c/0/2", "c/1/0", "c/1/1", "c/1/2"});

  Memory const store;
  auto const array = create_array<std::uint32_t, 1>(store, "a", {.shape = {8}, .chunks = {2}});
  CHECK(array.compact(Box{{0, 4}}) == 0);
  test::check_refused<SelectionError>([&] { array.compact(Box{{0, 9}}); }, {"dimension 0"});
}

TEST_CASE("an array without shards has nothing to compact") {
  Memory const store;
  auto const array = create_array<std::uint32_t, 1>(store, "a", {.shape = {8}, .chunks = {2}});
  array.fill(all, 7u, test::appending);
  CHECK(array.compact() == 0);
}

TEST_CASE("a shard that was cut off while it was appended to is an error that names it, until it is as it was before") {
  Memory const store;
  auto const document = test::sharded_document("[4, 8]", "[4, 4]", test::Sharding{"[2, 2]"}.list());
  auto const array = create_any<AllCodecs>(store, "", test::array_metadata(document.text()));
  test::put_text(array, all, test::numbers().substr(0, 32));
  auto const before = test::value(store, "c/0/0").size();
  test::put_text(array, Box{{0, 2}, {0, 2}}, "wxyz");
  auto const whole = test::value(store, "c/0/0");
  for (auto size = before + 1; size < whole.size(); ++size) {
    CAPTURE(size);
    test::put(store, "c/0/0", whole.substr(0, size));
    test::check_refused<CodecError>([&] { test::text_of(array); }, {"key \"c/0/0\"", "the shard's index"});
    CHECK(test::text_of(array, Box{all, {4, 8}}).substr(0, 4) == test::numbers().substr(4, 4));
    test::check_refused<CodecError>(
        [&] {
          test::put_text(array, Box{{0, 2}, {0, 2}}, "1234");
        },
        {"key \"c/0/0\"", "index"});
    test::check_refused<CodecError>([&] { array.compact(); }, {"key \"c/0/0\"", "index"});
    test::Texts recovered;
    CHECK(array.compact({.recovered = [&](std::string const& key) { recovered.push_back(key); }}) == size - before);
    CHECK(recovered == test::Texts{"c/0/0"});
    CHECK(test::value(store, "c/0/0") == whole.substr(0, before));
    CHECK(test::text_of(array) == test::numbers().substr(0, 32));
  }
}

TEST_CASE("what was never a shard is not taken for one that was cut off") {
  for (auto const& list : {test::Sharding{"[2, 2]"}.list(),
                           test::Sharding{.chunk_shape = "[2, 2]",
                           .index_codecs = R"([{"name": "bytes", "configuration": {"endian": "little"}}])"}
                               .list()}) {
    CAPTURE(list);
    Memory const store;
    auto const document = test::sharded_document("[4, 4]", "[4, 4]", list);
    auto const array = create_any<AllCodecs>(store, "", test::array_metadata(document.text()));
    CompactOptions const recovering{.recovered = [](std::string const&) { FAIL_CHECK("nothing is recovered"); }};
    auto zeros = std::string(200, '\0') + std::string(80, '\x7f');
    for (auto const& value : {std::string(300, 'x'), zeros, std::string(80, '\xff') + "xxx", std::string(3, 'x')}) {
      test::put(store, "c/0/0", value);
      test::check_refused<CodecError>([&] { array.compact(recovering); }, {"key \"c/0/0\""});
      CHECK(test::value(store, "c/0/0") == value);
    }
  }
  // The outer index is valid: the error is within.
  test::Sharding outer{"[4, 4]"}, inner{"[2, 2]"};
  outer.codecs = inner.list();
  Memory const store;
  auto const document = test::sharded_document("[8, 4]", "[8, 4]", outer.list());
  auto const array = create_any<AllCodecs>(store, "", test::array_metadata(document.text()));
  test::put_text(array, all, test::numbers().substr(0, 32));
  test::put_text(array, Box{{0, 2}, {0, 2}}, "wxyz");
  auto value = test::value(store, "c/0/0");
  value[value.size() - 36 - 1] ^= 1;  // of the index of the inner shard that was written last
  test::put(store, "c/0/0", value);
  CompactOptions const recovering{.recovered = [](std::string const&) { FAIL_CHECK("nothing is recovered"); }};
  test::check_refused<CodecError>([&] { array.compact(recovering); }, {"key \"c/0/0\""});
}

// The bits inverted, as another program wrote them.
struct ReadOnlyInvert {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "example.invert";
  static std::size_t encoded_bound(std::size_t size) { return size; }
  static std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) {
    for (std::size_t i = 0; i < from.size; ++i) to.data[i] = ~from.data[i];
    return from.size;
  }
};
struct Invert : ReadOnlyInvert {
  static std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) {
    return decode(from, to, on);
  }
};

TEST_CASE("arrays whose codecs only decode are compacted") {
  using Written = codec::Sharding<Pipeline<space::Host, codec::Bytes, Invert>>;
  using Shown = codec::Sharding<Pipeline<space::Host, codec::Bytes, ReadOnlyInvert>>;
  Memory const store;
  auto const written = create_array<std::uint8_t, 2>(store, "", {.shape = {4, 4}, .chunks = {4, 4}},
                                                     Pipeline<space::Host, Written>{Written{{2, 2}}});
  written.fill(all, std::uint8_t{1});
  auto const tidy = test::value(store, "c/0/0").size();
  written.fill({{0, 2}, all}, std::uint8_t{2}, test::appending);
  auto const array = open_array<std::uint8_t, 2, Pipeline<space::Host, Shown>>(store, "");
  CHECK(array.compact() > 0);
  CHECK(test::value(store, "c/0/0").size() == tidy);
  auto const elements = array.read(all);
  CHECK(elements(1, 3) == 2);
  CHECK(elements(2, 0) == 1);
}

}  // namespace compacted_shards_tests
