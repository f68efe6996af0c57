// DiskCachedStore: what it asks of its source, changes, damage, the budget, several processes, and full disks.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <support/child.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/disk_cached_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/wrapper_store.hpp>
#include <tessera/testing/store_conformance.hpp>

namespace disk_cached_store_tests {

using namespace tessera;
using test::HostQueue, test::put, test::value;
namespace fs = std::filesystem;

namespace {

// A store that knows versions, as a web server does: the value's length and first byte.
struct Far : WrapperStore<MemoryStore<HostBuffer>> {
  struct Calls {
    std::atomic<int> values{0}, versions{0}, batches{0};
    std::atomic<bool> fails{false}, has_versions{true};
  };
  std::shared_ptr<Calls> calls = std::make_shared<Calls>();
  Far() : WrapperStore{MemoryStore<HostBuffer>{}} {}

  std::string name() const { return "https://host/far"; }
  void get_many(std::span<ReadRequest<space::Host>> requests, HostQueue& on) const {
    ++calls->batches;
    if (calls->fails) throw StoreError{"the server answered 503"};
    for (auto& request : requests) {
      bool const is_version = request.range.from_end && request.range.size == 0;
      ++(is_version ? calls->versions : calls->values);
      request.size = source().read(*request.key, request.range, request.destination, on);
      if (request.size && request.version && calls->has_versions) {
        auto const whole = value(source(), request.key->path);
        *request.version = '"' + std::to_string(whole.size()) + (whole.empty() ? "" : whole.substr(0, 1)) + '"';
      }
    }
  }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> to, HostQueue& on) const {
    ReadRequest<space::Host> request{&key, range, to};
    get_many({&request, 1}, on);
    return request.size;
  }
  int values() const { return calls->values.exchange(0); }
  int versions() const { return calls->versions.exchange(0); }
};

std::vector<fs::path> files(std::string const& folder) {
  std::vector<fs::path> found;
  if (fs::exists(folder))
    for (auto const& one : fs::recursive_directory_iterator{folder})
      if (one.is_regular_file()) found.push_back(one.path());
  return found;
}
std::uint64_t bytes_below(std::string const& folder) {
  std::uint64_t sum = 0;
  for (auto const& file : files(folder)) sum += fs::file_size(file);
  return sum;
}
std::string content(int i) { return std::string(1000 + static_cast<std::size_t>(i), static_cast<char>('a' + i % 26)); }

}  // namespace

TEST_CASE("a DiskCachedStore passes the suite of all stores: validated, trusted, without versions, without room") {
  test::TemporaryFolder folder;
  int made = 0;
  for (bool const trusts : {false, true})
    for (bool const has_versions : {false, true})
      for (std::uint64_t const budget : {std::uint64_t{0}, std::uint64_t{1000}, std::uint64_t{1} << 30}) {
        auto const make = [&](testing::StoreValues const& values) {
          Far const far;
          far.calls->has_versions = has_versions;
          for (auto const& [key, bytes] : values) put(far.source(), key, bytes);
          return DiskCachedStore{far, folder / std::to_string(++made), {.budget = budget, .trusts = trusts}};
        };
        for (auto const& broken : testing::store_conformance(make)) FAIL_CHECK(broken);
      }
  CHECK(made > 10);
}

