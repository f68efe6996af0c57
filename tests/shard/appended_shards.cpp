// Shards that are appended to in place: their contents, and the requests to a store.
#include <algorithm>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include <support/failing_calls.hpp>
#include <support/one_shard.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/wrapper_store.hpp>

namespace appended_shards_tests {

using namespace tessera;
using Memory = MemoryStore<HostBuffer>;
using Local = LocalStore<HostBuffer>;

/// The bytes of all keys.
template <class S>
std::uint64_t bytes_in(S const& store) {
  std::uint64_t sum = 0;
  store.list("", [&](Listed const& entry) { sum += entry.size; });
  return sum;
}

/// Writes boxes of an array in shards of random shapes, test::appending, and compacts. Returns the number of bytes
/// saved.
template <class S>
std::uint64_t check_random(S const& store, std::uint64_t seed) {
  CAPTURE(seed);
  test::Random random{seed};
  auto const rank = random(0, 3);
  test::ArrayContent content{test::random_type(random), random.extents(rank, 1, 14), random.extents(rank, 1, 8), {}};
  content.elements = test::Bytes(test::size_of(content.shape) * content.type.size);
  auto const leaf = random.one_in(2) ? test::json_list(codec::Bytes{std::endian::big})
                                     : test::json_list(codec::Bytes{}, codec::Zstd{1, false});
  auto const codecs = test::random_sharding(random, content.chunk_shape, leaf, static_cast<int>(random(1, 3)));
  CAPTURE(codecs);
  auto const document = test::array_metadata(content.document(codecs).text());
  auto const array = create_any<AllCodecs>(store, "a", document, {true}, test::HostQueue{random(1, 3)});
  auto const whole = Box{all}.resolve(content.shape);
  for (int round = 0; round < 12; ++round) {
    auto const region =
        (round == 3 ? Box(all) : Box{test::random_slices(random, content.shape)}).resolve(content.shape);
    auto values = random.noise(test::size_of(region.count) * content.type.size);
    if (random.one_in(3) || content.type.kind == DataKind::boolean)
      std::fill(values.begin(), values.end(), std::byte{0});
    auto options = test::appending;
    options.mini_batch = random(0, 5);
    array.write(region, {values.data(), Layout::c_order(region.count, content.type.size).strides}, options);
    test::put_elements(content, region, values);
    CHECK(test::read_bytes(array, whole) == content.elements);
  }
  auto const before = bytes_in(store);
  auto const won = array.compact();
  CHECK(bytes_in(store) + won == before);
  CHECK(array.compact() == 0);
  CHECK(test::read_bytes(array, whole) == content.elements);

  Memory const other;  // written at once
  auto const again = create_any<AllCodecs>(other, "a", document);
  again.write(whole, {content.elements.data(), Layout::c_order(content.shape, content.type.size).strides});
  CHECK(test::listed(store, "") == test::listed(other, ""));
  other.list("", [&](Listed const& entry) {
    std::string const key{entry.path};
    if (!key.ends_with("zarr.json")) CHECK(test::value(store, key) == test::value(other, key));
  });
  return won;
}

TEST_CASE("what is appended to shards is what was written; compacted, they are as if written at once") {
  std::uint64_t memory = 0, files = 0, any = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    memory += check_random(Memory{}, seed);
    test::TemporaryFolder const folder;
    files += check_random(Local{folder / "root"}, seed + 1000);
    any += check_random(AnyStore<HostBuffer>{PrefixStore{Memory{}, "b"}}, seed + 2000);
  }
  CHECK(memory > 0);
  CHECK(files > 0);
  CHECK(any > 0);
}

TEST_CASE("of a shard that is appended to the index is read once, and the chunks that are written in part") {
  test::NotingAppends const store;
  auto const array = test::one_shard(store);
  auto& asked = *store.asked;
  test::put_text(array, all, test::numbers());
  CHECK(asked == test::Texts{"write 1284"});
  asked.clear();

  test::put_text(array, Box{{2, 4}, {4, 6}}, "wxyz");
  CHECK(asked == test::Texts{"read 256 + 1028", "append 1032 to 1284"});
  CHECK(test::text_of(array, Box{{2, 4}, {4, 6}}) == "wxyz");
  asked.clear();

  test::put_text(array, Box{{3, 5}, {4, 6}}, "0123");  // parts of a new chunk and of an old one
  CHECK(asked == test::Texts{"read 1288 + 1028", "read 1284 + 4", "read 72 + 4", "append 1036 to 2316"});
  CHECK(test::text_of(array, Box{{2, 6}, {4, 6}}) == "wx0123" + test::numbers().substr(5 * 16 + 4, 2));
  asked.clear();

  test::put_text(array, Box{{2, 4}, {4, 6}}, "....");  // the fill value: only an index
  CHECK(asked == test::Texts{"read 2324 + 1028", "append 1028 to 3352"});
  asked.clear();
  test::put_text(array, Box{{2, 4}, {4, 6}}, "....");  // nothing changes
  CHECK(asked == test::Texts{"read 3352 + 1028"});
  asked.clear();

  test::put_text(array, all, test::numbers());  // all of it: replaced
  CHECK(asked == test::Texts{"write 1284"});
  asked.clear();
  test::put_text(array, Box{{0, 15}, all}, std::string(240, '.'));
  test::put_text(array, Box{{15, 16}, all}, std::string(16, '.'));
  CHECK(asked.back() == "erase");
  CHECK(test::value(store.inner, "c/0/0") == "(missing)");
}

