// Addresses of folders, zip files, buckets and web servers; schemes as a list of types.
#include <filesystem>
#include <fstream>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <support/http_server.hpp>
#include <support/refused.hpp>
#include <support/s3_server.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/addresses.hpp>
#include <tessera/with/writable_zip.hpp>

using namespace tessera;
using test::check_refused;

namespace address_tests {
namespace {

std::vector<float> const numbers{1, 2, 3, 4, 5, 6};

template <class S>
void make(S const& store) {
  create<float, 2>(store, "g/a", {.shape = {2, 3}, .chunks = {1, 3}}).write(all, numbers);
}
void check(std::string const& address, S3Options const& options = {}) {
  CAPTURE(address);
  CHECK(open_address<float, 2>(address, options).read(all)(1, 2) == 6);
  CHECK(open_address(address, options).type() == DataType{DataKind::floating, 4});
}

}  // namespace

TEST_CASE("a file of another host leads to no secret") {
  S3Options const given{.bearer = "b", .sas = "sig=s", .http = {.headers = {"x-key: h"}}};
  for (std::string const address : {"az://account/b", "abfs://b@account", "s3://b", "gs://b"}) {
    auto const options = detail::without_secrets_for(address, given);
    CHECK(options.bearer.empty());
    CHECK(options.sas.empty());
    CHECK(options.http.headers.empty());
    CHECK(options.anonymous == address.starts_with('a'));  // else AZURE_STORAGE_SAS_TOKEN would be sent
    struct Access {  // as of the command
      std::vector<std::string> headers;
      bool anonymous;
    };
    auto const access = detail::without_secrets_for(address, Access{{"x-key: h"}, false});
    CHECK(access.headers.empty());
    CHECK(access.anonymous == address.starts_with('a'));
  }
}

TEST_CASE("an array is opened by its address, in a folder and in a zip file") {
  test::TemporaryFolder folder;
  auto const path = folder / "with space.zarr", zip = folder / "a.zarr.zip";
  make(LocalStore<HostBuffer>{path});
  WritableZipStore const store{zip};
  make(store);
  store.flush();
  check(path + "/g/a");
  check("file://" + (folder / "with%20space.zarr/g/a"));
  check(zip + "/g/a");
  check("file://" + zip + "/g/a");
  check(zip + "//g/a/");
  auto const at = open_store(zip + "/g");
  CHECK(at.path == "g");
  CHECK(open_group(at.store, at.path).children().front().name == "a");
  CHECK(open_store(zip).path.empty());
  check_refused<StoreError>([&] { open_store("file://host/a"); }, {"file://host/a", "file:///path"});
  check_refused<StoreError>([&] { open_store("file:///a%2"); }, {"hexadecimal"});
  check_refused<NodeNotFound>([&] { open_address(path + "/g/b"); }, {"with space.zarr/g/b", "missing"});
}

TEST_CASE("an array is opened by its address in a bucket") {
  if (!test::has_s3("addresses of buckets")) return;
  test::S3Server const server;
  make(server.at("volume.zarr"));
  check("s3://tests/volume.zarr/g/a", server.options());
  auto const at = open_store("s3://tests/volume.zarr", server.options());
  at.store.write({"g/note"}, {}, *std::make_unique<Queue<space::Host>>());
  CHECK(test::value(server.at("volume.zarr"), "g/note").empty());
}

TEST_CASE("an array in a zip file is opened by its address on a web server and in a bucket") {
  test::TemporaryFolder folder;
  WritableZipStore const zip{folder / "a b.zarr.zip"};
  make(zip);
  zip.flush();
  test::HttpServer server{folder.path().string()};
  check(server.at("plain/-/a%20b.zarr.zip/g/a"));
  check(server.at("plain/-/a%20b.zarr.zip/g/a?signed=yes"));
  CHECK(open_store(server.at("plain/-/a%20b.zarr.zip")).path.empty());
  make(LocalStore<HostBuffer>{folder / "folder.zip"});  // a folder of such a name
  check(server.at("plain/-/folder.zip/g/a"));
  if (!test::has_s3("zip files in buckets")) return;
  test::S3Server const bucket;
  Queue<space::Host> on;
  auto const bytes = *get_value(LocalStore<HostBuffer>{folder / ""}, {"a b.zarr.zip"}, on);
  bucket.at("").write({"a b.zarr.zip"}, bytes.view(), on);
  check("s3://tests/a b.zarr.zip/g/a", bucket.options());
}

TEST_CASE("an array is opened by the address of a references file: its chunks are on disk, on a server, in a bucket") {
  test::TemporaryFolder folder;
  auto const bytes = [](std::size_t first) {
    return std::string{reinterpret_cast<char const*>(numbers.data() + first), 3 * sizeof(float)};
  };
  std::ofstream{folder / "old data.nc", std::ios::binary} << "HDF" << bytes(3) << bytes(0);
  auto const write = [&](std::string const& name, std::string const& where) {
    std::ofstream{folder / name} << R"({"version": 1, "templates": {"u": ")" << where << R"("}, "refs": {
      "g/a/.zarray": {"zarr_format": 2, "shape": [2, 3], "chunks": [1, 3], "dtype": "<f4", "order": "C",
                      "compressor": null, "filters": null, "fill_value": 0},
      "g/a/0.0": ["{{u}}", 15, 12], "g/a/1.0": ["{{u}}", 3, 12]}})";
  };
  test::HttpServer server{folder.path().string()};
  write("path.json", folder / "old data.nc");
  write("relative.json", "old data.nc");
  write("web.json", server.at("plain/-/old%20data.nc?signed=yes"));
  for (std::string const name : {"path.json", "relative.json", "web.json"}) {
    check(folder / (name + "/g/a"));
    check("file://" + (folder / (name + "/g/a")));
  }
  check(server.at("plain/-/relative.json/g/a"));
  check(server.at("plain/-/web.json/g/a"));
  check_refused<StoreError>([&] { open_address<float, 2>(server.at("plain/-/path.json/g/a")).read(all); },
                            {"may not name files of this machine"});
  CHECK(open_store(folder / "none.json").store.name() == (folder / "none.json"));  // a folder that may be made
  if (!test::has_s3("references to buckets")) return;
  test::S3Server const bucket;
  Queue<space::Host> on;
  LocalStore<HostBuffer> const files{folder / ""};
  bucket.at("").write({"x/old data.nc"}, get_value(files, {"old data.nc"}, on)->view(), on);
  write("bucket.json", "s3://tests/x/old data.nc");
  bucket.at("").write({"x/refs.json"}, get_value(files, {"relative.json"}, on)->view(), on);
  check(folder / "bucket.json/g/a", bucket.options());
  check("s3://tests/x/refs.json/g/a", bucket.options());
}

