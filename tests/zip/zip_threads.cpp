// A ZipStore read by several threads at once, and arrays over it.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>
#include <tessera/with/zip.hpp>
#include <zip/written_zip.hpp>

// libzip queries the time zone when it reads a directory, and ThreadSanitizer does not see glibc's lock around that.
extern "C" {
char const* __tsan_default_suppressions();
char const* __tsan_default_suppressions() { return "race:tzset_internal\nrace:__tzfile_read\n"; }
}

using namespace tessera;
using test::value;

namespace zip_tests {
namespace {

using Inner = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
using Shards = Pipeline<space::Host, codec::Sharding<Inner>>;

// How often this process has the file open.
std::ptrdiff_t times_open(std::string const& path) {
  std::filesystem::directory_iterator const files{"/proc/self/fd"};
  return std::count_if(begin(files), end(files), [&](auto const& file) {
    std::error_code gone;
    return std::filesystem::read_symlink(file, gone) == std::filesystem::canonical(path);
  });
}

std::vector<Entry> entries_of(MemoryStore<HostBuffer> const& store, zip_int32_t method) {
  std::vector<Entry> entries;
  store.list("", [&](Listed const& entry) { entries.push_back({std::string{entry.path}, "", method}); });
  for (auto& entry : entries) entry.value = value(store, entry.name);
  return entries;
}

// Some boxes of an array of 96 x 80.
void check_same(auto const& array, std::vector<std::int32_t> const& expected) {
  for (auto const& [top, bottom, left, right] :
       {std::array{0, 96, 0, 80}, {3, 4, 5, 77}, {50, 90, 41, 42}, {47, 49, 39, 41}, {95, 96, 79, 80}}) {
    auto const read = array.read({{top, bottom}, {left, right}});
    std::size_t wrong = 0;
    for (int i = top; i < bottom; ++i)
      for (int j = left; j < right; ++j)
        wrong += read(i - top, j - left) != expected[static_cast<std::size_t>(i * 80 + j)];
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("8 threads are within a read at once, of one open file") {
  test::TemporaryFolder folder;
  auto const path = folder / "a.zip";
  std::vector<Entry> entries;
  for (int i = 0; i < 8; ++i)
    entries.push_back(
        {std::to_string(i), long_text(20'000 + static_cast<std::size_t>(i)), i % 2 ? ZIP_CM_STORE : ZIP_CM_DEFLATE});
  write_zip(path, entries);
  ZipStore const store{path};
  std::mutex mutex;
  std::condition_variable changed;
  int within = 0;
  std::atomic<int> met = 0, right = 0;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 8; ++i)
    threads.emplace_back([&, i, mine = store] {
      Queue<space::Host> on;
      std::string read;
      mine.read(
          {entries[i].name}, {},
          [&](std::size_t size) {
            std::unique_lock lock{mutex};
            ++within;
            changed.notify_all();
            bool const is_met = changed.wait_for(lock, std::chrono::seconds{30}, [&] { return within >= 8; });
            met += is_met;
            if (!is_met) within = 8;  // the others need not wait as long
            read.resize(size);
            return ByteSpan<space::Host>{reinterpret_cast<std::byte*>(read.data()), size};
          },
          on);
      right += read == entries[i].value;
      for (std::size_t k = 0; k < 200; ++k) {
        auto const& other = entries[(i * 3 + k) % 8];
        if (k % 2 == 0) right += value(mine, other.name) == other.value;
        if (k % 2 == 1) right += value(mine, other.name, {k * 90, 100}) == other.value.substr(k * 90, 100);
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(met == 8);
  CHECK(right == 8 * 201);
  CHECK(times_open(path) == 1);
}

TEST_CASE("arrays of shards and of plain chunks are read whole and in part, on a queue of 8 threads") {
  test::TemporaryFolder folder;
  MemoryStore<HostBuffer> const memory;
  std::vector<std::int32_t> numbers(96 * 80);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int32_t>(i * i % 10007);
  create_array<std::int32_t, 2>(memory, "plain", {.shape = {96, 80}, .chunks = {32, 40}}).write(all, numbers);
  create_array<std::int32_t, 2>(memory, "shards", {.shape = {96, 80}, .chunks = {48, 40}},
                                Shards{codec::Sharding<Inner>{{8, 8}}})
      .write(all, numbers);
  for (auto const method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    auto const path = folder / std::to_string(method) + ".zip";
    write_zip(path, entries_of(memory, method));
    check_same(open_array<std::int32_t, 2>(ZipStore{path}, "plain", Queue<space::Host>{8}), numbers);
    check_same(open_array<std::int32_t, 2, Shards>(ZipStore{path}, "shards", Queue<space::Host>{8}), numbers);
  }
}

}  // namespace zip_tests
