#pragma once
#include <tessera/store/detail/posix/watch.hpp>

#include <cstdint>
#include <ctime>

#include <sys/stat.h>

#include <tessera/store/detail/value_watch.hpp>

namespace tessera { inline namespace v0 { namespace detail { namespace posix {

TESSERA_DECL std::int64_t nanoseconds(std::timespec const& time) {
  return std::int64_t{time.tv_sec} * second + time.tv_nsec;
}

TESSERA_DECL ValueVersion version_of(struct stat const& info) {
  constexpr auto settled = second / 20;  // several ticks of the file system's clock
  auto const changed = nanoseconds(info.st_ctim);
  std::timespec now{};
  bool const is_known = std::timespec_get(&now, TIME_UTC) == TIME_UTC;
  auto const age = nanoseconds(now) - changed;
  return {{static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino),
           static_cast<std::uint64_t>(info.st_size), static_cast<std::uint64_t>(changed)},
          true,
          is_known && age > settled};
}

TESSERA_DECL bool is_unchanged(struct stat const& now, ValueVersion const& seen) {
  auto const changed = static_cast<std::int64_t>(seen.numbers[3]);
  return static_cast<std::uint64_t>(now.st_size) == size_of(seen) &&
         (nanoseconds(now.st_ctim) == changed || (now.st_nlink == 0 && nanoseconds(now.st_mtim) <= changed));
}

}}}}  // namespace tessera::v0::detail::posix
