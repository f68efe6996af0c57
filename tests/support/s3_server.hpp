// A bucket's server on loopback that a test starts: tests/s3/server.py, which describes what it can be asked for.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/server_process.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/with/s3.hpp>

namespace test {

/// Where tests/run.sh installs the servers.
inline std::string const s3_python = "build/s3-venv/bin/python";

/// Whether there are servers. If not, says what is not run, which marks the program's test as skipped.
inline bool has_s3(char const* what) {
  if (std::filesystem::exists(s3_python)) return true;
  std::cout << "not run: " << what << " (there is no " << s3_python << ", which tests/run.sh makes)\n";
  return false;
}

/// Without the user's credentials, folders and endpoints.
struct PlainEnvironment {
  TemporaryFolder home;

  PlainEnvironment() {
    for (auto const* name : {"AWS_ACCESS_KEY_ID",
                             "AWS_SECRET_ACCESS_KEY",
                             "AWS_SESSION_TOKEN",
                             "AWS_REGION",
                             "AWS_DEFAULT_REGION",
                             "AWS_PROFILE",
                             "AWS_CONFIG_FILE",
                             "AWS_SHARED_CREDENTIALS_FILE",
                             "AWS_ENDPOINT_URL",
                             "AWS_ENDPOINT_URL_S3",
                             "AWS_ENDPOINT_URL_STS",
                             "AWS_ROLE_ARN",
                             "AWS_ROLE_SESSION_NAME",
                             "AWS_WEB_IDENTITY_TOKEN_FILE",
                             "AWS_EC2_METADATA_SERVICE_ENDPOINT",
                             "AWS_ENDPOINT_URL_SSO",
                             "AWS_CONTAINER_CREDENTIALS_FULL_URI",
                             "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
                             "AWS_CONTAINER_AUTHORIZATION_TOKEN",
                             "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
                             "GS_ACCESS_KEY_ID",
                             "GS_SECRET_ACCESS_KEY",
                             "GOOGLE_OAUTH_ACCESS_TOKEN",
                             "AZURE_STORAGE_KEY",
                             "AZURE_STORAGE_SAS_TOKEN"})
      ::unsetenv(name);
    ::setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    ::setenv("HOME", home.path().c_str(), 1);
  }
};

class S3Server {
  using Buffer = tessera::HostBuffer;

 public:
  S3Server() : process_{{s3_python, "tests/s3/server.py"}} { ask("bucket?name=tests"), ask("bucket?name=public"); }

  std::string const& port() const { return process_.port(); }
  std::string address() const { return "http://127.0.0.1:" + port(); }

  /// Options with the server's address and a key that it knows.
  tessera::S3Options options() const {
    tessera::S3Options options;
    options.endpoint = address();
    options.access_key = "AKIDTEST";
    options.secret_key = "sEcret/of+the=test";
    options.http.pause = std::chrono::milliseconds{2};
    return options;
  }
  tessera::S3Store<Buffer> at(std::string const& folder, tessera::S3Options options) const {
    return tessera::S3Store<Buffer>{"s3://tests/" + folder, std::move(options)};
  }
  tessera::S3Store<Buffer> at(std::string const& folder) const { return at(folder, options()); }

  /// Asks the server for something that it does for tests.
  std::string ask(std::string const& what) const { return tessera::s3::ask(address() + "/-/" + what, "GET", {}, {}); }
  void fault(std::string const& how, int times, std::string const& method, std::string const& path) const {
    ask("fault?" +
        tessera::s3::query_text({{"how", how}, {"times", std::to_string(times)}, {"method", method}, {"path", path}}));
  }
  /// The requests since the last call of this.
  std::vector<std::string> requests() const {
    std::istringstream all{ask("requests")};
    std::vector<std::string> lines;
    for (std::string line; std::getline(all, line);) lines.push_back(line);
    return lines;
  }

 private:
  PlainEnvironment environment_;
  ServerProcess process_;
};

}  // namespace test
