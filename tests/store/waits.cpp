// Waits for other processes end on request, and at a timeout; a reader's memory stays within its limit.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <ipc/process.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/shard/detail/index_cache.hpp>
#include <tessera/store/cached_store.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;
using test::check_refused;

namespace waits_tests {
namespace {

using Files = LocalStore<HostBuffer>;

/// `stop` becomes true when a lock is requested, and so when the call is about to wait.
struct Stopping : WrapperStore<Files> {
  std::shared_ptr<std::atomic<bool>> stop = std::make_shared<std::atomic<bool>>(false);
  bool of_keys, of_folders;

  Stopping(Files files, bool keys, bool folders) : WrapperStore{std::move(files)}, of_keys{keys}, of_folders{folders} {}
  KeyLock lock(Key const& key, Stop given = nullptr) const {
    if (of_keys) *stop = true;
    return source().lock(key, given);
  }
  FolderLock lock_folder(std::string_view path, Sharing sharing, Stop given = nullptr) const {
    if (of_folders) *stop = true;
    return source().lock_folder(path, sharing, given);
  }
  void write_many(std::span<WriteRequest<space::Host> const> requests, Queue<space::Host>& on) const {
    if (of_keys) *stop = true;
    source().write_many(requests, on);
  }
};

/// A process that holds a lock until it is destroyed.
template <class Take>
test::Process holding(std::string const& folder, Take take) {
  test::Process made{[folder, take](test::Channel& tell) {
    Files const files{folder};
    auto const held = take(files);
    tell.put("held");
    tell.get();
  }};
  REQUIRE(made->get() == "held");
  return made;
}

struct Array {
  test::TemporaryFolder folder;
  std::string root = folder.path().string();
  std::vector<std::int32_t> eight{0, 1, 2, 3, 4, 5, 6, 7};

