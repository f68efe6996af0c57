#include "address.hpp"

namespace cli {

tessera::AnyStore<tessera::HostBuffer> http_store(std::string const& address, Access const&) {
  throw UsageError{address +
                   ": this tessera was built without libcurl, which reads addresses: on Debian or Ubuntu, "
                   "apt install libcurl4-openssl-dev and build it again"};
}

}  // namespace cli
