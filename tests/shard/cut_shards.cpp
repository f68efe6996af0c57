// Appends to shards that were cut off: recovery restores the state before, or nothing.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/one_shard.hpp>
#include <support/random.hpp>
#include <support/refused.hpp>
#include <support/shard_bytes.hpp>
#include <tessera/codec/bytes_to_bytes/detail/rolling_crc32c.hpp>
#include <tessera/shard/detail/cut_shards.hpp>

namespace cut_shards_tests {

using namespace tessera;
using Memory = MemoryStore<HostBuffer>;
auto const unchecked = R"([{"name": "bytes", "configuration": {"endian": "little"}}])";

std::uint64_t seed() {
  auto const* given = std::getenv("TESSERA_SEED");
  auto const seed = given ? std::strtoull(given, nullptr, 10) : 5;
  std::cout << "cut_shards: TESSERA_SEED=" << seed << '\n';
  return seed;
}

template <class Array>
std::vector<std::byte> read_all(Array const& array) {
  return test::read_bytes(array, Box{all}.resolve(array.shape()));
}

// An interrupted write: the shard's value is a beginning of the final one.
TEST_CASE("300 cuts: every shard is recovered as it was before the append, with any index that has a checksum") {
  test::Random random{seed()};
  std::uint64_t cuts = 0, replaced = 0;
  while (cuts < 300) {
    auto const sharded = [&] {
      test::Sharding inner{"[1, 2]"}, middle{"[2, 2]"}, outer{random.one_in(2) ? "[4, 2]" : "[2, 4]"};
      if (random.one_in(2))
        inner.codecs = R"([{"name": "bytes"}, {"name": "zstd", "configuration": {"level": 1, "checksum": false}}])";
      if (random.one_in(3)) outer.index_codecs = unchecked;
      if (random.one_in(3))
        outer.index_codecs =
            R"([{"name": "bytes", "configuration": {"endian": "big"}}, {"name": "crc32c"}, {"name": "crc32c"}])";
      middle.codecs = inner.list();
      outer.codecs = random.one_in(2) ? middle.list() : inner.codecs;
      return outer;
    }();
    CAPTURE(sharded.list());
    bool const has_checksum = sharded.index_codecs != unchecked;
    Memory const store;
    auto const document = test::sharded_document("[8, 8]", "[8, 8]", sharded.list(), "7");
    auto const array = create_any<AllCodecs>(store, "", test::array_metadata(document.text()));
    auto const write_some = [&] {
      auto const region = Box{test::random_slices(random, array.shape())}.resolve(array.shape());
      auto const values = random.one_in(4) ? test::Bytes(test::size_of(region.count), std::byte{7})
                                           : random.noise(test::size_of(region.count));
      array.write(region, {values.data(), Layout::c_order(region.count, 1).strides}, test::appending);
    };
    test::put_text(array, all, std::string(64, 'x'));
    for (auto writes = random(0, 3); writes-- > 0;) write_some();
    auto const before = test::value(store, "c/0/0");
    auto const elements = read_all(array);
    write_some();
    auto const after = test::value(store, "c/0/0");
    if (!after.starts_with(before)) {  // replaced: all of it or nothing
      replaced += after != before;
      continue;
    }
    CHECK((has_checksum || after == before));
    for (int i = 0; i < 8 && after.size() > before.size() + 1; ++i, ++cuts) {
      auto const size = random(before.size() + 1, after.size() - 1);
      CAPTURE(size);
      test::put(store, "c/0/0", after.substr(0, size));
      test::check_refused<CodecError>([&] { array.compact(); }, {"key \"c/0/0\"", "index"});
      std::vector<std::string> recovered;
      array.compact({.recovered = [&](std::string const& key) { recovered.push_back(key); }});
      CHECK(recovered == test::Texts{"c/0/0"});
      CHECK(read_all(array) == elements);
    }
  }
  CHECK(replaced > 0);
}

TEST_CASE("a shard whose index has no checksum is not appended to, and not recovered") {
  test::NotingAppends const store;
  test::Sharding sharding{"[2, 2]"};
  sharding.index_codecs = unchecked;
  auto const array = test::one_shard(store, sharding.list());
  test::put_text(array, all, test::numbers());
  store.asked->clear();
  test::put_text(array, Box{{2, 4}, {4, 6}}, "wxyz");
  CHECK(*store.asked == test::Texts{"read", "write 1280"});

  auto value = test::value(store, "c/0/0");
  value += "abc";  // as if cut off by an append without checks
  test::put(store, "c/0/0", value);
  CompactOptions const recovering{.recovered = [](std::string const&) { FAIL_CHECK("nothing is recovered"); }};
  test::check_refused<CodecError>([&] { array.compact(recovering); },
                                  {"key \"c/0/0\"", "the shard's index", "expected an index with a checksum"});
  CHECK(test::value(store, "c/0/0") == value);
}

TEST_CASE("shards of shards whose indexes are as long: replaced, for a cut might end in an inner one") {
  test::Sharding outer{"[8, 8]"}, inner{"[4, 4]"};
  outer.codecs = inner.list();
  test::NotingAppends const store;
  auto const array = test::one_shard(store, outer.list());
  test::put_text(array, all, test::numbers());
  auto const whole = test::value(store, "c/0/0");
  store.asked->clear();
  test::put_text(array, Box{{2, 4}, {4, 6}}, "wxyz");
  CHECK(*store.asked == test::Texts{"read", to_text({"write ", whole.size()})});

  test::put(store, "c/0/0", whole.substr(0, whole.size() - 1));  // the first inner shard ends in a valid index
  CompactOptions const recovering{.recovered = [](std::string const&) { FAIL_CHECK("nothing is recovered"); }};
  test::check_refused<CodecError>([&] { array.compact(recovering); },
                                  {"key \"c/0/0\"", "of another length than those of inner shards"});
}

// Counts the requests to it.
class Counting final : public ShardIndexFormat {
 public:
  explicit Counting(ShardIndexFormat const& format)
      : ShardIndexFormat{format.at_start(), format.has_checksum(), format.entries(), format.size()}, format_{&format} {}
  void decode(ByteView<space::Host> encoded, std::span<ShardEntry> entries, Queue<space::Host>& on) const override {
    ++decoded;
    format_->decode(encoded, entries, on);
  }
  void encode(std::span<ShardEntry const> entries, ByteSpan<space::Host> encoded,
              Queue<space::Host>& on) const override {
    format_->encode(entries, encoded, on);
  }
  mutable std::uint64_t decoded = 0;

