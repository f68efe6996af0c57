// launch_apart: runs a function object with one warp for each call.
#pragma once
#include <cstdint>

#include <tessera/core/config.hpp>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 { namespace detail {

template <class F>
struct CallApart {
  static constexpr unsigned threads = 32, phases = 1;
  struct Shared {};
  F f;

  template <unsigned>
  TESSERA_HOST_DEVICE void phase(std::uint64_t i, unsigned thread, Shared&) const {
    if (thread == 0) f(i);
  }
};

/// Like `launch`, but with one warp for each call: calls that decode different chunks would wait for each other in one
/// warp.
template <class F>
void launch_apart(Queue<space::Device>& on, std::uint64_t count, F const& f) {
  launch_blocks(on, count, CallApart<F>{f});
}

}}}  // namespace tessera::v0::detail
