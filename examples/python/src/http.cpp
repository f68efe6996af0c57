// Stores over HTTP and HTTPS, an extension of its own, because it needs libcurl.
#include "module.hpp"

#include <tessera/with/curl.hpp>

NB_MODULE(_http, module) {
  module.doc() = "Stores over HTTP and HTTPS, which are read only.";
  nb::module_::import_("tessera._tessera");  // the module with the type of a store
  module.def(
      "store", [](std::string address) { return python::Store{tessera::HttpStore{std::move(address)}}; },
      nb::arg("address"));
}
