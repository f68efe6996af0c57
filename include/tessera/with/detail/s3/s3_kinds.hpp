// s3::Kind: whose protocol a bucket's server speaks. Google's XML interface and Azure's blobs differ from Amazon's in
// names, conditions and signatures (s3_azure.hpp).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/with/detail/curl/curl_response.hpp>
#include <tessera/with/detail/s3/s3_versions.hpp>

namespace tessera { inline namespace v0 {
namespace s3 {

/// Names and values.
using Pairs = std::vector<std::pair<std::string, std::string>>;

enum class Kind { amazon, google, azure };

/// How a kind of server names what all of them have.
struct Names {
  std::string_view prefix;   ///< of its own headers
  std::string_view mark;     ///< the header with which a write says who made it: metadata of the value
  std::string_view request;  ///< the header with a request's number
};
inline Names names_of(Kind kind) {
  switch (kind) {
    case Kind::google:
      return {"x-goog-", "x-goog-meta-tessera-write", "x-guploader-uploadid"};
    case Kind::azure:
      return {"x-ms-", "x-ms-meta-tessera_write", "x-ms-request-id"};
    case Kind::amazon:
      break;
  }
  return {"x-amz-", "x-amz-meta-tessera-write", "x-amz-request-id"};
}

/// The version of a value that an answer has or has written; nullopt: the server does not say, or by a weak ETag, which
/// no condition of a write compares. Google compares the generation in conditions of writes, and ETags only of reads.
inline std::optional<Version> version_of(Kind kind, http::Response const& response) {
  std::string text = kind == Kind::google ? std::string{response.of_own("x-goog-generation")} : response.etag;
  return text.empty() || text.starts_with("W/") ? std::nullopt : std::optional{Version{std::move(text)}};
}

/// For a value whose version the server does not say, where changes are conditional on it.
[[noreturn]] inline void refuse_unknown_version() {
  throw StoreError{
      "the server gives the value no strong ETag, by which changes of other programs would be noticed; if there is "
      "only one program that writes, set S3Options::one_writer"};
}

/// nullopt: any value will do.
using Condition = std::optional<Version>;

/// The header of a condition on the value that is there.
inline void add_condition(Kind kind, Pairs& headers, Condition const& condition) {
  if (!condition) return;
  if (kind == Kind::google)
    headers.emplace_back("x-goog-if-generation-match", condition->is_there() ? condition->etag : "0");
  else if (condition->is_there())
    headers.emplace_back("if-match", condition->etag);
  else
    headers.emplace_back("if-none-match", "*");
}

/// The answer with the status that Amazon's servers give in its case.
inline http::Response in_amazons_terms(Kind kind, http::Response response) {
  if (kind != Kind::azure) return response;
  if (response.status == 201 || response.status == 202) response.status = 200;
  if (response.status == 409 && response.of_own("x-ms-error-code") == "BlobAlreadyExists") response.status = 412;
  return response;
}

}  // namespace s3
}}  // namespace tessera::v0
