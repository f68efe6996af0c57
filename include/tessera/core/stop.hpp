// Stop: cancellation of a call in progress.
#pragma once
#include <atomic>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {

/// The call ends when the flag is true. Null: no cancellation. The flag must outlive the call.
using Stop = std::atomic<bool> const*;

/// `stop` was true.
struct Cancelled : detail::Located<Cancelled> {
  using Located::Located;
};

namespace detail {

/// Throws: Cancelled, if `stop` is not null and is true.
TESSERA_DECL void expect_going(Stop stop);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/core/detail/stop.ipp>
#endif