TEST_CASE("shards in shards: an inner shard that is written in part is read and put behind the others") {
  test::Sharding outer{"[8, 8]"}, inner{"[2, 2]"};
  outer.codecs = inner.list();
  test::NotingAppends const store;
  auto const array = test::one_shard(store, outer.list());
  auto& asked = *store.asked;
  test::put_text(array, all, test::numbers());
  constexpr std::uint64_t inner_size = 64 + 16 * 16 + 4, outer_index = 4 * 16 + 4, first = 4 * inner_size;
  CHECK(asked == test::Texts{to_text({"write ", first + outer_index})});
  asked.clear();
  test::put_text(array, Box{{2, 4}, {12, 14}}, "wxyz");
  CHECK(asked == test::Texts{to_text({"read ", first, " + ", outer_index}),
                             to_text({"read ", inner_size, " + ", inner_size}),
                             to_text({"append ", inner_size + outer_index, " to ", first + outer_index})});
  CHECK(test::text_of(array, Box{{2, 4}, {12, 14}}) == "wxyz");
  asked.clear();
  test::put_text(array, Box{{8, 16}, {0, 8}}, std::string(64, 'q'));  // all of one: not read
  CHECK(asked.size() == 2);
  CHECK(test::text_of(array, Box{{7, 9}, {0, 8}}) == test::numbers().substr(7 * 16, 8) + "qqqqqqqq");
  asked.clear();
  CHECK(array.compact() == 2 * (inner_size + outer_index));
  CHECK(asked.back() == to_text({"write ", first + outer_index}));
}

TEST_CASE("shards are replaced as ever where the store cannot append or the index is at the start") {
  test::Noting const plain;
  auto const array = test::one_shard(plain);
  test::put_text(array, all, test::numbers());
  plain.asked->clear();
  test::put_text(array, Box{{2, 4}, {4, 6}}, "wxyz");
  CHECK(*plain.asked == test::Texts{"read", "write 1284"});

  AnyStore<HostBuffer> const any{plain};
  test::put_text(open_any<AllCodecs>(any), Box{{2, 4}, {4, 6}}, "1234");
  CHECK(plain.asked->back() == "write 1284");
  CHECK(test::text_of(array, Box{{2, 4}, {4, 6}}) == "1234");

  test::NotingAppends const store;
  test::Sharding sharding{"[2, 2]"};
  sharding.index_location = "start";
  auto const at_start = test::one_shard(store, sharding.list());
  test::put_text(at_start, all, test::numbers());
  store.asked->clear();
  test::put_text(at_start, Box{{2, 4}, {4, 6}}, "wxyz");
  CHECK(*store.asked == test::Texts{"read", "write 1284"});
}

TEST_CASE("a file that has two names is replaced: the other name keeps the old shard") {
  test::TemporaryFolder const folder;
  Local const store{folder.path()};
  auto const array = test::one_shard(store);
  test::put_text(array, all, test::numbers());
  auto const before = test::value(store, "c/0/0");
  std::filesystem::create_hard_link(folder / "c/0/0", folder / "kept");
  test::put_text(array, Box{{2, 4}, {4, 6}}, "wxyz");
  CHECK(test::value(store, "kept") == before);
  CHECK(test::value(store, "c/0/0").size() == test::shard_size);
  CHECK(test::text_of(array, Box{{2, 4}, {4, 6}}) == "wxyz");
}

struct FailingAppends : test::FailingCalls {
  std::optional<std::uint64_t> size(Key const& key, Queue& on) const {
    return call([&] { return state->inner.size(key, on); });
  }
  bool append(Key const& key, ByteView<space::Host> bytes, std::uint64_t size, Queue& on) const {
    return call([&] { return state->inner.append(key, bytes, size, on); });
  }
};

TEST_CASE(
    "any call of the store may fail while a shard is appended to or compacted: it is as it was, or as it shall be") {
  for (bool const after : {false, true})
    for (bool const compacts : {false, true}) {
      CAPTURE(after);
      CAPTURE(compacts);
      long calls = 0;
      for (bool failed = true; failed; ++calls) {
        CAPTURE(calls);
        FailingAppends const store;
        auto const array = test::one_shard(store);
        test::put_text(array, all, test::numbers());
        if (compacts) test::put_text(array, Box{{2, 4}, {4, 6}}, "wxyz");
        auto const old = test::text_of(array);
        store.state->after = after;
        store.state->left = calls;
        failed = false;
        try {
          if (compacts)
            array.compact();
          else
            test::put_text(array, Box{{3, 5}, {5, 9}}, "01234567");
        } catch (StoreError const& error) {
          failed = true;
          CHECK(error.key() == "c/0/0");
        }
        store.state->left = -1;
        auto const now = test::text_of(array);
        if (now != old || !failed)
          CHECK(test::text_of(array, Box{{3, 5}, {5, 9}}) == (compacts ? "zIJK" : "0123") + now.substr(4 * 16 + 5, 4));
        test::put_text(array, Box{{3, 5}, {5, 9}}, "01234567");
        CHECK(test::text_of(array, Box{{3, 5}, {5, 9}}) == "01234567");
        CHECK(test::text_of(array, Box{{5, 16}, all}) == test::numbers().substr(5 * 16));
      }
      CHECK(calls >= 4);
    }
}

}  // namespace appended_shards_tests
