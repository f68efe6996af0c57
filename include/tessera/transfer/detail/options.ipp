#pragma once
#include <tessera/transfer/options.hpp>

#include <cstdint>

#include <tessera/core/detail/option.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL FetchLimits::FetchLimits(ReadOptions const& options)
    : max_gap{options.max_gap.value()},
      max_request_bytes{options.max_request_bytes ? options.max_request_bytes.value() : ~std::uint64_t{0}},
      stop{options.stop.value()} {}

}}}  // namespace tessera::v0::detail
