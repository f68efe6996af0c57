// s3::list: the names below a prefix, page by page.
#pragma once
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/with/detail/s3/s3_call.hpp>
#include <tessera/with/detail/s3/s3_site.hpp>
#include <tessera/with/detail/s3/s3_xml.hpp>

namespace tessera { inline namespace v0 {
namespace s3 {

/// The last name of keys that are no values: locks, and values with which a server is tried.
inline constexpr std::string_view hidden = ".tessera-";

inline std::string from_url(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '+') {
      result += ' ';
    } else if (text[i] == '%' && i + 2 < text.size() &&
               std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr == text.data() + i + 3) {
      result += static_cast<char>(byte), i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

/// Visits the keys below a folder, "" the root, or with `one_level` those directly in it and the folders. Names that
/// are no keys are left out. Throws: StoreError.
inline void list(Site const& site, std::string_view folder, bool one_level, Visitor visit) {
  if (!folder.empty()) check_key(Key{std::string{folder}});
  auto const root = site.settings().folder.empty() ? std::string{} : site.settings().folder + '/';
  auto const prefix = folder.empty() ? root : to_text({root, folder, "/"});
  bool const is_azure = site.kind() == Kind::azure;
  std::string next;
  for (;;) {
    Ask ask{.query = {{"prefix", prefix}}};
    if (is_azure)
      ask.query.insert(ask.query.end(), {{"restype", "container"}, {"comp", "list"}});
    else
      ask.query.insert(ask.query.end(), {{"list-type", "2"}, {"encoding-type", "url"}});
    if (one_level) ask.query.emplace_back("delimiter", "/");
    if (!next.empty()) ask.query.emplace_back(is_azure ? "marker" : "continuation-token", next);
    auto const page = call(site, {std::string{folder}}, std::move(ask), {200});
    std::string_view const text = page.body();
    bool const is_url = xml::text_of(text, "EncodingType") == "url";
    auto const name_in = [&](std::string_view element, std::string_view member) {
      auto name = xml::text_of(element, member);
      return is_url ? from_url(name) : name;
    };
    for (auto rest = text; auto const element = xml::take(rest, is_azure ? "Blob" : "Contents");) {
      auto const name = name_in(*element, is_azure ? "Name" : "Key");
      if (!name.starts_with(prefix)) continue;
      auto const path = std::string_view{name}.substr(root.size());
      bool const is_hidden = path.substr(path.rfind('/') + 1).starts_with(hidden);
      if (is_hidden || !detail::is_key(path)) continue;
      auto const size = xml::text_of(*element, is_azure ? "Content-Length" : "Size");
      std::uint64_t bytes = 0;
      std::from_chars(size.data(), size.data() + size.size(), bytes);
      visit({path, false, bytes});
    }
    for (auto rest = text; auto const element = xml::take(rest, is_azure ? "BlobPrefix" : "CommonPrefixes");) {
      auto name = name_in(*element, is_azure ? "Name" : "Prefix");
      if (!name.starts_with(prefix) || !name.ends_with('/')) continue;
      name.pop_back();
      if (name.size() < root.size()) continue;
      auto const path = std::string_view{name}.substr(root.size());
      if (detail::is_key(path)) visit({path, true});
    }
    auto token = xml::text_of(text, is_azure ? "NextMarker" : "NextContinuationToken");
    if (is_azure ? token.empty() : xml::text_of(text, "IsTruncated") != "true") return;
    if (token.empty() || token == next)
      throw StoreError{"the server's listing goes on without saying where"}.in_key(folder);
    next = std::move(token);
  }
}

}  // namespace s3
}}  // namespace tessera::v0
