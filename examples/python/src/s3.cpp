// Stores in buckets, an extension of its own, because it needs libcurl and libcrypto.
#include "module.hpp"

#include <algorithm>

#include <tessera/with/s3.hpp>

NB_MODULE(_s3, module) {
  module.doc() = "Stores in buckets of S3 and its kin.";
  nb::module_::import_("tessera._tessera");  // the module with the type of a store
  module.def(
      "store",
      [](std::string const& address, std::string endpoint, std::string region, std::string key, std::string secret,
         std::string token, std::string profile, std::string sas, std::string account_key, bool anonymous,
         std::string const& style, bool one_writer, unsigned retries, std::size_t most_at_once,
         std::string certificates) {
        tessera::S3Options options;
        options.endpoint = std::move(endpoint);
        options.region = std::move(region);
        options.access_key = std::move(key);
        options.secret_key = std::move(account_key.empty() ? secret : account_key);
        (address.starts_with("s3:") ? options.session_token : options.bearer) = std::move(token);
        options.sas = std::move(sas);
        options.profile = std::move(profile);
        options.anonymous = anonymous;
        options.style = style == "virtual" ? tessera::S3Style::host
                        : style == "path"  ? tessera::S3Style::path
                                           : tessera::S3Style::automatic;
        options.one_writer = one_writer;
        options.http.retries = retries;
        options.http.most_at_once = most_at_once;
        options.http.first_at_once = std::min(options.http.first_at_once, most_at_once);
        options.http.certificates = std::move(certificates);
        return python::Store{tessera::S3Store<tessera::HostBuffer>{address, std::move(options)}};
      },
      nb::arg("address"), nb::kw_only(), nb::arg("endpoint_url"), nb::arg("region"), nb::arg("key"), nb::arg("secret"),
      nb::arg("token"), nb::arg("profile"), nb::arg("sas_token"), nb::arg("account_key"), nb::arg("anon"),
      nb::arg("addressing_style"), nb::arg("one_writer"), nb::arg("retries"), nb::arg("most_at_once"),
      nb::arg("certificates"));
}
