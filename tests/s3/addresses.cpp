// Addresses of folders, zip files, buckets and web servers; schemes as a list of types.
#include <filesystem>
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
