// Shards that are appended to in place, and compacted.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <support/failing_calls.hpp>
#include <support/refused.hpp>
#include <support/shard_bytes.hpp>
#include <support/sharded.hpp>
#include <support/temporary_folder.hpp>
#include <support/written_array.hpp>
#include <tessera/array/create.hpp>
#include <tessera/array/open.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/append.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/prefix_store.hpp>
#include <tessera/with/all.hpp>

namespace appended_shards_tests {

using namespace tessera;
using Memory = MemoryStore<HostBuffer>;
using Local = LocalStore<HostBuffer>;
using Plain = Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes>>>;
using Texts = std::vector<std::string>;

WriteOptions const appending{.append_to_shards = true};

/// The bytes of all keys.
template <class S>
std::uint64_t bytes_in(S const& store) {
  std::uint64_t sum = 0;
  store.list("", [&](Listed const& entry) { sum += entry.size; });
  return sum;
}

/// Writes boxes of an array in shards of random shapes, appending, and compacts. Returns how many bytes that gave.
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
    auto options = appending;
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

/// Writes down what is asked about chunks.
struct Noting {
  using buffer_type = HostBuffer;
  using On = Queue<space::Host>;
  Memory inner{};
  std::shared_ptr<Texts> asked = std::make_shared<Texts>();

  void note(Key const& key, std::string what) const {
    if (!key.path.ends_with("zarr.json")) asked->push_back(std::move(what));
  }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Room<space::Host> room, On& on) const {
    note(key, range.is_whole() ? "read" : text({"read ", range.offset, " + ", range.size}));
    return inner.read(key, range, room, on);
  }
  std::optional<std::uint64_t> size(Key const& key, On& on) const { return inner.size(key, on); }
  void write(Key const& key, ByteView<space::Host> value, On& on) const {
    note(key, text({"write ", value.size}));
    inner.write(key, value, on);
  }
  bool erase(Key const& key, On& on) const {
    note(key, "erase");
    return inner.erase(key, on);
  }
};
struct NotingAppends : Noting {
  bool append(Key const& key, ByteView<space::Host> bytes, std::uint64_t size, On& on) const {
    note(key, text({"append ", bytes.size, " to ", size}));
    return inner.append(key, bytes, size, on);
  }
};
static_assert(AppendableStore<NotingAppends> && !AppendableStore<Noting>);

std::string numbers() {
  std::string result;
  for (int i = 0; i < 256; ++i) result += static_cast<char>('A' + i % 23);
  return result;
}

/// A 16 x 16 array of bytes, one shard of 64 inner chunks of 2 x 2, or what else `list` says.
template <class S>
auto one_shard(S const& store, std::string const& list = test::Sharding{"[2, 2]"}.list()) {
  auto const array = create_any<AllCodecs>(
      store, "", test::array_metadata(test::sharded_document("[16, 16]", "[16, 16]", list, "46").text()));
  return array;
}
template <class Array>
void put(Array const& array, Box const& box, std::string const& elements, WriteOptions const& options = appending) {
  auto const region = box.resolve(array.shape());
  REQUIRE(elements.size() == test::size_of(region.count));
  auto const bytes = test::bytes(elements);
  array.write(region, {bytes.data(), Layout::c_order(region.count, 1).strides}, options);
}
template <class Array>
std::string found(Array const& array, Box const& box = all) {
  return test::text(test::view(test::read_bytes(array, box.resolve(array.shape()))));
}

constexpr std::uint64_t index_size = 64 * 16 + 4, shard_size = 256 + index_size;

TEST_CASE("of a shard that is appended to the index is read once, and the chunks that are written in part") {
  NotingAppends const store;
  auto const array = one_shard(store);
  auto& asked = *store.asked;
  put(array, all, numbers());
  CHECK(asked == Texts{"write 1284"});
  asked.clear();

  put(array, Box{{2, 4}, {4, 6}}, "wxyz");
  CHECK(asked == Texts{"read 256 + 1028", "append 1032 to 1284"});
  CHECK(found(array, Box{{2, 4}, {4, 6}}) == "wxyz");
  asked.clear();

  put(array, Box{{3, 5}, {4, 6}}, "0123");  // parts of a new chunk and of an old one
  CHECK(asked == Texts{"read 1288 + 1028", "read 1284 + 4", "read 72 + 4", "append 1036 to 2316"});
  CHECK(found(array, Box{{2, 6}, {4, 6}}) == "wx0123" + numbers().substr(5 * 16 + 4, 2));
  asked.clear();

  put(array, Box{{2, 4}, {4, 6}}, "....");  // the fill value: an index alone
  CHECK(asked == Texts{"read 2324 + 1028", "append 1028 to 3352"});
  asked.clear();
  put(array, Box{{2, 4}, {4, 6}}, "....");  // nothing changes
  CHECK(asked == Texts{"read 3352 + 1028"});
  asked.clear();

  put(array, all, numbers());  // all of it: replaced
  CHECK(asked == Texts{"write 1284"});
  asked.clear();
  put(array, Box{{0, 15}, all}, std::string(240, '.'));
  put(array, Box{{15, 16}, all}, std::string(16, '.'));
  CHECK(asked.back() == "erase");
  CHECK(test::value(store.inner, "c/0/0") == "(missing)");
}