TEST_CASE("other hosts than that of a references file get no headers") {
  test::TemporaryFolder folder;
  std::ofstream{folder / "data"} << "1234";
  test::HttpServer one{folder.path().string()}, other{folder.path().string()};
  std::ofstream{folder / "refs.json"} << R"({"a": [")" << one.at("token/-/data") << R"("], "b": [")"
                                      << other.at("token/-/data") << R"("]})";
  HttpOptions const secret{.headers = {"Authorization: Bearer open"}};
  auto const refs = open_store(one.at("plain/-/refs.json"), secret).store;
  CHECK(test::value(refs, "a") == "1234");
  check_refused<StoreError>([&] { test::value(refs, "b"); }, {"401"});
}

TEST_CASE("an address whose scheme is not listed is refused, with the header that would open it") {
  using Paths = Schemes<scheme::Folder>;
  auto const of = [](std::string const& address) { return test::error_of([&] { open_store<Paths>(address); }); };
  CHECK(of("s3://bucket/a").find("s3://bucket/a: \"s3://\" is not among this program's schemes; list scheme::S3 of "
                                 "<tessera/with/s3.hpp>") != std::string::npos);
  CHECK(of("https://user:password@host/a?token=1").find("scheme::Http") != std::string::npos);
  CHECK(of("https://user:password@host/a?token=1").find("password") == std::string::npos);
  CHECK(of("gs://bucket/a").find("\"gs://\" is not among") != std::string::npos);
  CHECK(test::error_of([] { open_store<Schemes<scheme::Http>>("a/b"); }).find("paths are not among") !=
        std::string::npos);
  CHECK(open_store<Paths>("./s3://a", LocalOptions{.fsync = true}).store.name() == "./s3://a");
  CHECK(open_store("https://host/a.zarr").store.name() == "https://host/a.zarr");
}

}  // namespace address_tests
