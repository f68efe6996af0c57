#include <tessera/with/writable_zip.hpp>
#include <tessera/with/zip.hpp>

#include "address.hpp"

namespace cli {

tessera::AnyStore<tessera::HostBuffer> zip_store(std::string const& path) { return tessera::ZipStore{path}; }

NewZip new_zip(std::string const& path, bool overwrite, bool sync) {
  tessera::WritableZipStore const store{path, {.fsync = sync, .overwrite = overwrite}};
  return {store, [store] { store.flush(); }};
}

}  // namespace cli