TEST_CASE("shards in shards: an inner shard that is written in part is read and put behind the others") {
  test::Sharding outer{"[8, 8]"}, inner{"[2, 2]"};
  outer.codecs = inner.list();
  NotingAppends const store;
  auto const array = one_shard(store, outer.list());
  auto& asked = *store.asked;
  put(array, all, numbers());
  constexpr std::uint64_t inner_size = 64 + 16 * 16 + 4, outer_index = 4 * 16 + 4, first = 4 * inner_size;
  CHECK(asked == Texts{text({"write ", first + outer_index})});
  asked.clear();
  put(array, Box{{2, 4}, {12, 14}}, "wxyz");
  CHECK(asked == Texts{text({"read ", first, " + ", outer_index}), text({"read ", inner_size, " + ", inner_size}),
                       text({"append ", inner_size + outer_index, " to ", first + outer_index})});
  CHECK(found(array, Box{{2, 4}, {12, 14}}) == "wxyz");
  asked.clear();
  put(array, Box{{8, 16}, {0, 8}}, std::string(64, 'q'));  // all of one: not read
  CHECK(asked.size() == 2);
  CHECK(found(array, Box{{7, 9}, {0, 8}}) == numbers().substr(7 * 16, 8) + "qqqqqqqq");
  asked.clear();
  CHECK(array.compact() == 2 * (inner_size + outer_index));
  CHECK(asked.back() == text({"write ", first + outer_index}));
}

TEST_CASE("shards are replaced as ever where the store cannot append or the index is at the start") {
  Noting const plain;
  auto const array = one_shard(plain);
  put(array, all, numbers());
  plain.asked->clear();
  put(array, Box{{2, 4}, {4, 6}}, "wxyz");
  CHECK(*plain.asked == Texts{"read", "write 1284"});

  AnyStore<HostBuffer> const any{plain};
  put(open_any<AllCodecs>(any), Box{{2, 4}, {4, 6}}, "1234");
  CHECK(plain.asked->back() == "write 1284");
  CHECK(found(array, Box{{2, 4}, {4, 6}}) == "1234");

  NotingAppends const store;
  test::Sharding sharding{"[2, 2]"};
  sharding.index_location = "start";
  auto const at_start = one_shard(store, sharding.list());
  put(at_start, all, numbers());
  store.asked->clear();
  put(at_start, Box{{2, 4}, {4, 6}}, "wxyz");
  CHECK(*store.asked == Texts{"read", "write 1284"});
}

TEST_CASE("a file that has two names is replaced: the other name keeps the old shard") {
  test::TemporaryFolder const folder;
  Local const store{folder.path()};
  auto const array = one_shard(store);
  put(array, all, numbers());
  auto const before = test::value(store, "c/0/0");
  std::filesystem::create_hard_link(folder / "c/0/0", folder / "kept");
  put(array, Box{{2, 4}, {4, 6}}, "wxyz");
  CHECK(test::value(store, "kept") == before);
  CHECK(test::value(store, "c/0/0").size() == shard_size);
  CHECK(found(array, Box{{2, 4}, {4, 6}}) == "wxyz");
}

