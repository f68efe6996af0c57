#pragma once
#include <tessera/store/detail/schemes.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (; !text.empty(); text.remove_prefix(1)) {
    if (text.front() != '%') {
      decoded += text.front();
      continue;
    }
    unsigned byte = 0;
    auto const digits = text.substr(1, 2);
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (error != std::errc{} || digits.size() != 2 || end != digits.data() + 2) return std::nullopt;
    decoded += static_cast<char>(byte);
    text.remove_prefix(2);
  }
  return decoded;
}

TESSERA_DECL std::optional<std::string> path_in(std::string const& address) {
  auto const scheme = scheme_of(address);
  if (scheme.empty()) return address;
  if (scheme != "file") return std::nullopt;
  auto const refuse = [&](char const* why) { throw StoreError{why}.in_store(without_secrets(address)); };
  std::string_view rest = std::string_view{address}.substr(7);
  if (!rest.starts_with('/')) refuse("found a host in a file:// address, expected file:///path");
  auto path = percent_decoded(rest);
  if (!path) refuse("found \"%\" without two hexadecimal digits");
  return path;
}

TESSERA_DECL std::optional<std::string> zip_on_the_way(std::string const& path) {
  std::error_code ignored;
  for (std::filesystem::path at{path}; at.has_relative_path(); at = at.parent_path()) {
    if (std::filesystem::is_regular_file(at, ignored)) {
      std::array<char, 4> start{};
      std::ifstream{at, std::ios::binary}.read(start.data(), start.size());
      bool const is_zip = start == std::array{'P', 'K', '\3', '\4'} || start == std::array{'P', 'K', '\5', '\6'};
      return is_zip ? std::optional{at.string()} : std::nullopt;
    }
    if (std::filesystem::exists(at, ignored)) return std::nullopt;
  }
  return std::nullopt;
}

TESSERA_DECL bool is_zip_name(std::string_view name) { return name.ends_with(".zip") || name.ends_with(".ozx"); }

TESSERA_DECL std::optional<FileInAddress> file_in_address(std::string_view address, bool (*is_one)(std::string_view)) {
  auto const scheme = scheme_of(address);
  if (scheme.empty() || scheme == "file") return std::nullopt;
  auto const query = is_web(scheme) ? std::min(address.find('?'), address.size()) : address.size();
  auto const plain = address.substr(0, query);
  for (auto slash = plain.find('/', scheme.size() + 3); slash < plain.size();) {
    auto const end = std::min(plain.find('/', slash + 1), plain.size());
    auto const name = plain.substr(slash + 1, end - slash - 1);
    if (is_one(name)) {
      std::string folder{plain.substr(0, slash)};
      auto const decoded = [&](std::string_view text) {
        return is_web(scheme) ? percent_decoded(text).value_or(std::string{text}) : std::string{text};
      };
      return FileInAddress{folder.append(address.substr(query)), decoded(name),
                           joined_names(decoded(plain.substr(end)))};
    }
    slash = end;
  }
  return std::nullopt;
}

TESSERA_DECL std::string joined_names(std::string_view path) {
  std::string names;
  while (!path.empty()) {
    auto const end = std::min(path.find('/'), path.size());
    if (end > 0) names.append(names.empty() ? "" : "/").append(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return names;
}

TESSERA_DECL void refuse_scheme(std::string const& address) {
  auto const scheme = scheme_of(address);
  auto const how = is_bucket(scheme)  ? "; list scheme::S3 of <tessera/with/s3.hpp>"
                   : is_web(scheme)   ? "; list scheme::Http of <tessera/with/curl.hpp>"
                   : scheme == "file" ? "; list scheme::Folder"
                   : scheme.empty()   ? "; list scheme::Folder, or scheme::Zip of <tessera/with/zip.hpp>"
                                      : "";
  auto const what = scheme.empty() ? std::string{"paths are"} : to_text({"\"", scheme, "://\" is"});
  throw StoreError{to_text({what, " not among this program's schemes", how})}.in_store(without_secrets(address));
}

}}}  // namespace tessera::v0::detail
