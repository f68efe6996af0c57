// Requests of reads and writes of shards to a store: how often, and for which bytes.
#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/is_document.hpp>
#include <support/sharded.hpp>
#include <support/store_conformance.hpp>
#include <support/written_array.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/cast_store.hpp>
#include <tessera/store/detail/is_near.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/split_store.hpp>
#include <tessera/store/wrapper_store.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using Memory = MemoryStore<HostBuffer>;

namespace {

/// The requests, except for documents.
struct Asked {
  std::mutex mutex{};
  std::vector<std::string> reads{}, lends{}, writes{}, erased{};
  std::vector<std::vector<std::string>> many{};

  static std::string said(Key const& key, ByteRange range) {
    if (range.is_whole()) return key.path;
    auto const offset = range.from_end ? std::string{"last"} : std::to_string(range.offset) + " +";
    return key.path + ' ' + offset + ' ' + std::to_string(range.size);
  }
  void note(std::vector<std::string>& list, Key const& key, ByteRange range = {}) {
    std::lock_guard lock{mutex};
    if (!test::is_document(key)) list.push_back(said(key, range));
  }
  /// Reads, alone or together: "a, b" are two that were requested at once.
  std::vector<std::string> requests() const {
    auto result = reads;
    for (auto const& list : many) {
      std::string joined;
      for (auto const& one : list) joined += (joined.empty() ? "" : ", ") + one;
      result.push_back(joined);
    }
    return result;
  }
  void forget() { reads.clear(), lends.clear(), writes.clear(), erased.clear(), many.clear(); }
};

/// Notes the requests to it; answers many requests at once.
struct Noting {
  using buffer_type = HostBuffer;
  using On = Queue<space::Host>;
  Memory inner{};
  std::shared_ptr<Asked> asked = std::make_shared<Asked>();

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination, On& on) const {
    asked->note(asked->reads, key, range);
    return inner.read(key, range, destination, on);
  }
  void get_many(std::span<ReadRequest<space::Host>> requests, On& on) const {
    std::vector<std::string> list;
    for (auto& request : requests) {
      list.push_back(Asked::said(*request.key, request.range));
      request.size = inner.read(*request.key, request.range, request.destination, on);
    }
    std::lock_guard lock{asked->mutex};
    asked->many.push_back(std::move(list));
  }
  void write(Key const& key, ByteView<space::Host> value, On& on) const {
    asked->note(asked->writes, key);
    inner.write(key, value, on);
  }
  bool erase(Key const& key, On& on) const {
    asked->note(asked->erased, key);
    return inner.erase(key, on);
  }
  auto lock(Key const& key) const { return inner.lock(key); }
};

/// Lends, too.
struct NotingLender : Noting {
  std::optional<Lent<space::Host>> lend(Key const& key, ByteRange range, On& on) const {
    asked->note(asked->lends, key, range);
    return inner.lend(key, range, on);
  }
};
static_assert(!LendingStore<Noting> && LendingStore<NotingLender>);

using Texts = std::vector<std::string>;
using Many = std::vector<Texts>;

Texts sorted(Texts texts) {
  std::sort(texts.begin(), texts.end());
  return texts;
}

/// An 8 x 8 array of four shards, each of four inner chunks of 2 x 2.
template <class S>
auto sixteen_chunks(S const& store, test::Sharding const& sharding = {"[2, 2]"}, std::size_t threads = 0) {
  auto const metadata = test::array_metadata(test::sharded_document("[8, 8]", "[4, 4]", sharding.list(), "46").text());
  return create_any<AllCodecs>(store, "", metadata, {true}, test::HostQueue{threads});
}

