// What tells a file from those that have its name at other times.
#pragma once
#include <cstdint>
#include <ctime>

#include <sys/stat.h>

#include <tessera/store/watch.hpp>

namespace tessera { inline namespace v0 {
namespace detail::posix {

/// How many bytes the file had.
inline std::uint64_t size_of(ValueVersion const& version) { return version.numbers[2]; }

inline constexpr std::int64_t second = 1'000'000'000;  // nanoseconds
inline std::int64_t nanoseconds(std::timespec const& time) { return std::int64_t{time.tv_sec} * second + time.tv_nsec; }

inline ValueVersion version_of(struct stat const& info) {
  constexpr auto settled = second / 20;  // some ticks of the clock that files go by
  auto const changed = nanoseconds(info.st_ctim);
  std::timespec now{};
  bool const is_known = std::timespec_get(&now, TIME_UTC) == TIME_UTC;
  auto const age = nanoseconds(now) - changed;
  return {{static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino),
           static_cast<std::uint64_t>(info.st_size), static_cast<std::uint64_t>(changed)},
          true,
          is_known && age > settled};
}

/// Whether nobody wrote into an open file since it was seen. That its last name was taken from it changes the time of
/// its status too, but not that of what is in it; under a name that time can be set back.
inline bool is_unchanged(struct stat const& now, ValueVersion const& seen) {
  auto const changed = static_cast<std::int64_t>(seen.numbers[3]);
  return static_cast<std::uint64_t>(now.st_size) == size_of(seen) &&
         (nanoseconds(now.st_ctim) == changed || (now.st_nlink == 0 && nanoseconds(now.st_mtim) <= changed));
}

}  // namespace detail::posix
}}  // namespace tessera::v0
