// expect_path: refuses URLs: s3://bucket/a would make a folder "s3:".
#pragma once
#include <string>
#include <string_view>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>

namespace tessera {
inline namespace v0 {
namespace detail {

/// "s3" for "s3://bucket/a"; empty for a path, such as "./s3://bucket/a".
TESSERA_DECL std::string_view scheme_of(std::string_view path);

/// Whether a scheme is http or https, in either case.
TESSERA_DECL bool is_web(std::string_view scheme);

/// Whether a scheme is that of a bucket: s3, gs, az, abfs or abfss.
TESSERA_DECL bool is_bucket(std::string_view scheme);

/// Removes user, password and query from URLs in a text, as possible secrets. If a port is not a number, the password
/// may contain "/" or "?": everything before the last "@" is removed.
TESSERA_DECL std::string without_secrets(std::string_view text);

/// Throws: StoreError naming the scheme.
TESSERA_DECL void expect_path(std::string_view path);

}  // namespace detail
}  // namespace v0
}  // namespace tessera

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/scheme.ipp>
#endif
