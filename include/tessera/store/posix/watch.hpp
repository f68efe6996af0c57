// What tells a file from those that have its name at other times.
#pragma once
#include <cstdint>
#include <ctime>

#include <sys/stat.h>

#include <tessera/store/watch.hpp>

namespace tessera::inline v0 {
namespace detail::posix {

/// How many bytes the file had.
inline std::uint64_t size_of(ValueVersion const& version) { return version.numbers[2]; }

inline ValueVersion version_of(struct stat const& info) {
  constexpr std::int64_t second = 1'000'000'000, settled = second / 20;  // some ticks of the clock that files go by
  auto const changed = std::int64_t{info.st_ctim.tv_sec} * second + info.st_ctim.tv_nsec;
  std::timespec now{};
  bool const is_known = std::timespec_get(&now, TIME_UTC) == TIME_UTC;
  auto const age = std::int64_t{now.tv_sec} * second + now.tv_nsec - changed;
  return {{static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino),
           static_cast<std::uint64_t>(info.st_size), static_cast<std::uint64_t>(changed)},
          true,
          is_known && age > settled};
}

}  // namespace detail::posix
}  // namespace tessera::inline v0
