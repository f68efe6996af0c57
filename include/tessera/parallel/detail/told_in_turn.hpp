// told_in_turn: the options of one call that moves several boxes at a time.
#pragma once
#include <cstdint>
#include <mutex>

#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// ReadOptions or WriteOptions whose progress is called by one thread at a time, also if several threads use them.
/// Requires: the arguments outlive the result.
template <class Options>
Options told_in_turn(Options const& options, std::mutex& turn) {
  auto result = options;
  if (options.progress.value())
    result.progress = Progress{[&told = options.progress.value(), &turn](std::uint64_t done, std::uint64_t chunks) {
      std::lock_guard const lock{turn};
      told(done, chunks);
    }};
  return result;
}

}}}  // namespace tessera::v0::detail