template <class Array>
void write_text(Array const& array, Box const& box, std::string const& text, WriteOptions const& options = {}) {
  auto const region = box.resolve(array.shape());
  auto const bytes = test::bytes(text);
  REQUIRE(bytes.size() == test::size_of(region.count));
  array.write(region, {bytes.data(), Layout::c_order(region.count, 1).strides}, options);
}
template <class Array>
std::string read_text(Array const& array, Box const& box, ReadOptions const& options = {}) {
  return test::text(test::view(test::read_bytes(array, box.resolve(array.shape()), options)));
}

std::string letters() {
  std::string result;
  for (char i = 0; i < 64; ++i) result += static_cast<char>('A' + i % 23);
  return result;
}

}  // namespace

TEST_CASE("a read asks for the indexes of its shards together, once, and then for its inner chunks (CODEC-SHARD-23)") {
  for (bool at_start : {false, true})
    for (std::size_t threads : {0u, 2u}) {
      CAPTURE(threads);
      test::Sharding sharding{"[2, 2]"};
      if (at_start) sharding.index_location = "start";
      Noting const store;
      auto const array = sixteen_chunks(store, sharding, threads);
      write_text(array, Box{all}, letters());
      auto& asked = *store.asked;
      auto const index = [&](std::string const& key) { return key + (at_start ? " 0 + 68" : " last 68"); };
      auto const chunk = [&](std::string const& key, int i) {
        return key + ' ' + std::to_string(4 * i + (at_start ? 68 : 0)) + " + 4";
      };

      Texts const indexes{index("c/0/0"), index("c/0/1"), index("c/1/0"), index("c/1/1")};

      asked.forget();
      CHECK(read_text(array, Box{all}, {.mini_batch = every_chunk, .max_request_bytes = 1}) == letters());
      Texts every;
      for (auto* key : {"c/0/0", "c/0/1", "c/1/0", "c/1/1"})  // one shard after the other
        for (int i = 0; i < 4; ++i) every.push_back(chunk(key, i));
      CHECK(asked.many == Many{indexes, every});

      asked.forget();
      CHECK(read_text(array, Box{all}, {.mini_batch = 1}) == letters());
      CHECK(asked.many.size() == 4 + 16);
      auto const requests = asked.requests();
      for (auto const& one : indexes) CHECK(std::ranges::count(requests, one) == 1);

      asked.forget();
      read_text(array, Box{{3, 5}, {6, 8}}, {.mini_batch = every_chunk});
      CHECK(asked.many == Many{{index("c/0/1"), index("c/1/1")}, {chunk("c/0/1", 3), chunk("c/1/1", 1)}});

      asked.forget();  // the index of a known shard is not requested again
      array.keep_shard_indexes(1 << 20);
      read_text(array, Box{{0, 2}, {0, 6}}, {.mini_batch = every_chunk});
      read_text(array, Box{{2, 6}, {0, 2}}, {.mini_batch = every_chunk});
      CHECK(asked.many == Many{{index("c/0/0"), index("c/0/1")},
                               {chunk("c/0/0", 0), chunk("c/0/0", 1), chunk("c/0/1", 0)},
                               {index("c/1/0")},
                               {chunk("c/0/0", 2), chunk("c/1/0", 0)}});
      CHECK(asked.reads.empty());
    }
}

TEST_CASE(
    "a cold read of n shards in one mini-batch asks for n indexes at once, through stores that stand before one") {
  constexpr std::uint64_t shards = 40;
  Noting const noting;
  auto const document = test::sharded_document("[320]", "[8]", test::Sharding{"[2]"}.list(), "46").text();
  write_text(create_any<AllCodecs>(noting, "", test::array_metadata(document)), Box{all}, std::string(8 * shards, 'x'));
  auto const check = [&](auto const& store) {
    auto& asked = *noting.asked;
    asked.forget();
    test::HostQueue const on{2};
    auto const array = open_any<AllCodecs>(store, "", on);
    CHECK(read_text(array, Box{{0, 8 * shards - 2}}, {.mini_batch = every_chunk, .max_request_bytes = 8}) ==
          std::string(8 * shards - 2, 'x'));
    Texts indexes;
    for (std::uint64_t i = 0; i < shards; ++i) indexes.push_back("c/" + std::to_string(i) + " last 68");
    CHECK(asked.reads.empty());
    REQUIRE(asked.many.size() == 2);
    CHECK(asked.many[0] == indexes);
    CHECK(asked.many[1].size() == 4 * shards - 1);
  };
  check(noting);
  check(ReadOnlyStore{PrefixStore{noting, ""}});
}

