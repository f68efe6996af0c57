#include "address.hpp"

namespace cli {

tessera::AnyStore<tessera::HostBuffer> s3_store(std::string const& address, Access const&) {
  throw UsageError{address +
                   ": this tessera was built without libcurl or libcrypto, which read buckets: on Debian or Ubuntu, "
                   "apt install libcurl4-openssl-dev libssl-dev and build it again"};
}

}  // namespace cli
