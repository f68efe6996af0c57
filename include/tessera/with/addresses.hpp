// open_address: opens the array at an address: in a folder, a zip file, a bucket, or on a web server. Needs the
// libraries of with/all.hpp, libzip, libcurl and libcrypto: link tessera::all, tessera::zip and tessera::s3.
#pragma once
#include <cstddef>
#include <string>
#include <utility>

#include <tessera/store/schemes.hpp>
#include <tessera/with/curl.hpp>
#include <tessera/with/detail/arrays.hpp>
#include <tessera/with/icechunk.hpp>
#include <tessera/with/references.hpp>
#include <tessera/with/s3.hpp>
#include <tessera/with/zip.hpp>

namespace tessera { inline namespace v0 {

/// Every kind of address that tessera supports: "s3://bucket/a.zarr/t1", "https://host/a.zarr/t1", "a.zarr.zip/t1",
/// "https://host/a.zarr.zip/t1", "a.zarr/t1", "file:///data/a.zarr/t1".
using AllSchemes = Schemes<scheme::ZipAt<scheme::S3>, scheme::ZipAt<scheme::Http>, scheme::S3, scheme::Http,
                           scheme::Zip, scheme::Folder>;

/// The store at an address, for groups, or to write: `open_group(at.store, at.path)`. A name in .json is that of a
/// references file, "https://host/refs.json/t1" (open_references). "s3://bucket/repository|icechunk://branch.main/t1"
/// is a snapshot of an Icechunk repository (open_icechunk_at). Throws: as open_store of a list.
template <class... Options>
StoreAt open_store(std::string const& address, Options const&... options) {
  if (auto found = open_icechunk_at<AllSchemes>(address, options...)) return *std::move(found);
  if (auto found = open_references<AllSchemes>(address, options...)) return *std::move(found);
  return open_store<AllSchemes>(address, options...);
}

/// The array at an address, with every codec: `open_address<float, 3>("s3://bucket/a.zarr/t1", S3Options{...})`. It is
/// opened for host memory; `through` opens it for another space. Throws: as open_store, and as open.
template <class T, std::size_t Rank, class... Options>
auto open_address(std::string const& address, Options const&... options) {
  auto at = open_store(address, options...);
  return open<T, Rank>(std::move(at.store), std::move(at.path));
}
/// The same for an array whose type only the file has, for `visit`.
template <class... Options>
auto open_address(std::string const& address, Options const&... options) {
  auto at = open_store(address, options...);
  return open(std::move(at.store), std::move(at.path));
}

}}  // namespace tessera::v0
