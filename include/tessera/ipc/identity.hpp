// Identity: the producer of an array, as descriptors state it.
#pragma once
#include <cstdint>
#include <string>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace ipc {

/// A producer. `session` is 128 random bits in hexadecimal digits: unique, and the socket is named after it. `host` is
/// the running kernel's boot id, `start` the process's start in ticks since boot: process numbers are reused.
struct Identity {
  std::string host;
  std::int64_t process = 0;
  std::uint64_t start = 0;
  std::string session;

  friend bool operator==(Identity const&, Identity const&) = default;
};

}}}  // namespace tessera::v0::ipc
