// WritableZipStore: the suite of all stores, random changes, whole files whatever happens, OME-Zarr's order, zip64.
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/tessera.hpp>
#include <tessera/testing/store_conformance.hpp>
#include <tessera/with/all.hpp>
#include <tessera/with/writable_zip.hpp>
#include <tessera/with/zip.hpp>
#include <zip/written_zip.hpp>

using namespace tessera;
using test::check_refused;
using test::value;

namespace {

bool is_folder_lost = false;  // folders cannot be synchronised

}  // namespace

// In place of the C library's.
extern "C" int fsync(int file) {
  struct stat info {};
  if (is_folder_lost && ::fstat(file, &info) == 0 && S_ISDIR(info.st_mode)) return errno = EIO, -1;
  return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace zip_tests {
namespace {

// Names in the order of the directory, after libzip's own check of the file.
std::vector<std::string> checked_names(std::string const& path, std::string* comment = nullptr) {
  int error = 0;
  auto* const archive = zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &error);
  REQUIRE(error == 0);
  std::vector<std::string> names;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive, 0); ++i)
    names.emplace_back(zip_get_name(archive, static_cast<zip_uint64_t>(i), 0));
  int size = 0;
  if (auto const* const text = zip_get_archive_comment(archive, &size, 0); text && comment)
    comment->assign(text, static_cast<std::size_t>(size));
  zip_discard(archive);
  return names;
}

std::size_t hidden_files(test::TemporaryFolder const& folder) {
  std::size_t count = 0;
  for (auto const& entry : std::filesystem::directory_iterator{folder.path()})
    count += entry.path().filename().string().starts_with(".tessera-");
  return count;
}

}  // namespace

TEST_CASE("a zip file that is written passes the suite of all stores") {
  test::TemporaryFolder folder;
  int made = 0;
  for (auto const& broken :
       testing::store_conformance([&] { return WritableZipStore{folder / std::to_string(++made)}; }))
    FAIL_CHECK(broken);
  CHECK(made > 10);
}

TEST_CASE("random changes and flushes: this store, its file and a map agree") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    test::TemporaryFolder folder;
    auto const path = folder / "a.zip";
    if (seed % 2) write_zip(path, {{"a/0", "stored"}, {"a/1", long_text(5000), ZIP_CM_DEFLATE}, {"no//key", "x"}});
    std::map<std::string, std::string> expected, flushed;
    if (seed % 2) expected = {{"a/0", "stored"}, {"a/1", long_text(5000)}};
    flushed = expected;
    WritableZipStore const store{path};
    auto const check = [](auto const& there, std::map<std::string, std::string> const& values) {
      std::vector<std::string> all;
      for (auto const& [key, bytes] : values) {
        all.push_back(key + ':' + std::to_string(bytes.size()));
        CHECK(value(there, key) == bytes);
        if (bytes.size() > 3) CHECK(value(there, key, {1, 2}) == bytes.substr(1, 2));
      }
      CHECK(test::listed(there, "") == all);
    };
    for (int step = 0; step < 60; ++step) {
      auto const key = std::string{"ab"}.substr(random() % 2, 1) + '/' + std::to_string(random() % 6);
      switch (random() % 5) {
        case 0:
          CHECK(test::erase(store, key) == (expected.erase(key) == 1));
          break;
        case 1:
          if (random() % 4) break;
          store.flush();
          flushed = expected;
          check(ZipStore{path}, expected);
          break;
        default:
          expected[key] = long_text(random() % 3000);
          test::put(store, key, expected[key]);
      }
      if (std::filesystem::exists(path) && step % 10 == 0) check(ZipStore{path}, flushed);
    }
    check(store, expected);
    store.flush();
    CHECK(checked_names(path).size() == expected.size());
    check(WritableZipStore{path}, expected);
    CHECK(hidden_files(folder) == 0);
  }
}

TEST_CASE("arrays and groups are created, written in part, resized and read again") {
  test::TemporaryFolder folder;
  auto const path = folder / "a.zarr.zip";
  {
    WritableZipStore const store{path};
    create_group(store, "g", {{"state", "new"}});
    auto const array = create_array<std::int32_t, 2>(
        store, "g/a", {.shape = {8, 6}, .chunks = {4, 3}},
        Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes, codec::Zstd>>>{
            codec::Sharding<Pipeline<space::Host, codec::Bytes, codec::Zstd>>{{2, 3}}});
    array.write({{1, 7}, {1, 5}}, std::vector<std::int32_t>(24, 7));
    array.resize({10, 6});
    store.flush();
  }
  ZipStore const read{path};
  CHECK(open_group(read, "g").attributes().get("state", "") == "new");
  auto const array = open_any<AllCodecs>(read, "g/a").as<std::int32_t, 2>().read(all);
  CHECK(array.shape() == Extents{10, 6});
  CHECK((array(1, 1) == 7 && array(6, 4) == 7 && array(0, 0) == 0 && array(9, 5) == 0));
}

