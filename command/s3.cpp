#include <tessera/with/s3.hpp>

#include "address.hpp"

namespace cli {

tessera::AnyStore<tessera::HostBuffer> s3_store(std::string const& address, Access const& access) {
  return tessera::S3Store<tessera::HostBuffer>{address,
                                               {.endpoint = access.endpoint,
                                                .region = access.region,
                                                .profile = access.profile,
                                                .anonymous = access.anonymous,
                                                .http = {.headers = access.headers}}};
}

}  // namespace cli
