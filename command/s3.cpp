#include <tessera/with/s3.hpp>

#include "address.hpp"

namespace cli {

tessera::AnyStore<tessera::HostBuffer> s3_store(std::string const& address) {
  return tessera::S3Store<tessera::HostBuffer>{address};
}

}  // namespace cli
