#include "address.hpp"

namespace cli {

namespace {

[[noreturn]] void refuse(std::string const& path) {
  throw UsageError{path +
                   ": this tessera was built without libzip, which reads zip files: on Debian or Ubuntu, apt "
                   "install libzip-dev and build it again"};
}

}  // namespace

tessera::AnyStore<tessera::HostBuffer> zip_store(std::string const& path) { refuse(path); }
std::optional<tessera::AnyStore<tessera::HostBuffer>> zip_store_in(tessera::AnyStore<tessera::HostBuffer> store,
                                                                   std::string const& file) {
  refuse(store.name() + '/' + file);
}
NewZip new_zip(std::string const& path, bool, bool) { refuse(path); }

}  // namespace cli
