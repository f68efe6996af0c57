// Sources besides folders: web servers, buckets and zip files.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "node.hpp"

namespace cli {

/// The node that a path or an address names, for reading only: in a folder, as find_node finds it; below a zip file or
/// a references file, also at an address; or at http://, https:// or s3://, where the store begins at the node itself.
/// Throws: tessera::StoreError, if there is no node at a path (for the others, opening the node reports it);
/// UsageError, if the command was built without the reader.
Node find_source(std::string const& path, Files const& files);

/// Throws: tessera::StoreError, if it is not one; UsageError, as above. Defined in http.cpp, s3.cpp and zip.cpp, or
/// no_http.cpp, no_s3.cpp and no_zip.cpp.
tessera::AnyStore<tessera::HostBuffer> http_store(std::string const& address, Access const& access);
tessera::AnyStore<tessera::HostBuffer> s3_store(std::string const& address, Access const& access);
tessera::AnyStore<tessera::HostBuffer> zip_store(std::string const& path);
/// nullopt: the store has no such value.
std::optional<tessera::AnyStore<tessera::HostBuffer>> zip_store_in(tessera::AnyStore<tessera::HostBuffer> store,
                                                                   std::string const& file);

/// A zip file to be written, which is there from `flush` on.
struct NewZip {
  tessera::AnyStore<tessera::HostBuffer> store;
  std::function<void()> flush;
};
NewZip new_zip(std::string const& path, bool overwrite, bool sync);

}  // namespace cli