TEST_CASE("indexes that are read at once have 4 MiB together") {
  constexpr std::uint64_t shards = 7, chunks = 65536;  // 1 MiB and 4 bytes of index each
  Noting const noting;
  auto const document = test::sharded_document("[458752]", "[65536]", test::Sharding{"[1]"}.list(), "46").text();
  auto const written = create_any<AllCodecs>(noting, "", test::array_metadata(document));
  for (std::uint64_t i = 0; i < shards; ++i) write_text(written, Box{{i * chunks, i * chunks + 1}}, "x");
  noting.asked->forget();
  auto const array = open_any<AllCodecs>(noting, "", test::HostQueue{1});
  CHECK(read_text(array, Box{{0, shards * chunks, chunks}}, {.mini_batch = every_chunk}) == std::string(shards, 'x'));
  std::vector<std::size_t> sizes;
  for (auto const& requests : noting.asked->many) sizes.push_back(requests.size());
  CHECK(sizes == std::vector<std::size_t>{3, 3, 3, 3, 1, 1});  // indexes, then chunks
}

namespace {

/// Fails at one key, and does not name it.
struct Failing : Noting {
  std::string bad{};
  void get_many(std::span<ReadRequest<space::Host>> requests, On& on) const {
    for (auto const& request : requests)
      if (request.key->path == bad) throw StoreError{"the connection was closed"};
    Noting::get_many(requests, on);
  }
};

}  // namespace

TEST_CASE("a store's error of several indexes at once, which names no key, is given none") {
  Failing store;
  write_text(sixteen_chunks(store), Box{all}, letters());
  store.bad = "c/1/0";
  auto const array = open_any<AllCodecs>(store, "");
  auto const said = [&](Box const& box) -> std::string {
    try {
      read_text(array, box, {.mini_batch = every_chunk, .max_request_bytes = 1});
    } catch (StoreError const& error) {
      return error.key() + '|' + error.what();
    }
    return "no error";
  };
  CHECK(said(Box{all}).starts_with('|'));
  CHECK(said(Box{all}).find("c/0/0") == std::string::npos);
  CHECK(said(Box{{4, 6}, {0, 2}}).starts_with("c/1/0|"));  // with one key it is clear
}

TEST_CASE("a store that holds its values is asked for indexes once, and lends inner chunks (CODEC-SHARD-23)") {
  NotingLender const store;
  auto const array = sixteen_chunks(store);
  write_text(array, Box{all}, letters());
  auto& asked = *store.asked;
  asked.forget();
  CHECK(read_text(array, Box{{0, 4}, all}) == letters().substr(0, 32));
  CHECK(sorted(asked.requests()) == Texts{"c/0/0 last 68", "c/0/1 last 68"});
  CHECK(sorted(asked.lends) == Texts{"c/0/0 0 + 4", "c/0/0 12 + 4", "c/0/0 4 + 4", "c/0/0 8 + 4", "c/0/1 0 + 4",
                                     "c/0/1 12 + 4", "c/0/1 4 + 4", "c/0/1 8 + 4"});
}

TEST_CASE("what a shard does not have is not asked for (CODEC-SHARD-09, CODEC-SHARD-18)") {
  Noting const store;
  auto const array = sixteen_chunks(store);
  write_text(array, Box{{0, 2}, {0, 2}}, "wxyz");
  auto& asked = *store.asked;
  asked.forget();
  read_text(array, Box{{0, 8}, {0, 4}}, {.mini_batch = every_chunk, .max_request_bytes = 1});
  CHECK(asked.many == Many{{"c/0/0 last 68", "c/1/0 last 68"}, {"c/0/0 0 + 4"}});
}

