#include <tessera/with/writable_zip.hpp>
#include <tessera/with/zip.hpp>

#include "address.hpp"

namespace cli {

tessera::AnyStore<tessera::HostBuffer> zip_store(std::string const& path) { return tessera::ZipStore{path}; }
std::optional<tessera::AnyStore<tessera::HostBuffer>> zip_store_in(tessera::AnyStore<tessera::HostBuffer> store,
                                                                   std::string const& file) {
  auto found = tessera::ZipStore::find(std::move(store), {file});
  return found ? std::optional<tessera::AnyStore<tessera::HostBuffer>>{*std::move(found)} : std::nullopt;
}

NewZip new_zip(std::string const& path, bool overwrite, bool sync) {
  tessera::WritableZipStore const store{path, {.fsync = sync, .overwrite = overwrite}};
  return {store, [store] { store.flush(); }};
}

}  // namespace cli
