// Several handles, stores and processes write one array: no completed write is lost, and writes are not mixed.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <support/child.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;

namespace several_writers_tests {

using Local = LocalStore<HostBuffer>;
using Numbers = std::vector<std::int32_t>;
using Shards = codec::Sharding<Pipeline<space::Host, codec::Bytes>>;
using Sharded = Pipeline<space::Host, Shards>;

// Calls work(number) in that many processes; returns how many failed.
template <class F>
int in_processes(int count, F&& work) {
  for (int number = 0; number < count; ++number)
    if (::fork() == 0) {
      try {
        work(number);
        ::_exit(0);
      } catch (...) {
        ::_exit(1);
      }
    }
  int failed = 0, status = 0;
  while (::wait(&status) > 0) failed += status != 0;
  return failed;
}

// Reports of processes to this one.
struct Pipe {
  int ends[2]{};
  Pipe() { REQUIRE(::pipe(ends) == 0); }
  Pipe(Pipe const&) = delete;
  Pipe& operator=(Pipe const&) = delete;
  ~Pipe() { ::close(ends[0]), ::close(ends[1]); }
  void put(char c) const {
    if (::write(ends[1], &c, 1) != 1) ::_exit(1);
  }
  char get() const {
    char c = 0;
    REQUIRE(::read(ends[0], &c, 1) == 1);
    return c;
  }
};

Numbers values(auto const& array) {
  Numbers found(array.size());
  array.read(all, found);
  return found;
}

// Each of the writers' numbers occurs as often as it was appended, and there are no others.
void check_appended(Numbers const& found, int writers, int rounds, std::size_t each) {
  std::map<std::int32_t, std::size_t> count;
  for (auto number : found) ++count[number];
  CHECK(found.size() == static_cast<std::size_t>(writers * rounds) * each);
  for (int w = 0; w < writers; ++w)
    for (int i = 0; i < rounds; ++i) CHECK(count[1000 * w + i + 1] == each);
}

template <class S>
void append_rounds(S const& store, int writer, int rounds, std::size_t each) {
  auto const array = open_array<std::int32_t, 1>(store, "a");
  for (int i = 0; i < rounds; ++i) array.append(Numbers(each, 1000 * writer + i + 1));
}

constexpr int writers = 4, rounds = 25;

TEST_CASE("what handles opened apart append is in the array, all of it") {
  auto const check = [](auto const& store) {
    create_array<std::int32_t, 1>(store, "a", {.shape = {0}, .chunks = {10}});
    std::atomic<int> failed{0};
    std::vector<std::thread> threads;
    for (int w = 0; w < writers; ++w)
      threads.emplace_back([&, w, copy = store] {
        try {
          append_rounds(copy, w, rounds, 7);
        } catch (...) {
          ++failed;
        }
      });
    for (auto& thread : threads) thread.join();
    CHECK(failed == 0);
    check_appended(values(open_array<std::int32_t, 1>(store, "a")), writers, rounds, 7);
  };
  test::TemporaryFolder const folder;
  check(MemoryStore<HostBuffer>{});
  check(Local{folder / "root"});
  check(AnyStore<HostBuffer>{PrefixStore{Local{folder / "other"}, "below"}});
}

TEST_CASE("what several processes append is in the array, all of it") {
  for (bool sharded : {false, true}) {
    CAPTURE(sharded);
    test::TemporaryFolder const folder;
    NewArray<std::int32_t> const wanted{.shape = {0}, .chunks = {20}};
    if (sharded)
      create_array<std::int32_t, 1>(Local{folder / ""}, "a", wanted, Sharded{Shards{{5}}});
    else
      create_array<std::int32_t, 1>(Local{folder / ""}, "a", wanted);
    CHECK(in_processes(writers, [&](int w) { append_rounds(Local{folder / ""}, w, rounds, 7); }) == 0);
    check_appended(values(open_array<std::int32_t, 1>(Local{folder / ""}, "a")), writers, rounds, 7);
  }
}

TEST_CASE("parts of one chunk by several processes, and by stores of one folder, are all in it") {
  test::TemporaryFolder const folder;
  Local const store{folder / ""};
  auto const array = create_array<std::int32_t, 1>(store, "a", {.shape = {400}, .chunks = {400}});
  auto const write = [&](int w) {
    auto const mine = open_array<std::int32_t, 1>(Local{folder / ""}, "a");
    for (std::uint64_t i = static_cast<std::uint64_t>(w); i < 400; i += writers) mine.write({{i, i + 1}}, Numbers{5});
  };
  CHECK(in_processes(writers, write) == 0);
  CHECK(values(array) == Numbers(400, 5));

  array.fill(all, 0);
  std::vector<std::thread> threads;
  for (int w = 0; w < writers; ++w) threads.emplace_back([&, w] { write(w); });
  for (auto& thread : threads) thread.join();
  CHECK(values(array) == Numbers(400, 5));
}

TEST_CASE("compact takes back no shard that another process replaces as a whole meanwhile") {
  constexpr std::uint64_t inner = 4096, n = 16 * inner;  // so that compact takes a while
  constexpr std::int32_t last = 200;
  test::TemporaryFolder const folder;
  create_array<std::int32_t, 1>(Local{folder / ""}, "a", {.shape = {n}, .chunks = {n}}, Sharded{Shards{{inner}}});
  auto const ended = folder.path() / "ended";
  CHECK(in_processes(2, [&](int w) {
          Local const store{folder / ""};
          auto const array = open_array<std::int32_t, 1>(store, "a");
          if (w == 1) {
            ::alarm(120);  // even if the other process dies
            std::uint64_t won = 0;
            while (!std::filesystem::exists(ended)) won += array.compact();
            if (won == 0) throw StoreError{"there was nothing to compact"};
            return;
          }
          int taken_back = 0;
          for (std::int32_t i = 1; i <= last; ++i) {
            array.write(all, Numbers(n, i));
            array.write({{0, 1}}, Numbers{i}, {.append_to_shards = true});  // even so: its old bytes are garbage
            taken_back += values(array) != Numbers(n, i);
          }
          create_group(store, "ended");
          if (taken_back > 0) throw StoreError{to_text({taken_back, " writes were taken back"})};
        }) == 0);
  CHECK(values(open_array<std::int32_t, 1>(Local{folder / ""}, "a")) == Numbers(n, last));
}

TEST_CASE("of several processes that create a node one makes it") {
  test::TemporaryFolder const folder;
  for (int round = 0; round < 50; ++round) {
    CAPTURE(round);
    auto const path = "n" + std::to_string(round);
    CHECK(in_processes(writers, [&](int w) {
      Local const store{folder / ""};
      if (w % 2 == 0)
        create_array<std::int32_t, 1>(store, path, {.shape = {5}, .chunks = {5}});
      else
        create_group(store, path);
    }) == writers - 1);
  }
}

TEST_CASE("attributes that several processes merge are all there") {
  test::TemporaryFolder const folder;
  create_group(Local{folder / ""}, "g");
  CHECK(in_processes(writers, [&](int w) {
          Local const store{folder / ""};
          for (int i = 0; i < rounds; ++i)
            merge_attributes(store, "g", {{std::to_string(w) + '.' + std::to_string(i), Value::integer(i)}});
        }) == 0);
  CHECK(get_attributes(Local{folder / ""}, "g").size() == std::size_t{writers * rounds});
}

TEST_CASE("who writes at the border knows what another process appended there") {
  test::TemporaryFolder const folder;
  auto const array = create_array<std::int32_t, 1>(Local{folder / ""}, "a", {.shape = {15}, .chunks = {10}});
  CHECK(in_processes(1, [&](int) {
          open_array<std::int32_t, 1>(Local{folder / ""}, "a").append(Numbers{1, 2, 3});
        }) == 0);
  array.write({{0, 15}}, Numbers(15, 7));  // with a handle of the old shape: all of it
  Numbers wanted(15, 7);
  wanted.insert(wanted.end(), {1, 2, 3});
  CHECK(values(open_array<std::int32_t, 1>(Local{folder / ""}, "a")) == wanted);
  CHECK(array.shape() == Extents{18});
}

TEST_CASE("a process that is killed gives its locks back") {
  test::TemporaryFolder const folder;
  Local const store{folder / ""};
  auto const array = create_array<std::int32_t, 1>(store, "a", {.shape = {15}, .chunks = {10}});
  array.write(all, Numbers(15, 1));
  Pipe const locked;
  auto const child = ::fork();
  if (child == 0) {
    ::alarm(60);  // even if this process dies
    Local const its{folder / ""};
    auto const key = its.lock({"a/c/0"});
    auto const node = its.lock_folder("a", Sharing::alone);
    locked.put('l');
    ::pause();
  }
  CHECK(locked.get() == 'l');
  std::atomic<bool> done{false};
  std::thread writer{[&] {
    array.write({{3, 4}}, Numbers{2});
    array.append(Numbers{3});
    done = true;
  }};
  CHECK_FALSE(done);
  ::kill(child, SIGKILL);
  writer.join();
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(values(array)[3] == 2);
  CHECK(values(array).back() == 3);
}

TEST_CASE("a write under a lock does not undo what was written without asking for it") {
  test::TemporaryFolder const folder;
  Local const store{folder / ""}, other{folder / ""};
  Queue<space::Host> on;
  auto const put = [&](Local const& to, std::string const& text) {
    to.write({"k"}, {reinterpret_cast<std::byte const*>(text.data()), text.size()}, on);
  };
  auto const get_all = [&] {
    auto const value = get_value(store, {"k"}, on);
    return value ? std::string{reinterpret_cast<char const*>(value->view().data), value->view().size} : std::string{};
  };
  {
    auto const held = store.lock({"k"});  // of a key without a value yet
    put(other, "other");
    CHECK_THROWS_AS(put(store, "mine"), ValueChanged);
    CHECK_THROWS_AS(store.erase({"k"}, on), ValueChanged);
    CHECK(get_all() == "other");
  }
  {
    auto const held = store.lock({"k"});
    std::filesystem::rename(folder.path() / "k", folder.path() / "was");
    std::filesystem::copy(folder.path() / "was", folder.path() / "k");
    CHECK_THROWS_AS(put(store, "mine"), ValueChanged);
    CHECK(get_all() == "other");
  }
  put(store, "mine");
  CHECK(get_all() == "mine");
}

TEST_CASE("attributes that are set while somebody replaces the document without asking for a lock are all there") {
  test::TemporaryFolder const folder;
  struct Beside : Local {
    using Local::Local;
    std::shared_ptr<int> left = std::make_shared<int>(3);
    void write(Key const& key, ByteView<space::Host> value, Queue<space::Host>& on) const {
      auto const document = std::filesystem::path{name()} / key.path, other = std::filesystem::path{name()} / "other";
      if (std::filesystem::exists(document) && (*left)-- > 0) {
        std::filesystem::copy(document, other);
        std::filesystem::rename(other, document);
      }
      Local::write(key, value, on);
    }
  };
  Beside const store{folder / ""};
  create_group(store, "g");
  Members const some{{"a", 1}, {"b", std::string(99, 'b')}};
  set_attributes(store, "g", some);
  CHECK(*store.left == -1);
  CHECK(get_attributes(store, "g") == some);
}

TEST_CASE("chunks that a killed erase left are not elements of the next array") {
  test::TemporaryFolder const folder;
  Local const store{folder / ""};
  create_array<std::int32_t, 1>(store, "a", {.shape = {20}, .chunks = {10}}).write(all, Numbers(20, 7));
  std::filesystem::remove(folder.path() / "a/zarr.json");  // as erase_node begins
  CHECK(values(create_array<std::int32_t, 1>(store, "a", {.shape = {20}, .chunks = {10}})) == Numbers(20, 0));
}

TEST_CASE("a value that is replaced keeps its mode") {
  test::TemporaryFolder const folder;
  auto const array = create_array<std::int32_t, 1>(Local{folder / ""}, "a", {.shape = {20}, .chunks = {10}});
  auto const document = folder.path() / "a/zarr.json";
  auto const mode = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write |
                    std::filesystem::perms::group_read | std::filesystem::perms::group_write;
  std::filesystem::permissions(document, mode);
  array.resize({30});
  CHECK(std::filesystem::status(document).permissions() == mode);
}

// Shards that are replaced as a whole while their inner chunks are read. Each element tells its value and its chunk; in
// every second value the first chunk is missing, so that the others have other offsets.
template <class P, class S>
void check_not_mixed(P const& pipeline, S const& store, std::string const& folder) {
  constexpr std::int32_t inner = 64, chunks = 64, n = inner * chunks;
  auto const elements = [](std::int32_t value) {
    Numbers all_of_it(n);
    for (std::int32_t i = 0; i < n; ++i)
      all_of_it[static_cast<std::size_t>(i)] = i < inner && value % 2 == 1 ? 0 : chunks * value + i / inner;
    return all_of_it;
  };
  create_array<std::int32_t, 1>(store, "a", {.shape = {n}, .chunks = {n}, .overwrite = true}, pipeline)
      .write(all, elements(2));
  Pipe const ready;
  auto const child = ::fork();
  if (child == 0) {
    ::alarm(60);  // even if this process dies
    auto const array = open_array<std::int32_t, 1, P>(Local{folder}, "a");
    for (std::int32_t i = 3;; ++i) {
      array.write(all, elements(i));
      if (i == 4) ready.put('r');
    }
  }
  CHECK(ready.get() == 'r');
  auto const array = open_array<std::int32_t, 1, P>(store, "a");
  auto const kept = open_array<std::int32_t, 1, P>(store, "a");
  kept.keep_shard_indexes(1 << 20);
  int wrong = 0;
  Numbers found(2 * inner);
  for (std::int32_t i = 0; i < 2000; ++i) {
    auto const first = i % (chunks - 1);
    auto const at = static_cast<std::uint64_t>(first * inner);
    (i % 2 == 0 ? array : kept).read({{at, at + 2 * inner}}, found);
    for (std::int32_t c = 0; c < 2; ++c) {
      auto const chunk = std::span{found}.subspan(static_cast<std::size_t>(c * inner), inner);
      wrong += std::ranges::count(chunk, chunk[0]) != inner || (chunk[0] != 0 && chunk[0] % chunks != first + c) ||
               (chunk[0] == 0 && first + c != 0);
    }
  }
  CHECK(wrong == 0);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
}

TEST_CASE("chunks of a shard that another process replaces are of one value") {
  test::TemporaryFolder const folder;
  Local const store{folder / ""};
  check_not_mixed(Sharded{Shards{{64}}}, store, folder / "");
  using Zstd = codec::Sharding<Pipeline<space::Host, codec::Bytes, codec::Zstd>>;
  check_not_mixed(Pipeline<space::Host, Zstd>{Zstd{{64}}}, store, folder / "");
  check_not_mixed(Sharded{Shards{{64}}}, AnyStore<HostBuffer>{store}, folder / "");
}

TEST_CASE("an index that only a document tells of takes no memory") {
  MemoryStore<HostBuffer> const store;
  constexpr std::uint64_t n = std::uint64_t{1} << 26;
  auto const array = create_array<std::uint8_t, 1>(store, "a", {.shape = {n}, .chunks = {n}, .fill = 7},
                                                   Sharded{Shards{{1}}});
  rlimit old{}, small{};
  REQUIRE(::getrlimit(RLIMIT_AS, &old) == 0);
  CHECK(test::in_child([&] {
    small = {rlim_t{512} << 20, old.rlim_max};
    return ::setrlimit(RLIMIT_AS, &small) == 0 && array.read({{5, 6}})(0) == 7;
  }));
}

}  // namespace several_writers_tests
