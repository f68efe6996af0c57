// What tells the source of a copy from others, as a text that holds no secret.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/store/detail/scheme.hpp>

#include "commands.hpp"
#include "failure.hpp"

namespace cli {

/// A member of a query that signs the address, or ends with the signature: it changes while the source stays the same.
inline bool signs_address(std::string_view member) {
  constexpr std::array<std::string_view, 11> names{
      "Signature", "Expires", "AWSAccessKeyId", "GoogleAccessId", "Policy", "Key-Pair-Id", "sig", "se", "st",
      "ske",       "skt"};
  auto const name = member.substr(0, member.find('='));
  return name.starts_with("X-Amz-") || name.starts_with("X-Goog-") || std::ranges::find(names, name) != names.end();
}

/// The other members, as a checksum (FNV-1a), because they may be secrets; empty: there are none.
inline std::string checksum_of_query(std::string_view query) {
  std::uint64_t sum = 0xcbf29ce484222325;
  bool is_empty = true;
  while (!query.empty()) {
    auto const member = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), member.size() + 1));
    if (member.empty() || signs_address(member)) continue;
    is_empty = false;
    for (char const c : member) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    sum = (sum ^ '&') * 0x100000001b3;
  }
  return is_empty ? std::string{} : std::to_string(sum);
}

/// The path or address, the address's query and, of buckets, the server. Two sources with the same text are the same.
inline std::string source_identity(std::string const& source, Access const& access) {
  namespace fs = std::filesystem;
  auto const scheme = tessera::detail::scheme_of(source);
  if (scheme.empty()) return fs::absolute(source).lexically_normal().string();
  auto text = shown_path(source);
  auto const add = [&](char const* name, std::string const& value) {
    if (!value.empty()) text += std::string{"\n"} + name + ' ' + value;
  };
  if (tessera::detail::is_web(scheme)) {
    auto const inside = std::min(source.find("|icechunk:"), source.size());  // behind the query, and no part of it
    auto const at = std::min(source.find('?'), inside);
    add("query", checksum_of_query(std::string_view{source}.substr(0, inside).substr(std::min(at + 1, inside))));
    add("inside", source.substr(inside));
  }
  auto endpoint = access.endpoint, profile = access.profile;
  for (auto const& [variable, text] : {std::pair{"AWS_ENDPOINT_URL_S3", &endpoint}, {"AWS_ENDPOINT_URL", &endpoint},
                                       {"AWS_PROFILE", &profile}})
    if (auto const* const value = std::getenv(variable); scheme == "s3" && text->empty() && value) *text = value;
  add("endpoint", tessera::detail::without_secrets(endpoint));
  add("region", access.region);
  add("profile", profile);  // whose file may name an endpoint
  return text;
}

}  // namespace cli