TEST_CASE("a kept value is not read again, by any store of the folder, and serves its ranges") {
  test::TemporaryFolder folder;
  Far const far;
  put(far.source(), "a", "0123456789");
  put(far.source(), "b", "");
  for (int round = 0; round < 2; ++round) {
    DiskCachedStore const store{AnyStore<HostBuffer>{far}, folder / "cache"};
    CHECK(store.name() == "https://host/far");
    CHECK(value(store, "a", {2, 3}) == "234");  // kept as a range
    CHECK(value(store, "a", {2, 3}) == "234");
    CHECK(value(store, "a") == "0123456789");
    CHECK(value(store, "a", {3, 100}) == "3456789");  // of the whole value
    CHECK(value(store, "a", ByteRange::suffix(2)) == "89");
    CHECK(value(store, "b").empty());
    CHECK(value(store, "none") == "(missing)");
    CHECK(far.values() == (round == 0 ? 4 : 1));  // missing keys are not kept
    CHECK(far.versions() == (round == 0 ? 3 : 6));
    CHECK(store.statistics().hits == (round == 0 ? 3 : 6));
    CHECK(store.statistics().misses == (round == 0 ? 4 : 1));
  }
  DiskCachedStore const trusting{far, folder / "cache", {.trusts = true}};
  CHECK(value(trusting, "a") == "0123456789");
  CHECK(far.values() + far.versions() == 0);
  trusting.clear();
  CHECK(files(folder / "cache").empty());
  CHECK(value(trusting, "a") == "0123456789");
  CHECK(far.values() == 1);
}

TEST_CASE("versions of a call are asked for at once, each key's once") {
  test::TemporaryFolder folder;
  Far const far;
  for (auto const* key : {"a", "b", "c"}) put(far.source(), key, "0123456789");
  DiskCachedStore const store{far, folder / "cache"};
  for (auto const* key : {"a", "b"}) value(store, key);
  far.calls->batches = far.calls->values = 0;
  HostQueue on;
  Key const a{"a"}, b{"b"}, c{"c"};
  std::vector<ReadRequest<space::Host>> requests;
  std::array<std::byte, 10> memory;
  auto to = [&](std::size_t n) { return ByteSpan<space::Host>{memory.data(), n}; };
  requests.push_back({&a, {0, 2}, to}), requests.push_back({&a, {4, 2}, to});
  requests.push_back({&b, {}, to}), requests.push_back({&c, {}, to});
  store.get_many(requests, on);
  CHECK(far.calls->batches == 2);
  CHECK(far.versions() == 2);
  CHECK(far.values() == 1);
  for (auto const& request : requests) CHECK(request.size.has_value());
}

TEST_CASE("changes of the source show, and values without a version are not kept") {
  test::TemporaryFolder folder;
  Far const far;
  DiskCachedStore const store{far, folder / "cache"};
  put(far.source(), "a", "old");
  CHECK(value(store, "a") == "old");
  put(far.source(), "a", "newer");
  CHECK(value(store, "a") == "newer");
  CHECK(value(store, "a", {1, 2}) == "ew");
  test::erase(far.source(), "a");
  CHECK(value(store, "a") == "(missing)");
  far.calls->has_versions = false;
  put(far.source(), "b", "value");
  far.values();
  CHECK(value(store, "b") == "value");
  CHECK(value(store, "b") == "value");
  CHECK(far.values() == 2);
  DiskCachedStore const trusting{far, folder / "cache", {.trusts = true}};
  CHECK(value(trusting, "b") == "value");
  put(far.source(), "b", "other");
  CHECK(value(trusting, "b") == "value");
}

TEST_CASE("a source that fails: the error is its own, and nothing is kept") {
  test::TemporaryFolder folder;
  Far const far;
  put(far.source(), "a", "value");
  DiskCachedStore const store{far, folder / "cache"};
  far.calls->fails = true;
  test::check_refused<StoreError>([&] { value(store, "a"); }, {"https://host/far", "key \"a\"", "503"});
  CHECK(files(folder / "cache").empty());
  far.calls->fails = false;
  CHECK(value(store, "a") == "value");
  far.calls->fails = true;  // a kept value is not used unless its version is known to be the same
  test::check_refused<StoreError>([&] { value(store, "a"); }, {"503"});
}

