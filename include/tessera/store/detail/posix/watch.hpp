// version_of, is_unchanged: tell a file from others of its name at other times.
#pragma once
#include <cstdint>
#include <ctime>

#include <sys/stat.h>

#include <tessera/core/config.hpp>
#include <tessera/store/detail/value_watch.hpp>

namespace tessera { inline namespace v0 {
namespace detail::posix {

/// The size of the file, in bytes.
inline std::uint64_t size_of(ValueVersion const& version) { return version.numbers[2]; }

inline constexpr std::int64_t second = 1'000'000'000;  // nanoseconds
TESSERA_DECL std::int64_t nanoseconds(std::timespec const& time);
TESSERA_DECL ValueVersion version_of(struct stat const& info);

/// Whether an open file was not written since it was seen. Losing its last name changes its status time, but not its
/// modification time; that can be set back while it has a name.
TESSERA_DECL bool is_unchanged(struct stat const& now, ValueVersion const& seen);

}  // namespace detail::posix
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/posix/watch.ipp>
#endif
