// Stores in buckets, an extension of its own, because it needs libcurl and libcrypto.
#include "module.hpp"

#include <tessera/with/s3.hpp>

NB_MODULE(_s3, module) {
  module.doc() = "Stores in buckets of S3 and its kin.";
  nb::module_::import_("tessera._tessera");  // the module with the type of a store
  module.def(
      "store",
      [](std::string const& address) { return python::Store{tessera::S3Store<tessera::HostBuffer>{address}}; },
      nb::arg("address"));
}
