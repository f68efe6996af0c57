// The errors for a path without an array or group: what is there instead.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/store/detail/scheme.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;
using test::check_refused;

namespace missing_nodes_tests {
namespace {

using Local = LocalStore<HostBuffer>;

void put_file(std::string const& path, std::string const& content) {
  std::filesystem::create_directories(std::filesystem::path{path}.parent_path());
  std::ofstream{path} << content;
}

}  // namespace

TEST_CASE("a URL is no folder, and its scheme is named") {
  check_refused<StoreError>([] { Local{"s3://bucket/a"}; }, {"s3://bucket/a: ", "scheme \"s3\"", "expected a path"});
  check_refused<StoreError>([] { Local{"https://x.org/a.zarr"}; },
                            {"scheme \"https\"", "an HttpStore of tessera/with/curl.hpp reads this address"});
  check_refused<StoreError>([] { (void)open_group(std::string{"s3://b/x"}); },
                            {"an S3Store of tessera/with/s3.hpp reads and writes this address"});
  check_refused<StoreError>([] { Local{"simplecache::gs://a"}; }, {"scheme \"simplecache::gs\""});
  check_refused<StoreError>([] { Local{"file:///data/a"}; }, {"scheme \"file\"", "leave out \"file://\""});
  for (auto const* path : {"./s3://bucket/a", "a:b", "C:/a", "a/b://c"}) CHECK(Local{path}.name() == path);
  CHECK_FALSE(std::filesystem::exists("s3:"));
}

TEST_CASE("what may be a secret in a URL is not shown") {
  using detail::without_secrets;
  for (auto const& [given, shown] : std::initializer_list<std::pair<char const*, char const*>>{
           {"https://me:pass@x.org/a@b?sig=1&t=2", "https://x.org/a@b"},
           {"see http://x.org:80/a?b: 'http://u@[::1]:8/c?d' and s3://k:s@b",
            "see http://x.org:80/a 'http://[::1]:8/c' and s3://b"},
           {"https://me:pa/ss@x.org/a", "https://x.org/a"},
           {"https://me:pa?ss@x.org/a", "https://x.org/a"},
           {"https://me:pa#ss@x.org/a", "https://x.org/a"},
           {"/data/a?b@c", "/data/a?b@c"},
           {"", ""}})
    CHECK(without_secrets(given) == shown);
  try {
    Local{"https://me:pass@x.org/a?sig=1"};
  } catch (StoreError const& error) {
    CHECK(std::string{error.what()}.starts_with("https://x.org/a: found a URL"));
  }
}

TEST_CASE("a folder that is missing is said to be") {
  test::TemporaryFolder const folder;
  auto const open = [&](std::string const& root, std::string const& path) { (void)open_any(Local{root}, path); };
  check_refused<NodeNotFound>([&] { open(folder / "none", "t1"); },
                               {(folder / "none").c_str(), "key \"t1/zarr.json\"", "no array", "store's folder is missing"});
  check_refused<NodeNotFound>([&] { open(folder.path().string(), "t1"); }, {"no array", "its folder is missing"});
  check_refused<NodeNotFound>([&] { open_group(Local{folder / "none"}); }, {"no group", "store's folder is missing"});
  check_refused<NodeNotFound>([&] { get_attributes(Local{folder / "none"}, "a"); }, {"no node", "folder is missing"});
  check_refused<NodeNotFound>([&] { move_node(Local{folder.path().string()}, "a", "b"); }, {"its folder is missing"});
  std::filesystem::create_directories(folder / "t1");
  check_refused<NodeNotFound>([&] { open(folder.path().string(), "t1"); }, {"no array", "the document is missing"});
}

TEST_CASE("a folder that is missing is said to be by stores around one too") {
  test::TemporaryFolder const folder;
  Local const none{folder / "none"}, there{folder.path().string()};
  std::filesystem::create_directories(folder / "g/t1");
  auto const check = [](auto const& missing, auto const& found) {
    check_refused<NodeNotFound>([&] { open_any(missing, "t1"); }, {"no array", "store's folder is missing"});
    check_refused<NodeNotFound>([&] { open_any(found, "t2"); }, {"no array", "its folder is missing"});
    check_refused<NodeNotFound>([&] { open_any(found, "t1"); }, {"no array", "the document is missing"});
  };
  PrefixStore const g{there, "g"};
  check(PrefixStore{none, "g"}, g);
  check(PrefixStore{there, "h"}, g);
  check(ReadOnlyStore{none}, ReadOnlyStore{g});
  check(AnyStore<HostBuffer>{none}, AnyStore<HostBuffer>{g});
  check(SplitStore{PrefixStore{none, "g"}, there}, SplitStore{g, there});
  check(ReadOnlyStore{SplitStore{none, there}}, PrefixStore{SplitStore{there, there}, "g"});
  MemoryStore<HostBuffer> const memory;  // has no folders
  check_refused<NodeNotFound>([&] { open_any(PrefixStore{memory, "g"}, "a"); }, {"the document is missing"});
  check_refused<NodeNotFound>([&] { open_any(AnyStore<HostBuffer>{memory}, "a"); }, {"the document is missing"});
}

TEST_CASE("documents of Zarr v2 are named") {
  test::TemporaryFolder const folder;
  Local const store{folder.path().string()};
  put_file(folder / "g/.zgroup", R"({"zarr_format": 2})");
  put_file(folder / "g/a/.zarray", R"({"zarr_format": 2})");
  check_refused<MetadataError>([&] { open_any(store, "g/a"); }, {"key \"g/a/.zarray\"", "member shape is missing"});
  check_refused<NodeNotFound>([&] { open_any(store, "g"); },
                               {"key \"g/zarr.json\"", "no array", "found .zgroup of Zarr v2"});
  check_refused<NodeNotFound>([&] { open_group(store, "g/a"); }, {"no group", "found .zarray of Zarr v2"});
  MemoryStore<HostBuffer> const memory;
  test::put(memory, "a/.zattrs", "{}");
  check_refused<NodeNotFound>([&] { open_any(memory, "a"); }, {"found .zattrs of Zarr v2"});
  check_refused<NodeNotFound>([&] { open_any(memory, "b"); }, {"the document is missing"});
}

TEST_CASE("a file where the store's folder should be is refused, a zip file by name") {
  test::TemporaryFolder const folder;
  for (auto const* name : {"a.zarr", "b.zip"}) {
    put_file(folder / name, name[0] == 'a' ? "PK\003\004 and more" : "");
    check_refused<StoreError>([&] { open_any(Local{folder / name}); }, {name, "found a zip file, expected a folder"});
    check_refused<StoreError>([&] { test::put(Local{folder / name}, "k", "v"); }, {name, "found a zip file"});
  }
  put_file(folder / "c", "P");
  check_refused<StoreError>([&] { open_group(Local{folder / "c"}); }, {"found a file, expected a folder"});
}

TEST_CASE("files and folders of other formats are named, with what reads them") {
  using namespace std::string_literals;
  test::TemporaryFolder const folder;
  struct {
    std::string begin;
    char const *what, *advice;
  } const files[] = {
      {"PK\3\4 and more"s, "a zip file", "ZipStore of <tessera/with/zip.hpp>"},
      {"\x89HDF\r\n\x1a\n\0\0"s, "an HDF5 file", "h5py"},
      {"CDF\1\0\0"s, "a netCDF-3 file", "to_zarr"},
      {"CDF\2\0\0"s, "a netCDF-3 file", "to_zarr"},
      {"CDF\5\0\0"s, "a netCDF-3 file", "to_zarr"},
      {"SQLite format 3\0"s, "an SQLite file", "SQLiteStore"},
      {std::string(16, '\0') + "\xde\xc0\xef\xbe\1", "an LMDB file", "LMDBStore"},
      {R"({"version": 1, "refs": {".zgroup": "{\"zarr_format\":2}"}})", "kerchunk references", "fsspec"},
      {R"(  {".zgroup": "{\"zarr_format\":2}", "a/0": ["s3://x", 0, 4]})", "kerchunk references", "fsspec"}};
  for (auto const& file : files) {
    CAPTURE(std::string{file.what});
    put_file(folder / "file", file.begin);
    check_refused<StoreError>([&] { open_any(Local{folder / "file"}); }, {file.what, "expected a folder", file.advice});
    check_refused<StoreError>([&] { open_group(Local{folder / "file"}); }, {file.what});
  }
  for (auto const& other : {"CDF\3"s, "CDF"s, "PK"s, "\x89HDF"s, "[\"refs\"]"s, "refs"s, std::string(600, '\0'), ""s}) {
    put_file(folder / "file", other);
    check_refused<StoreError>([&] { open_any(Local{folder / "file"}); }, {"found a file, expected a folder"});
  }
  for (auto const& [key, what] : {std::pair{"attributes.json", "N5"},
                                  {"data.mdb", "LMDB"},
                                  {"repo", "Icechunk"},
                                  {"refs/branch.main/ref.json", "Icechunk"}})
    for (std::string const path : {"", "below/it"}) {
      MemoryStore<HostBuffer> const store;
      test::put(store, (path / std::string_view{key}).path, "x");
      check_refused<NodeNotFound>([&] { open_any(store, path); }, {"there is no array: found ", what});
      check_refused<NodeNotFound>([&] { open_group(store, path); }, {"there is no group: found ", what});
    }
}

TEST_CASE("an array of several fields is not supported, not broken") {
  MemoryStore<HostBuffer> const store;
  test::put(store, "zarr.json", R"({"zarr_format": 3, "node_type": "array", "shape": [2], "fill_value": 0,
    "data_type": [["a", "<i4"], ["b", "<f8"]], "chunk_key_encoding": {"name": "default"}, "codecs": ["bytes"],
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}}})");
  try {
    open_any(store);
    FAIL("opened");
  } catch (MetadataError const& error) {
    CHECK(error.unsupported() == "data type of several fields");
  }
}

}  // namespace missing_nodes_tests
