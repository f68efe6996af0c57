// check_scheme: whether a listed scheme is defined. path_in: the path that an address is. refuse_scheme: the error of
// an address that no listed scheme knows.
#pragma once
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>
#include <tessera/store/detail/scheme.hpp>

namespace tessera { inline namespace v0 {

namespace scheme {
struct Http;
struct S3;
struct Zip;
}  // namespace scheme

namespace detail {

template <class S>
consteval bool check_scheme() {
  constexpr bool is_known = requires { sizeof(S); };
  static_assert(is_known || !std::same_as<S, scheme::Zip>,
                "tessera: scheme::Zip needs its header: include tessera/with/zip.hpp and link tessera::zip");
  static_assert(is_known || !std::same_as<S, scheme::Http>,
                "tessera: scheme::Http needs its header: include tessera/with/curl.hpp and link tessera::curl");
  static_assert(is_known || !std::same_as<S, scheme::S3>,
                "tessera: scheme::S3 needs its header: include tessera/with/s3.hpp and link tessera::s3");
  return is_known;
}

/// nullopt: a "%" without two hexadecimal digits.
TESSERA_DECL std::optional<std::string> percent_decoded(std::string_view text);

/// nullopt: another scheme than file. Throws: StoreError, for a file:// address with a host or a malformed "%41".
TESSERA_DECL std::optional<std::string> path_in(std::string const& address);

/// The zip file at a path, or above it, by its first bytes.
TESSERA_DECL std::optional<std::string> zip_on_the_way(std::string const& path);

/// "https://host/a.zip/t1?query" as "https://host?query", "a.zip" and "t1".
struct FileInAddress {
  std::string folder, file, inside;
};
/// By the first name below the host for which `is_one` is true. nullopt: a path, or no such name.
TESSERA_DECL std::optional<FileInAddress> file_in_address(std::string_view address, bool (*is_one)(std::string_view));

/// Names that end in .zip or .ozx.
TESSERA_DECL bool is_zip_name(std::string_view name);

/// A path's names, joined by one "/" each: "/a//b/" is "a/b".
TESSERA_DECL std::string joined_names(std::string_view path);

[[noreturn]] TESSERA_DECL void refuse_scheme(std::string const& address);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/schemes.ipp>
#endif
