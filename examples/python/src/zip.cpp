// Zip files as stores, an extension of its own, because it needs libzip.
#include "module.hpp"

#include <tessera/with/zip.hpp>

NB_MODULE(_zip, module) {
  module.doc() = "Zip files as stores, which are read only.";
  nb::module_::import_("tessera._tessera");  // the module with the type of a store
  module.def(
      "store", [](std::string path) { return python::Store{tessera::ZipStore{std::move(path)}}; }, nb::arg("path"));
}
