// Who published something, as descriptors say it.
#pragma once
#include <cstdint>
#include <string>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace ipc {

/// A producer. `session` is 128 random bits in hexadecimal digits: no two producers have the same one, and its socket
/// is named after it. `host` is the running kernel's boot id, `start` the process's start in ticks since then: a number
/// of a process alone may be that of another by now.
struct Identity {
  std::string host;
  std::int64_t process = 0;
  std::uint64_t start = 0;
  std::string session;

  friend bool operator==(Identity const&, Identity const&) = default;
};

}}}  // namespace tessera::v0::ipc