TEST_CASE("compact asks for indexes alone where shards are in order, and leaves inner chunks encoded as they are") {
  NotingAppends const store;
  auto const array = one_shard(store);
  put(array, all, numbers());
  auto& asked = *store.asked;
  asked.clear();
  CHECK(array.compact() == 0);
  CHECK(asked == Texts{"read 256 + 1028"});
  asked.clear();
  put(array, Box{{0, 2}, all}, std::string(32, '.'), {.store_fill_chunks = true});
  CHECK(array.compact() == 0);  // who wants them keeps them
  put(array, Box{{2, 4}, {4, 6}}, "wxyz");
  put(array, Box{{2, 4}, {6, 8}}, "....");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> progress;
  asked.clear();
  CHECK(array.compact({.progress = [&](auto done, auto of) { progress.push_back({done, of}); }}) == 4 + 4 + 2 * 1028);
  CHECK(asked.back() == "write 1280");
  CHECK(progress == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{1, 1}});
  CHECK(found(array, Box{{2, 4}, {4, 8}}) == "wx..yz..");
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
  CHECK(found(array, Box{all, {0, 4}}) == test::four_letters);
}

TEST_CASE("an array without shards has nothing to compact") {
  Memory const store;
  auto const array = create_array<std::uint32_t, 1>(store, "a", {.shape = {8}, .chunk_shape = {2}});
  array.fill(all, 7u, appending);
  CHECK(array.compact() == 0);
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
        auto const array = one_shard(store);
        put(array, all, numbers());
        if (compacts) put(array, Box{{2, 4}, {4, 6}}, "wxyz");
        auto const old = found(array);
        store.state->after = after;
        store.state->left = calls;
        failed = false;
        try {
          if (compacts)
            array.compact();
          else
            put(array, Box{{3, 5}, {5, 9}}, "01234567");
        } catch (StoreError const& error) {
          failed = true;
          CHECK(error.key() == "c/0/0");
        }
        store.state->left = -1;
        auto const now = found(array);
        if (now != old || !failed)
          CHECK(found(array, Box{{3, 5}, {5, 9}}) == (compacts ? "zIJK" : "0123") + now.substr(4 * 16 + 5, 4));
        put(array, Box{{3, 5}, {5, 9}}, "01234567");
        CHECK(found(array, Box{{3, 5}, {5, 9}}) == "01234567");
        CHECK(found(array, Box{{5, 16}, all}) == numbers().substr(5 * 16));
      }
      CHECK(calls >= 4);
    }
}

TEST_CASE("a shard that was cut off while it was appended to is an error that names it, until it is as it was before") {
  Memory const store;
  auto const document = test::sharded_document("[4, 8]", "[4, 4]", test::Sharding{"[2, 2]"}.list());
  auto const array = create_any<AllCodecs>(store, "", test::array_metadata(document.text()));
  put(array, all, numbers().substr(0, 32));
  auto const before = test::value(store, "c/0/0").size();
  put(array, Box{{0, 2}, {0, 2}}, "wxyz");
  auto const whole = test::value(store, "c/0/0");
  for (auto size = before + 1; size < whole.size(); ++size) {
    CAPTURE(size);
    test::put(store, "c/0/0", whole.substr(0, size));
    test::check_refused<CodecError>([&] { found(array); }, {"key \"c/0/0\"", "the shard's index"});
    CHECK(found(array, Box{all, {4, 8}}).substr(0, 4) == numbers().substr(4, 4));
    test::check_refused<CodecError>([&] { put(array, Box{{0, 2}, {0, 2}}, "1234"); }, {"key \"c/0/0\"", "index"});
    test::check_refused<CodecError>([&] { array.compact(); }, {"key \"c/0/0\"", "index"});
    Texts recovered;
    CHECK(array.compact({.recovered = [&](std::string const& key) { recovered.push_back(key); }}) == size - before);
    CHECK(recovered == Texts{"c/0/0"});
    CHECK(test::value(store, "c/0/0") == whole.substr(0, before));
    CHECK(found(array) == numbers().substr(0, 32));
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
  // The outer index is sound: what is wrong is within.
  test::Sharding outer{"[4, 4]"}, inner{"[2, 2]"};
  outer.codecs = inner.list();
  Memory const store;
  auto const document = test::sharded_document("[8, 4]", "[8, 4]", outer.list());
  auto const array = create_any<AllCodecs>(store, "", test::array_metadata(document.text()));
  put(array, all, numbers().substr(0, 32));
  put(array, Box{{0, 2}, {0, 2}}, "wxyz");
  auto value = test::value(store, "c/0/0");
  value[value.size() - 36 - 1] ^= 1;  // of the index of the inner shard that was put last
  test::put(store, "c/0/0", value);
  CompactOptions const recovering{.recovered = [](std::string const&) { FAIL_CHECK("nothing is recovered"); }};
  test::check_refused<CodecError>([&] { array.compact(recovering); }, {"key \"c/0/0\""});
}

// Threads write inner chunks of one array, appending, while others read it and one compacts.
template <class S>
void check_threads(S const& store) {
  constexpr std::uint32_t writers = 3, rounds = 40, chunks = 12;
  auto const array = create_array<std::uint32_t, 1>(store, "a", {.shape = {2 * chunks}, .chunk_shape = {chunks}},
                                                    Plain{codec::Sharding<Plain::leaf_type>{{2}}});
  std::atomic<std::uint32_t> writing{writers}, wrong{0};
  std::vector<std::thread> threads;
  for (std::uint32_t writer = 0; writer < writers; ++writer)
    threads.emplace_back([&, writer] {
      test::HostQueue on;
      for (std::uint32_t round = 1; round <= rounds; ++round)
        for (auto chunk = writer; chunk < chunks; chunk += writers) {
          std::vector<std::uint32_t> const values(2, (chunk << 16) + round);
          array.write(Box{{2 * chunk, 2 * chunk + 2}}, values, on, appending);
        }
      --writing;
    });
  threads.emplace_back([&] {
    test::HostQueue on;
    while (writing > 0) array.compact(on);
  });
  threads.emplace_back([&] {
    test::HostQueue on;
    for (bool last = false; !last;) {
      last = writing == 0;
      std::vector<std::uint32_t> values(2 * chunks);
      try {
        array.read(all, values, on);
      } catch (Error const&) {
        ++wrong;
      }
      for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
        auto const value = values[2 * chunk];
        wrong += values[2 * chunk + 1] != value || (value != 0 && value >> 16 != chunk);
      }
    }
  });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
  auto const last = array.read(all);
  for (std::uint32_t i = 0; i < 2 * chunks; ++i) CHECK(last(i) == ((i / 2) << 16) + rounds);
}