TEST_CASE("whatever becomes of a file, values are right") {
  test::TemporaryFolder folder;
  Far const far;
  put(far.source(), "a", "0123456789");
  DiskCachedStore const store{far, folder / "cache"};
  value(store, "a");
  REQUIRE(files(folder / "cache").size() == 1);
  auto const file = files(folder / "cache").front();
  std::ifstream from{file, std::ios::binary};
  std::string const good{std::istreambuf_iterator<char>{from}, {}};
  std::uint64_t damaged = 0;
  auto const check = [&](std::string const& bytes) {
    std::ofstream{file, std::ios::binary | std::ios::trunc} << bytes;
    CHECK(value(store, "a") == "0123456789");
    CHECK(store.statistics().damaged == ++damaged);
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    check(bad);
    check(good.substr(0, i));
    check(good + good.substr(i));
  }
  put(far.source(), "other", "9876543210");
  value(store, "other");
  for (auto const& one : files(folder / "cache"))  // as if two identities had one name
    if (one != file) fs::copy_file(one, file, fs::copy_options::overwrite_existing);
  CHECK(value(store, "a") == "0123456789");
  for (auto const size : {std::uint64_t{1} << 43, std::uint64_t{1} << 34}) {  // holes, as a broken file system has
    fs::resize_file(file, size);
    damaged = store.statistics().damaged;
    CHECK(value(store, "a") == "0123456789");
    CHECK(store.statistics().damaged == damaged + 1);
    CHECK(fs::file_size(file) < 1000);
  }
  fs::remove_all(folder / "cache");
  CHECK(value(store, "a") == "0123456789");
}

TEST_CASE("of a large file a range needs its blocks alone: damage elsewhere is not seen") {
  constexpr std::size_t block = std::size_t{64} << 10, size = 600 * block + 7;  // with sums of 4808 bytes
  test::TemporaryFolder folder;
  Far const far;
  std::string large(size, ' ');
  for (std::size_t i = 0; i < size; ++i) large[i] = static_cast<char>(i * 31 + i / block);
  put(far.source(), "a", large);
  DiskCachedStore const store{far, folder / "cache"};
  CHECK(value(store, "a") == large);
  CHECK(far.values() == 1);
  CHECK(value(store, "a") == large);
  REQUIRE(files(folder / "cache").size() == 1);
  auto const damage = [file = files(folder / "cache").front()](std::size_t at) {
    std::fstream into{file, std::ios::binary | std::ios::in | std::ios::out};
    into.seekg(static_cast<std::streamoff>(at));
    auto const byte = static_cast<char>(into.get() ^ 1);
    into.seekp(static_cast<std::streamoff>(at));
    into.put(byte);
  };
  damage(0), damage(3 * block), damage(599 * block);
  for (auto const& range : {ByteRange{block, 2 * block}, ByteRange{block + 1, 3}, ByteRange{2 * block - 1, 2},
                            ByteRange{600 * block, 7}, ByteRange{600 * block + 6, 100}})
    CHECK(value(store, "a", range) == large.substr(range.offset, range.size));
  CHECK(value(store, "a", ByteRange::suffix(7)) == large.substr(size - 7));
  CHECK(far.values() == 0);
  CHECK(store.statistics().damaged == 0);
  CHECK(value(store, "a", {3 * block + 5, 2}) == large.substr(3 * block + 5, 2));  // of the source
  CHECK(far.values() == 1);
  CHECK(store.statistics().damaged == 1);
  CHECK(value(store, "a", {3 * block + 5, 2}) == large.substr(3 * block + 5, 2));
  CHECK(far.values() == 0);
  CHECK(value(store, "a") == large);
  CHECK(far.values() == 1);
  for (std::size_t const at : {size, size + 200, size + 4700}) {  // what follows the value in the file
    damage(at);
    CHECK(value(store, "a") == large);
    CHECK(far.values() == 1);
  }
  CHECK(store.statistics().damaged == 4);
}

