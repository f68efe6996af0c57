#include <tessera/with/curl.hpp>

#include "address.hpp"

namespace cli {

tessera::AnyStore<tessera::HostBuffer> http_store(std::string const& address, Access const& access) {
  return tessera::HttpStore{address, {.headers = access.headers}};
}

}  // namespace cli