  Array() {
    create_array<std::int32_t, 1>(Files{root}, "a", {.shape = {8}, .chunks = {4}}).write(all, eight);
    Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes>>> const shards{{.chunk_shape = {2}}};
    create_array<std::int32_t, 1>(Files{root}, "s", {.shape = {8}, .chunks = {4}}, shards).write(all, eight);
  }
};

}  // namespace

TEST_CASE("a write that waits for a key of another process ends when it is told to stop") {
  Array arrays;
  auto const write = [&](std::string const& path, Box const& where, std::size_t count, std::string const& key) {
    auto const holder = holding(arrays.root, [key](Files const& files) { return files.lock(Key{key}); });
    Stopping const store{Files{arrays.root}, true, false};
    using P = AnyPipeline<space::Host, space::Host, Codecs<codec::Bytes>>;
    auto const array = open_array<std::int32_t, 1, P>(store, path);
    std::vector<std::int32_t> const ones(count, 1);
    CHECK_THROWS_AS(array.write(where, ones, {.stop = store.stop.get()}), Cancelled);
  };
  write("a", {{1, 3}}, 2, "a/c/0");  // part of a chunk
  write("a", {{0, 4}}, 4, "a/c/0");  // all of it
  write("a", {{0, 8}}, 8, "a/c/1");
  write("s", {{1, 3}}, 2, "s/c/0");  // part of a shard
  std::vector<std::int32_t> now(8);
  open_array<std::int32_t, 1>(Files{arrays.root}, "a").read(all, now);
  now[0] = 0, now[1] = 1, now[2] = 2, now[3] = 3;  // the last of these wrote them, before it waited
  CHECK(now == arrays.eight);
}

TEST_CASE("what waits for a folder, or for a document, of another process ends when it is told to stop") {
  Array arrays;
  std::vector<std::int32_t> const two{1, 2};
  SUBCASE("an append waits for a folder") {
    auto const holder =
        holding(arrays.root, [](Files const& files) { return files.lock_folder("a", Sharing::shared); });
    Stopping const store{Files{arrays.root}, false, true};
    CHECK_THROWS_AS((open_array<std::int32_t, 1>(store, "a").append(two, 0, {.stop = store.stop.get()})), Cancelled);
  }
  SUBCASE("an append waits for a document") {
    auto const holder = holding(arrays.root, [](Files const& files) { return files.lock(Key{"a/zarr.json"}); });
    Stopping const store{Files{arrays.root}, true, false};
    CHECK_THROWS_AS((open_array<std::int32_t, 1>(store, "a").append(two, 0, {.stop = store.stop.get()})), Cancelled);
  }
  SUBCASE("a write of part of a chunk at the border waits for a folder") {
    create_array<std::int32_t, 1>(Files{arrays.root}, "b", {.shape = {5}, .chunks = {4}});
    auto const holder = holding(arrays.root, [](Files const& files) { return files.lock_folder("b", Sharing::alone); });
    Stopping const store{Files{arrays.root}, false, true};
    CHECK_THROWS_AS((open_array<std::int32_t, 1>(store, "b").write({{3, 5}}, two, {.stop = store.stop.get()})),
                    Cancelled);
  }
  SUBCASE("a patience of any length has not ended at once") {
    auto const holder = holding(arrays.root, [](Files const& files) { return files.lock(Key{"a/zarr.json"}); });
    LocalOptions const endless{.patience = std::chrono::seconds::max()};
    Stopping const store{Files{arrays.root, endless}, true, false};
    CHECK_THROWS_AS((open_array<std::int32_t, 1>(store, "a").append(two, 0, {.stop = store.stop.get()})), Cancelled);
  }
  CHECK(open_array<std::int32_t, 1>(Files{arrays.root}, "a").shape() == Extents{8});
}

TEST_CASE("whoever has no stop waits for as long as the options say") {
  Array arrays;
  Files const other{arrays.root};  // its locks belong to others
  LocalOptions const hasty{.patience = std::chrono::seconds{0}};
  Files const files{arrays.root, hasty};
  auto const array = open_array<std::int32_t, 1>(files, "a");
  std::vector<std::int32_t> const two{1, 2};
  {
    auto const held = other.lock(Key{"a/c/0"});
    check_refused<StoreError>(
        [&] {
          array.write({{1, 3}}, two);
        },
        {arrays.root.c_str(), "key \"a/c/0\"", "has held the lock for 0 s", "LocalOptions::patience"});
    check_refused<StoreError>([&] { test::put(files, "a/c/0", "x"); }, {"key \"a/c/0\"", "has held the lock"});
    test::HostQueue on;
    check_refused<StoreError>([&] { files.erase(Key{"a/c/0"}, on); }, {"key \"a/c/0\"", "has held the lock"});
  }
  {
    auto const held = other.lock_folder("a", Sharing::shared);
    check_refused<StoreError>([&] { array.append(two); }, {"key \"a\"", "has held the lock"});
    check_refused<StoreError>([&] { array.resize({9}); }, {"key \"a\"", "has held the lock"});
  }
  {
    auto const held = other.lock(Key{"a/zarr.json"});
    check_refused<StoreError>(
        [&] {
          set_attributes(files, "a", {{"k", 1}});
        },
        {"key \"a/zarr.json\"", "has held the lock"});
  }
  array.append(two);
}

TEST_CASE("a thread that waits for another one looks at its own stop") {
  std::atomic<bool> const stop{true};
  KeyLocks locks;
  auto const held = locks.lock(Key{"k"});
  CHECK_THROWS_AS(locks.lock(Key{"k"}, &stop), Cancelled);
  auto const shared = locks.lock_folder("f", Sharing::shared);
  CHECK_THROWS_AS(locks.lock_folder("f", Sharing::alone, &stop), Cancelled);
  CHECK_NOTHROW(locks.lock_folder("f", Sharing::shared, &stop));

  Array arrays;
  Files const files{arrays.root};
  using Shards = Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes>>>;
  auto const form =
      Shards{{.chunk_shape = {2}}}.resolve({{4}, data_type_of<std::int32_t>(), std::vector<std::byte>(4), {}});
  ShardIndexCache indexes{form.shards, 1000};
  SequenceCounter changes;
  auto const shard = indexes.open(Key{"s/c/0"}, changes);
  auto const read_by_another = indexes.find(shard, Extents{0});
  REQUIRE(read_by_another.claim.has_value());
  CHECK_THROWS_AS(indexes.wait(*shard, Extents{0}, &stop), Cancelled);
}

TEST_CASE("a file that is larger than its reader takes is refused before there is memory for it") {
  Array arrays;
  std::filesystem::resize_file(arrays.root + "/a/c/0", std::uintmax_t{1} << 40);  // of holes
  std::filesystem::resize_file(arrays.root + "/s/c/1", std::uintmax_t{1} << 40);
  std::vector<std::int32_t> to(8);
  std::filesystem::create_directory(arrays.root + "/d");
  std::ofstream{arrays.root + "/d/zarr.json"} << ' ';
  std::filesystem::resize_file(arrays.root + "/d/zarr.json", std::uintmax_t{1} << 40);
  auto const check = [&](auto const& store) {
    check_refused<CodecError>([&] { open_array<std::int32_t, 1>(store, "a").read(all, to); },
                              {"key \"a/c/0\"", "a chunk of 1099511627776 bytes; expected at most 16"});
    using P = AnyPipeline<space::Host, space::Host, Codecs<codec::Bytes>>;
    CHECK_THROWS_AS((open_array<std::int32_t, 1, P>(store, "s").read(all, to)), Error);
    check_refused<MetadataError>([&] { open_group(store, "d"); }, {"key \"d/zarr.json\"", "1099511627776"});
  };
  check(Files{arrays.root});
  check(AnyStore<HostBuffer>{Files{arrays.root}});
  Files const files{arrays.root};
  CachedStore const cached{files, 1000};
  check_refused<StoreError>([&] { open_array<std::int32_t, 1>(cached, "a").read(all, to); },
                            {"key \"a/c/0\"", "a value of 1099511627776 bytes; expected at most 16"});
}

TEST_CASE("a path or a key with a zero byte is no other path, and no other key") {
  test::TemporaryFolder folder;
  auto const root = folder.path().string();
  auto const with_zero = [](std::string text) { return text + '\0' + "zzz"; };
  check_refused<StoreError>([&] { Files{with_zero(root + "/b")}; }, {"\\u{0}zzz", "zero byte"});
  Files const files{root};
  MemoryStore<HostBuffer> const memory;
  NewArray<float> const array{.shape = {1}, .chunks = {1}};
  auto const check = [&](auto const& store) {
    check_refused<StoreError>([&] { create_array<float, 1>(store, with_zero("b"), array); },
                              {"b\\u{0}zzz", "zero byte"});
    check_refused<StoreError>([&] { create_group(store, with_zero("b")); }, {"b\\u{0}zzz", "zero byte"});
    check_refused<StoreError>([&] { open_array<float, 1>(store, with_zero("b")); }, {"b\\u{0}zzz", "zero byte"});
    check_refused<StoreError>([&] { erase_node(store, with_zero("b")); }, {"b\\u{0}zzz", "zero byte"});
    check_refused<StoreError>([&] { PrefixStore(store, with_zero("b")); }, {"b\\u{0}zzz", "zero byte"});
    check_refused<StoreError>([&] { test::put(store, with_zero("b"), "x"); }, {"b\\u{0}zzz", "zero byte"});
  };
  check(files);
  check(memory);
  CHECK(std::filesystem::is_empty(folder.path()));

  Members const attributes{{with_zero("name"), with_zero("value")}};
  create_array<float, 1>(files, "c", {.shape = {1}, .chunks = {1}, .attributes = attributes});
  auto const found = open_array<float, 1>(files, "c").attributes();
  CHECK(found == attributes);
  CHECK(found.find("name") == nullptr);
}

}  // namespace waits_tests
