#include <tessera/with/zip.hpp>

#include "address.hpp"

namespace cli {

tessera::AnyStore<tessera::HostBuffer> zip_store(std::string const& path) { return tessera::ZipStore{path}; }

}  // namespace cli