TEST_CASE("shards in shards: each index is read once, those of a depth together") {
  test::Sharding outer{"[4, 4]"}, inner{"[2, 2]"};
  outer.codecs = inner.list();
  Noting const store;
  auto document = test::sharded_document("[8, 8]", "[8, 8]", outer.list(), "46");
  auto const array = create_any<AllCodecs>(store, "", test::array_metadata(document.text()));
  write_text(array, Box{all}, letters());
  auto& asked = *store.asked;
  asked.forget();
  CHECK(read_text(array, Box{all}, {.max_request_bytes = 1}) == letters());
  REQUIRE(asked.many.size() == 3);
  CHECK(asked.many[0] == Texts{"c/0/0 last 68"});
  CHECK(asked.many[1] == Texts{"c/0/0 16 + 68", "c/0/0 100 + 68", "c/0/0 184 + 68", "c/0/0 268 + 68"});
  CHECK(asked.many[2].size() == 16);
  asked.forget();
  CHECK(read_text(array, Box{all}) == letters());
  CHECK(asked.requests() == Texts{"c/0/0"});  // with the indexes as parts
}

namespace {

/// Shards of 500 x 500 elements, of 25 chunks each, in a store opened through `open_in`: each thread requests its share
/// at once, if the store accepts many requests.
template <class T, class Stored, class Asking, class Door>
void check_one_request_for_a_shard(Asking const& store, Asked& asked, Stored const& stored, Door const& open_in) {
  using namespace std::string_literals;
  constexpr bool takes_many = std::same_as<Asking, Noting>;
  std::vector<T> numbers(1000 * 1000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<T>(i * i);
  create_array<T, 2>(store, "a", {.shape = {1000, 1000}, .chunks = {500, 500}}, stored).write(all, numbers);
  for (std::size_t threads : {1u, 2u, 16u}) {
    CAPTURE(threads);
    auto const array = open_array<T, 2, AllCodecs>(open_in(store), "a", test::HostQueue{threads});
    std::vector<T> some(500 * 500), whole(numbers.size());
    asked.forget();
    array.read({{0, 500}, {500, 1000}}, some);
    CHECK(some[500 * 3 + 2] == numbers[1000 * 3 + 502]);
    CHECK(asked.requests() == Texts{"a/c/0/1"});
    asked.forget();
    array.read(all, whole);
    CHECK(whole == numbers);
    auto const& [one, two, three, four] = std::array{"a/c/0/0"s, "a/c/0/1"s, "a/c/1/0"s, "a/c/1/1"s};
    if (!takes_many || threads == 16)
      CHECK(sorted(asked.requests()) == Texts{one, two, three, four});
    else if (threads == 2)
      CHECK(sorted(asked.requests()) == Texts{one + ", " + two, three + ", " + four});
    else
      CHECK(asked.requests() == Texts{one + ", " + two + ", " + three + ", " + four});
  }
}

/// Like Noting, with only the required functions of a store.
struct NotingRead {
  using buffer_type = HostBuffer;
  Noting inner{};

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  Noting::On& on) const {
    return inner.read(key, range, destination, on);
  }
  void write(Key const& key, ByteView<space::Host> value, Noting::On& on) const { inner.write(key, value, on); }
  bool erase(Key const& key, Noting::On& on) const { return inner.erase(key, on); }
};

}  // namespace

