// ExchangeError: what the headers that exchange memory with other libraries throw.
#pragma once
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {

/// Memory cannot be handed to a consumer, or taken from a producer, as requested.
struct ExchangeError : detail::Located<ExchangeError> {
  using Located::Located;
};

}}  // namespace tessera::v0
