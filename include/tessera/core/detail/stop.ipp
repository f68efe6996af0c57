#pragma once
#include <tessera/core/stop.hpp>

#include <atomic>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void expect_going(Stop stop) {
  if (stop && stop->load(std::memory_order_relaxed)) throw Cancelled{"cancelled"};
}

}}}  // namespace tessera::v0::detail
