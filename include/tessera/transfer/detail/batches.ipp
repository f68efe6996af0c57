#pragma once
#include <tessera/transfer/detail/batches.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::size_t Batches::lanes(std::size_t threads) const {
  return static_cast<std::size_t>(std::min<std::uint64_t>({threads, in_flight, count()}));
}

}}}  // namespace tessera::v0::detail
