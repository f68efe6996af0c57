// Web servers as stores, an extension of its own, because it needs libcurl.
#include "module.hpp"

#include <algorithm>

#include <tessera/with/curl.hpp>

NB_MODULE(_http, module) {
  module.doc() = "Web servers as stores, which are read only.";
  nb::module_::import_("tessera._tessera");  // the module with the type of a store
  module.def(
      "store",
      [](std::string address, std::vector<std::string> headers, std::vector<long> missing, unsigned retries,
         std::size_t most_at_once, std::string certificates) {
        tessera::HttpOptions options;
        options.headers = std::move(headers);
        options.missing = std::move(missing);
        options.retries = retries;
        options.most_at_once = most_at_once;
        options.first_at_once = std::min(options.first_at_once, most_at_once);
        options.certificates = std::move(certificates);
        return python::Store{tessera::HttpStore{std::move(address), std::move(options)}};
      },
      nb::arg("address"), nb::kw_only(), nb::arg("headers"), nb::arg("missing"), nb::arg("retries"),
      nb::arg("most_at_once"), nb::arg("certificates"));
}
