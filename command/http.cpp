#include <tessera/with/curl.hpp>

#include "address.hpp"

namespace cli {

tessera::AnyStore<tessera::HostBuffer> http_store(std::string const& address) { return tessera::HttpStore{address}; }

}  // namespace cli