TEST_CASE("without a flush, and when the writer is killed, the old file stays as it was") {
  test::TemporaryFolder folder;
  auto const path = folder / "a.zip";
  write_zip(path, {{"k", "old"}});
  auto const before = bytes_of(path);
  {
    WritableZipStore const store{path};
    test::put(store, "k", "new");
    CHECK(value(store, "k") == "new");
    CHECK(value(ZipStore{path}, "k") == "old");
    CHECK(hidden_files(folder) == 1);
  }
  CHECK(hidden_files(folder) == 0);
  auto const child = ::fork();
  if (child == 0) {
    WritableZipStore const store{path};
    test::put(store, "k", "newer");
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(bytes_of(path) == before);
  CHECK(hidden_files(folder) == 1);
  LocalStore<HostBuffer>{folder.path().string()}.erase_unfinished("");
  CHECK(hidden_files(folder) == 0);
}

TEST_CASE("a flush that fails says where, and succeeds when it is called again") {
  test::TemporaryFolder folder;
  auto const path = folder / "a.zip";
  write_zip(path, {{"old", long_text(40000)}, {"other", "2"}});
  auto const before = bytes_of(path);
  WritableZipStore const store{path};
  test::put(store, "k", "new");
  std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit usual {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &usual) == 0);
  struct rlimit const low { 20000, usual.rlim_max };
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &low) == 0);
  auto const of_write = test::error_of([&] { test::put(store, "large", long_text(30000)); });
  auto const of_flush = test::error_of([&] { store.flush(); });
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &usual) == 0);
  std::signal(SIGXFSZ, SIG_DFL);
  CHECK(of_write.find("a.zip: key \"large\": cannot write the zip file") != std::string::npos);
  CHECK(of_flush.find("a.zip: key \"old\": cannot write the zip file") != std::string::npos);
  CHECK(bytes_of(path) == before);
  store.flush();
  CHECK(checked_names(path) == std::vector<std::string>{"k", "old", "other"});
  CHECK(value(ZipStore{path}, "old") == long_text(40000));
}

TEST_CASE("a flush whose name a loss of power may undo is an error, until one succeeds") {
  test::TemporaryFolder folder;
  auto const path = folder / "a.zip";
  WritableZipStore const store{path, {.fsync = true}};
  test::put(store, "k", "v");
  is_folder_lost = true;
  for (int i = 0; i < 2; ++i) check_refused<StoreError>([&] { store.flush(); }, {"a.zip", "cannot synchronise"});
  is_folder_lost = false;
  store.flush();
  CHECK(value(ZipStore{path}, "k") == "v");
}

TEST_CASE("an .ozx file has its documents first, the root's before those below, and the version of OME-Zarr") {
  test::TemporaryFolder folder;
  auto const path = folder / "image.ozx";
  WritableZipStore const store{path};
  test::put(store, "0/c/0", "chunk");
  test::put(store, "a/b/zarr.json", "{}");
  test::put(store, "b/zarr.json", "{}");
  test::put(store, "a/zarr.json", "{}");
  test::put(store, "zarr.json", R"({"attributes": {"ome": {"version": "0.5"}}})");
  store.flush();
  std::string comment;
  CHECK(checked_names(path, &comment) == std::vector<std::string>{"zarr.json", "a/zarr.json", "b/zarr.json",
                                                                  "a/b/zarr.json", "0/c/0"});
  auto const ome = parse_json(comment)["ome"];
  CHECK(ome.get("version", "") == "0.5");
  CHECK(ome["zipFile"]["centralDirectory"].get("jsonFirst", false));
  test::erase(store, "zarr.json");
  store.flush();
  checked_names(path, &comment);
  CHECK(parse_json(comment)["ome"].get("version", "none") == "none");
}

TEST_CASE("an .ozx file keeps its version if the root is deflated, and leaves out one that is no version") {
  test::TemporaryFolder folder;
  auto const path = folder / "image.ozx";
  auto const version = [&] {
    std::string comment;
    checked_names(path, &comment);
    return parse_json(comment)["ome"].get("version", "none");
  };
  write_zip(path, {{"zarr.json", R"({"attributes": {"ome": {"version": "0.5"}}})", ZIP_CM_DEFLATE}});
  WritableZipStore const store{path};
  test::put(store, "a", "b");
  store.flush();
  CHECK(version() == "0.5");
  for (auto const& document :
       {R"({"attributes": {"ome": {"version": ")" + std::string(70000, '9') + R"("}}})", std::string{"{"}}) {
    test::put(store, "zarr.json", document);
    store.flush();
    CHECK(version() == "none");
    CHECK(value(ZipStore{path}, "zarr.json") == document);
  }
}