TEST_CASE("above the budget the least recently used files go, and no others of the folder") {
  test::TemporaryFolder folder;
  Far const far;
  for (int i = 0; i < 100; ++i) put(far.source(), std::to_string(i), content(i));
  fs::create_directories(folder / "cache/ab");
  for (auto const* mine : {"cache/notes", "cache/ab/notes"}) std::ofstream{folder / mine} << std::string(50'000, 'x');
  DiskCachedStore const store{far, folder / "cache", {.budget = 40'000}};
  auto const age = [&] {  // clocks may be too coarse to order them
    for (auto const& file : files(folder / "cache"))
      fs::last_write_time(file, fs::last_write_time(file) - std::chrono::seconds{10});
  };
  for (int i = 0; i < 100; ++i) {
    value(store, std::to_string(i));
    value(store, "0");
    age();
    CHECK(bytes_below(folder / "cache") <= 40'000 + 100'000);
  }
  CHECK(store.statistics().erased > 50);
  far.values();
  value(store, "0");
  value(store, "99");
  CHECK(far.values() == 0);
  value(store, "1");
  CHECK(far.values() == 1);
  CHECK(fs::exists(folder / "cache/notes"));
  store.clear();
  CHECK(files(folder / "cache").size() == 2);
}

TEST_CASE("the budget holds beside a folder that may not be read, such as lost+found") {
  test::TemporaryFolder folder;
  Far const far;
  for (int i = 0; i < 100; ++i) put(far.source(), std::to_string(i), content(i));
  fs::permissions(folder.path(), fs::perms::all);
  CHECK(test::in_child([&] {
    if (::geteuid() == 0 && ::seteuid(65534) != 0) return false;  // root may read all
    DiskCachedStore const store{far, folder / "cache", {.budget = 40'000}};
    value(store, "0");
    for (int i = 0; i < 20; ++i) {  // wherever it is in the order of the entries
      fs::create_directories(folder / ("cache/lost" + std::to_string(i)));
      fs::permissions(folder / ("cache/lost" + std::to_string(i)), fs::perms::none);
    }
    for (int i = 1; i < 100; ++i) value(store, std::to_string(i));
    bool const is_within = store.statistics().erased > 50;
    for (int i = 0; i < 20; ++i) fs::permissions(folder / ("cache/lost" + std::to_string(i)), fs::perms::all);
    return is_within;
  }));
}

TEST_CASE("processes share a folder: values are right, the budget holds, and a killed one leaves nothing wrong") {
  test::TemporaryFolder folder;
  Far const far;
  for (int i = 0; i < 60; ++i) put(far.source(), std::to_string(i), content(i));
  auto const reads = [&](unsigned seed, int rounds) {
    DiskCachedStore const store{far, folder / "cache", {.budget = 30'000, .trusts = seed % 2 == 0}};
    for (int i = 0; i < rounds; ++i) {
      seed = seed * 1664525 + 1013904223;
      auto const n = static_cast<int>((seed >> 16) % 60);
      if (value(store, std::to_string(n)) != content(n)) return false;
    }
    return store.statistics().damaged == 0;
  };
  std::vector<pid_t> children;
  for (unsigned i = 0; i < 4; ++i) {
    auto const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      ::alarm(60);
      ::_exit(reads(i, i == 3 ? 1 << 30 : 300) ? 0 : 1);
    }
    children.push_back(child);
  }
  int status = 0;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(::waitpid(children[static_cast<std::size_t>(i)], &status, 0) > 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
  ::kill(children[3], SIGKILL);
  REQUIRE(::waitpid(children[3], &status, 0) > 0);
  CHECK(WIFSIGNALED(status));
  CHECK(reads(5, 300));
  CHECK(bytes_below(folder / "cache") <= 30'000 * 5 / 4 + 2 * 1200);
}

TEST_CASE("a disk that is full, and a folder that is a file") {
  test::TemporaryFolder folder;
  Far const far;
  put(far.source(), "a", content(0));
  CHECK(test::in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit const few{100, 100};
    ::setrlimit(RLIMIT_FSIZE, &few);
    DiskCachedStore const store{far, folder / "cache"};
    return value(store, "a") == content(0) && value(store, "a") == content(0) && store.statistics().unwritten == 2;
  }));
  CHECK(files(folder / "cache").empty());
  std::ofstream{folder / "file"} << "x";
  test::check_refused<StoreError>([&] { DiskCachedStore{far, folder / "file"}; }, {(folder / "file").c_str()});
  test::check_refused<StoreError>([&] { DiskCachedStore{far, std::string{"s3://bucket"}}; }, {"s3://bucket"});
}

}  // namespace disk_cached_store_tests