TEST_CASE("a whole shard of a store of a user's own is one request, whatever it can do and whoever stands before it") {
  using Plain = Pipeline<space::Host, codec::Bytes>;
  using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  Pipeline<space::Host, codec::Sharding<Plain>> const plain{{.chunk_shape = {100, 100}}};
  Pipeline<space::Host, codec::Sharding<Zstd>> const zstd{{.chunk_shape = {100, 100}}};
  auto const itself = [](auto const& store) { return store; };
  Noting const noting;
  check_one_request_for_a_shard<std::uint16_t>(noting, *noting.asked, plain, itself);
  Noting const compressed;
  check_one_request_for_a_shard<float>(compressed, *compressed.asked, zstd, itself);
  Noting const behind;
  check_one_request_for_a_shard<std::uint8_t>(behind, *behind.asked, zstd, [](Noting const& store) {
    return AnyStore<HostBuffer>{ReadOnlyStore{PrefixStore{store, ""}}};
  });
  NotingRead const reading;  // of 2 MB: more than a mini-batch is elsewhere
  check_one_request_for_a_shard<double>(reading, *reading.inner.asked, zstd, itself);
}

TEST_CASE("where one of several whole shards has more in it than anybody needs, all are read by their indexes") {
  Noting const store;
  std::vector<std::uint8_t> numbers(16), read(numbers.size());
  std::iota(numbers.begin(), numbers.end(), std::uint8_t{1});
  Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes>>> const shards{{.chunk_shape = {2}}};
  create_array<std::uint8_t, 1>(store, "a", {.shape = {16}, .chunks = {4}}, shards).write(all, numbers);
  auto const shard = test::value(store.inner, "a/c/1");
  test::put(store.inner, "a/c/1", shard.substr(0, 4) + std::string(100, '?') + shard.substr(4));
  auto const array = open_array<std::uint8_t, 1, AllCodecs>(store, "a", test::HostQueue{});
  store.asked->forget();
  array.read(all, read);
  CHECK(read == numbers);
  auto const& many = store.asked->many;  // the finished part: without the whole shards
  REQUIRE(many.size() == 2);
  CHECK(many[0] == Texts{"a/c/0 last 36", "a/c/1 last 36", "a/c/2 last 36", "a/c/3 last 36"});
  CHECK(many[1].size() == 8);
}

TEST_CASE("memory and files are asked often: they are near, and so is what stands before them") {
  CHECK_FALSE(detail::is_near(Noting{}));
  CHECK_FALSE(detail::is_near(AnyStore<HostBuffer>{Noting{}}));
  CHECK_FALSE(detail::is_near(SplitStore{Memory{}, Noting{}}));
  LocalStore<HostBuffer> const files{TESSERA_TEST_DATA};
  CHECK(detail::is_near(Memory{}));
  CHECK(detail::is_near(files));
  CHECK(detail::is_near(AnyStore<HostBuffer>{PrefixStore{ReadOnlyStore{files}, "brain.zarr"}}));
  CHECK(detail::is_near(SplitStore{Noting{}, files}));
  CHECK(detail::is_near(CastStore<PmrBuffer, LocalStore<HostBuffer>>{files}));
}

TEST_CASE("a whole shard is written and nothing is read") {
  Noting const store;
  auto const array = sixteen_chunks(store);
  auto& asked = *store.asked;
  for (int round = 0; round < 2; ++round) {
    write_text(array, Box{all}, letters(), {.mini_batch = std::size_t(round)});
    CHECK(asked.reads.empty());
    CHECK(asked.many.empty());
    CHECK(sorted(asked.writes) == Texts{"c/0/0", "c/0/1", "c/1/0", "c/1/1"});
    CHECK(asked.erased.empty());
    asked.forget();
  }
  write_text(array, Box{{4, 8}, {0, 4}}, "0123456789abcdef");
  CHECK(asked.reads.empty());
  CHECK(asked.writes == Texts{"c/1/0"});
}

