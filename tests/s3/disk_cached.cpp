// A DiskCachedStore of a bucket: what is kept is used as long as the object has the same ETag.
#include <string>

#include <doctest/doctest.h>

#include <support/s3_server.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/store/disk_cached_store.hpp>
#include <tessera/with/s3.hpp>

using namespace tessera;
using test::value;

TEST_CASE("objects of a bucket are kept on disk, until they change") {
  if (!test::has_s3("a cache on disk of a bucket")) return;
  test::TemporaryFolder folder;
  test::S3Server const server;
  auto const bucket = server.at("cached");
  test::put(bucket, "a", "0123456789");
  DiskCachedStore const store{bucket, folder / "cache"};
  for (int i = 0; i < 3; ++i) {
    CHECK(value(store, "a") == "0123456789");
    CHECK(value(store, "a", {2, 3}) == "234");
  }
  CHECK(store.statistics().misses == 1);
  CHECK(store.statistics().hits == 5);
  test::put(bucket, "a", "9876543210");
  CHECK(value(store, "a", {2, 3}) == "765");
  CHECK(value(store, "none") == "(missing)");
}