 private:
  ShardIndexFormat const* format_;
};

ResolvedChunk form_of_four() {
  auto const list = test::Sharding{"[2, 2]"}.list();
  auto const metadata = test::array_metadata(test::sharded_document("[4, 4]", "[4, 4]", list).text());
  using Shards = AnyPipeline<space::Host, space::Host, AllCodecs>;
  return Shards::from(metadata.codecs).resolve({metadata.chunk_shape, metadata.type, metadata.fill});
}

std::uint64_t end_in(Counting const& index, std::string const& value) {
  Queue<space::Host> on{1};
  std::uint64_t reads = 0;
  auto const part = [&](std::uint64_t offset, ByteSpan<space::Host> to) {
    ++reads;
    if (to.size > 0) std::memcpy(to.data, value.data() + offset, to.size);
  };
  auto const end = detail::end_of_sound(index, value.size(), part, on);
  CHECK(reads == 1);
  return end;
}

TEST_CASE("recovering 1 MiB and 64 MiB takes one index that is decoded") {
  auto const form = form_of_four();
  Counting const index{*form.shards.front().index};
  auto const shard = test::ShardBytes{}.text();
  test::Random random{seed()};
  for (std::size_t const size : {std::size_t{1} << 20, std::size_t{64} << 20}) {
    auto const noise = random.noise(size);
    index.decoded = 0;
    CHECK(end_in(index, shard + std::string{reinterpret_cast<char const*>(noise.data()), size}) == shard.size());
    CHECK(index.decoded == 1);
    CHECK(end_in(index, std::string(size, '\0')) == 0);
    CHECK(index.decoded == 1);
  }
}

TEST_CASE("what looks like an index in a chunk is passed over, and many of them cost no more than the value is long") {
  auto const form = form_of_four();
  Counting const index{*form.shards.front().index};
  auto const shard = test::ShardBytes{}.text(), cut = shard + shard + shard + "AAA";
  CHECK(end_in(index, cut) == shard.size());  // the others do not begin where their last chunk ends
  CHECK(index.decoded == 3);
  auto emptied = test::ShardBytes{.chunks = ""};  // an index after an index: an append that removed chunks
  emptied.set(0, ShardEntry::none, ShardEntry::none);
  CHECK(end_in(index, shard + emptied.text() + "AA") == shard.size() + index.size());
  auto beyond = test::ShardBytes{.chunks = ""};
  beyond.set(3, std::uint64_t{1} << 40, 4);
  auto many = std::string{};
  for (int i = 0; i < 10000; ++i) many += beyond.text();
  index.decoded = 0;
  CHECK(end_in(index, many + "AA") == 0);
  CHECK(index.decoded * index.size() <= many.size() + 17 * index.size());
  for (std::size_t size = 0; size < index.size(); ++size) CHECK(end_in(index, std::string(size, 'x')) == 0);
}

TEST_CASE("an entry that no shard can have is refused without a bound that nobody knows") {
  ShardEntry const endless{5, ShardEntry::none}, short_of_end{90, 11};
  test::check_refused<CodecError>([&] { endless.expect_within(ShardEntry::none - 1); },
                                  {"from byte 5 on, expected a range that ends within 64 bits"});
  test::check_refused<CodecError>([&] { short_of_end.expect_within(100); }, {"expected bytes below 100"});
}

TEST_CASE("a rolling CRC-32C is that of each window") {
  test::Random random{seed()};
  auto const bytes = random.noise(3000);
  for (std::size_t const window : {1u, 4u, 7u, 64u, 1000u, 2999u}) {
    CAPTURE(window);
    detail::RollingCrc32c rolling{bytes.data(), window};
    for (std::size_t at = 0; at + window < bytes.size(); ++at) {
      if (rolling.value() != crc32c({bytes.data() + at, window})) FAIL("byte " << at);
      rolling.move(bytes[at], bytes[at + window]);
    }
    CHECK(rolling.value() == crc32c({bytes.data() + bytes.size() - window, window}));
  }
}

}  // namespace cut_shards_tests