TEST_CASE("part of a shard is written: its old value is read, once") {
  for (std::size_t batch : {1u, 4u}) {
    Noting const store;
    auto const array = sixteen_chunks(store);
    write_text(array, Box{all}, letters());
    auto& asked = *store.asked;
    asked.forget();
    write_text(array, Box{{1, 4}, {1, 4}}, "012345678", {.mini_batch = batch});
    CHECK(asked.reads == Texts{"c/0/0"});
    CHECK(asked.many.empty());
    CHECK(asked.writes == Texts{"c/0/0"});
    CHECK(read_text(array, Box{{1, 4}, {1, 4}}) == "012345678");
    CHECK(read_text(array, Box{{0, 1}, all}) == letters().substr(0, 8));
  }
}

TEST_CASE("a shard of nothing but the fill value is no key (CODEC-SHARD-19)") {
  Noting const store;
  auto const array = sixteen_chunks(store);
  write_text(array, Box{all}, letters());
  auto& asked = *store.asked;
  asked.forget();
  write_text(array, Box{{0, 4}, all}, std::string(32, '.'));
  CHECK(asked.reads.empty());
  CHECK(asked.writes.empty());
  CHECK(sorted(asked.erased) == Texts{"c/0/0", "c/0/1"});
  CHECK(test::value(store.inner, "c/0/0") == "(missing)");
  CHECK(read_text(array, Box{all}) == std::string(32, '.') + letters().substr(32));

  for (std::uint64_t row : {4u, 6u}) {  // inner chunk by inner chunk, the shard exists until the last of them
    CHECK(test::value(store.inner, "c/1/0") != "(missing)");
    for (std::uint64_t column : {0u, 2u}) write_text(array, Box{{row, row + 2}, {column, column + 2}}, "....");
  }
  CHECK(test::value(store.inner, "c/1/0") == "(missing)");

  write_text(array, Box{{4, 8}, {0, 4}}, std::string(16, '.'), {.store_fill_chunks = true});
  CHECK(test::value(store.inner, "c/1/0").size() == 16 + 68);
}

TEST_CASE("threads that write inner chunks of one shard lose none of them (CODEC-SHARD-24)") {
  Memory const store;
  auto const array = sixteen_chunks(store);
  std::vector<std::thread> writers;
  for (std::uint64_t row : {0u, 2u})
    for (std::uint64_t column : {0u, 2u})
      writers.emplace_back([&store, row, column] {
        auto const own = open_any<AllCodecs>(store);
        auto const letter = static_cast<char>('A' + row + column / 2);
        for (int round = 0; round < 50; ++round)
          write_text(own, Box{{row, row + 2}, {column, column + 2}},
                     std::string(4, static_cast<char>(letter + round % 2)));
      });
  for (auto& writer : writers) writer.join();
  CHECK(read_text(array, Box{{0, 4}, {0, 4}}) == "BBCCBBCCDDEEDDEE");
}

TEST_CASE(
    "what is written says how shards are made, all of it, inner codecs as objects (CODEC-SHARD-01, CODEC-SHARD-20, "
    "CODEC-SHARD-26)") {
  Memory const store;
  auto short_forms = test::Sharding{"[2, 2]"};
  short_forms.codecs = R"(["bytes", "crc32c"])";
  short_forms.index_codecs = R"([{"name": "bytes", "configuration": {"endian": "big"}}, "crc32c"])";
  auto const given = short_forms.list();
  auto const without_location = given.substr(0, given.find(", \"index_location\"")) + "}}]";
  auto const document = test::sharded_document("[8, 8]", "[4, 4]", without_location);
  create_any<AllCodecs>(store, "", test::array_metadata(document.text()));
  auto const written = parse_json(test::value(store, "zarr.json"));
  ObjectReader reader{written, ""};
  CHECK(to_json(reader.at("codecs").value()) == to_json(parse_json(R"([
      {"name": "sharding_indexed", "configuration": {
        "chunk_shape": [2, 2],
        "codecs": [{"name": "bytes"}, {"name": "crc32c"}],
        "index_codecs": [{"name": "bytes", "configuration": {"endian": "big"}}, {"name": "crc32c"}],
        "index_location": "end"}}])")));
}