TEST_CASE("a child of fork() leaves the file to its parent") {
  test::TemporaryFolder folder;
  auto const path = folder / "a.zip";
  WritableZipStore store{path};
  test::put(store, "k", "value");
  auto const child = ::fork();
  if (child == 0) {
    auto const refused = test::error_of([&] { test::put(store, "k", "other"); });
    { auto const last = std::move(store); }
    ::_exit(refused.find("another process") == std::string::npos);
  }
  int status = 1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  store.flush();
  CHECK(value(ZipStore{path}, "k") == "value");
}

TEST_CASE("the file is the one that the path named when the store was made") {
  test::TemporaryFolder one, other;
  auto const before = std::filesystem::current_path();
  std::filesystem::current_path(one.path());
  WritableZipStore const first{"a.zip"};
  test::put(first, "k", "first");
  std::filesystem::current_path(other.path());
  WritableZipStore const second{"b.zip"};
  test::put(second, "k", "second");
  std::filesystem::create_symlink("b.zip", "link.zip");
  first.flush(), second.flush();
  WritableZipStore const linked{"link.zip"};
  test::put(linked, "l", "third");
  linked.flush();
  std::filesystem::current_path(before);
  CHECK(value(ZipStore{one / "a.zip"}, "k") == "first");
  CHECK(value(ZipStore{other / "b.zip"}, "k") == "second");
  CHECK(value(ZipStore{other / "b.zip"}, "l") == "third");
  CHECK(std::filesystem::is_symlink(other / "link.zip"));
}

TEST_CASE("a new file replaces none that appeared meanwhile, unless it shall overwrite") {
  test::TemporaryFolder folder;
  auto const path = folder / "a.zip";
  WritableZipStore const store{path}, over{path, {.overwrite = true}};
  test::put(store, "k", "store");
  test::put(over, "k", "over");
  write_bytes(path, "no zip file");
  check_refused<StoreError>([&] { store.flush(); }, {"a.zip", "File exists"});
  CHECK(bytes_of(path) == "no zip file");
  over.flush();
  CHECK(value(ZipStore{path}, "k") == "over");
  CHECK(value(WritableZipStore{path, {.overwrite = true}}, "k") == "(missing)");
}

TEST_CASE("more than 65535 values, and values and offsets beyond 4 GiB, have records of zip64") {
  test::TemporaryFolder folder;
  auto const many = folder / "many.zip", large = folder / "large.zip";
  {
    WritableZipStore const store{many};
    for (int i = 0; i < 65540; ++i) test::put(store, "c/" + std::to_string(i), "v");
    store.flush();
  }
  CHECK(checked_names(many).size() == 65540);
  CHECK(value(ZipStore{many}, "c/65539") == "v");
  {
    detail::ZipWriter writer{large};
    constexpr std::uint64_t size = 5'000'000'000;  // of a sparse file, which zeros read from
    std::vector<detail::ZipRecord> records{writer.begun({.name = "zeros", .stored = size, .size = size})};
    auto const bytes = test::bytes("behind");
    records.push_back(writer.add("behind", test::view(bytes)));
    writer.finish({&records[0], &records[1]}, "", false, false, [](std::string const&) {});
  }
  CHECK(checked_names(large) == std::vector<std::string>{"zeros", "behind"});
  ZipStore const store{large};
  CHECK(value(store, "behind") == "behind");
  CHECK(value(store, "zeros", {4'999'999'990, 5}) == std::string(5, '\0'));
  test::HostQueue on;
  CHECK(store.size({"zeros"}, on) == 5'000'000'000);
}

TEST_CASE("threads write while others flush: every value that was written is in the file") {
  test::TemporaryFolder folder;
  auto const path = folder / "a.zip";
  WritableZipStore const store{path};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        test::put(store, std::to_string(t) + '/' + std::to_string(i), long_text(static_cast<std::size_t>(i) * 20));
        if (i % 10 == 9) store.flush();
      }
    });
  for (auto& thread : threads) thread.join();
  store.flush();
  CHECK(checked_names(path).size() == 200);
  for (int i = 0; i < 50; ++i)
    CHECK(value(ZipStore{path}, "2/" + std::to_string(i)) == long_text(static_cast<std::size_t>(i) * 20));
}

TEST_CASE("what cannot be written is refused by name") {
  test::TemporaryFolder folder;
  check_refused<StoreError>([&] { WritableZipStore{folder / "none/a.zip"}; }, {"none/a.zip", "make a file"});
  check_refused<StoreError>([&] { WritableZipStore{folder.path().string()}; }, {"found a folder"});
  check_refused<StoreError>([&] { WritableZipStore{"https://host/a.zip"}; }, {"https://host/a.zip"});
  WritableZipStore const store{folder / "a.zip"};
  check_refused<StoreError>([&] { test::put(store, std::string(70000, 'k'), "v"); }, {"at most 65535 bytes"});
}

}  // namespace zip_tests
