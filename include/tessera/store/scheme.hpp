// URLs, which are no paths: s3://bucket/a would make a folder "s3:".
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// "s3" of "s3://bucket/a". Empty: it is a path, as "./s3://bucket/a" is.
inline std::string_view scheme_of(std::string_view path) {
  auto const end = path.find("://");
  auto const scheme = path.substr(0, end == path.npos ? 0 : end);
  return scheme.find('/') == scheme.npos ? scheme : std::string_view{};
}

/// What is wrong with it. Empty: it is a path.
inline std::string problem_of_path(std::string_view path) {
  auto const scheme = scheme_of(path);
  if (scheme.empty()) return {};
  return text({"found a URL of scheme \"", scheme, "\", expected a path",
               scheme == "file" ? ": leave out \"file://\"" : "; what is no folder needs a store of its own"});
}

/// Throws: StoreError naming the scheme.
inline void expect_path(std::string_view path) {
  if (auto problem = problem_of_path(path); !problem.empty()) throw StoreError{std::move(problem)}.in_store(path);
}

}  // namespace detail
}}  // namespace tessera::v0
