// references_in_address: finds a references file in an address, and whether another address gets the same secrets.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <tessera/store/detail/scheme.hpp>
#include <tessera/store/detail/schemes.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Names of references files; those of Zarr's are none.
inline bool is_json_name(std::string_view name) { return name.ends_with(".json") && name != "zarr.json"; }
inline bool is_parquet_name(std::string_view name) { return name.ends_with(".parq") || name.ends_with(".parquet"); }

/// "data/refs.json/t1" or "https://host/refs.json/t1" as a references file's folder, its name and the path inside, by
/// the first such name. At a path it must be a file, or with `is_folder` a folder.
inline std::optional<FileInAddress> references_in_address(std::string const& address, bool (*is_one)(std::string_view),
                                                          bool is_folder = false) {
  auto const path = path_in(address);
  if (!path) return file_in_address(address, is_one);
  std::error_code ignored;
  for (std::filesystem::path at{*path}; at.has_relative_path(); at = at.parent_path()) {
    if (!std::filesystem::exists(at, ignored)) continue;
    auto const name = at.filename().string();
    bool const is_right = is_one(name) && (is_folder ? std::filesystem::is_directory(at, ignored)
                                                     : std::filesystem::is_regular_file(at, ignored));
    if (is_folder && !is_right) continue;  // it may be further up
    if (!is_right) return std::nullopt;
    auto const folder = at.has_parent_path() ? at.parent_path().string() : ".";
    return FileInAddress{folder, name, joined_names(path->substr(at.string().size()))};
  }
  return std::nullopt;
}

/// "me@host:80" of "https://me@host:80/a?query"; empty for a path.
inline std::string_view host_in(std::string_view address) {
  auto const scheme = scheme_of(address);
  if (scheme.empty() || scheme == "file") return {};
  address.remove_prefix(scheme.size() + 3);
  return address.substr(0, address.find_first_of("/?"));
}

/// Options for an address that a file of another host names: without what only one host should see. At Azure a token
/// of the environment would go to the owner of the account.
template <class O>
O without_secrets_for(std::string_view address, O options) {
  if constexpr (requires { options.headers.clear(); }) options.headers.clear();
  if constexpr (requires { options.bearer.clear(); }) options.bearer.clear();
  if constexpr (requires { options.sas.clear(); }) options.sas.clear();
  if constexpr (requires { options.anonymous = true; }) {
    auto const scheme = scheme_of(address);
    if (scheme != "s3" && scheme != "gs") options.anonymous = true;
  }
  if constexpr (requires { options.http.headers.clear(); }) options.http.headers.clear();
  return options;
}

}}}  // namespace tessera::v0::detail