TEST_CASE("threads that append to one shard lose nothing, whoever reads and compacts beside them") {
  check_threads(Memory{});
  test::TemporaryFolder const folder;
  check_threads(Local{folder.path()});
}

// In memory that a child has in common with its parent: what was last written into each chunk, and returned.
constexpr std::uint64_t killed_chunks = 6, killed_length = 20000;
struct Written {
  std::atomic<std::uint32_t> chunks[killed_chunks];
  std::atomic<std::uint32_t> writes;
};

TEST_CASE("a process is killed while it appends: each shard has all that was written before, or gets it back") {
  test::TemporaryFolder const folder;
  auto* const memory = ::mmap(nullptr, sizeof(Written), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  auto& written = *new (memory) Written{};
  Local const store{folder.path()};
  auto const array = create_array<std::uint32_t, 1>(
      store, "a", {.shape = {killed_chunks * killed_length}, .chunk_shape = {killed_chunks * killed_length}},
      Plain{codec::Sharding<Plain::leaf_type>{{killed_length}}}, test::HostQueue{});
  test::Random random{11};
  std::size_t wrong = 0;
  for (int round = 0; round < 40; ++round) {
    auto const until = written.writes + random(1, 8), more = random(0, 20000);
    auto const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      ::alarm(60);
      try {
        auto const own = open_array<std::uint32_t, 1, Plain>(Local{folder.path()}, "a", test::HostQueue{});
        std::vector<std::uint32_t> values(killed_length);
        for (auto next = written.writes + 1;; ++next) {
          auto const chunk = next % killed_chunks;
          std::ranges::fill(values, next);
          own.write(Box{{chunk * killed_length, (chunk + 1) * killed_length}}, values, appending);
          written.chunks[chunk] = next;
          ++written.writes;
        }
      } catch (...) {
        ::_exit(1);
      }
    }
    int status = 0;
    while (written.writes < until && ::waitpid(child, &status, WNOHANG) == 0) ::sched_yield();
    for (auto left = more; left > 0; --left) written.writes.load();  // into the next
    ::kill(child, SIGKILL);
    if (status == 0) CHECK(::waitpid(child, &status, 0) == child);
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
    array.compact({.recovered = [](std::string const&) {}});
    auto const found = array.read(all);
    for (std::uint64_t i = 0; i < killed_chunks * killed_length; ++i) {
      auto const last = written.chunks[i / killed_length].load();
      wrong +=
          found(i) != found(i / killed_length * killed_length) || (found(i) != last && found(i) != written.writes + 1);
    }
  }
  CHECK(wrong == 0);
  ::munmap(memory, sizeof(Written));
}

}  // namespace appended_shards_tests
