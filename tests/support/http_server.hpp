// A web server on loopback that a test starts: tests/http/server.py, which describes its addresses.
#pragma once
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <support/server_process.hpp>
#include <support/store_conformance.hpp>
#include <tessera/with/curl.hpp>

namespace test {

class HttpServer {
 public:
  /// Serves a folder; with a file of a certificate and its key, over HTTPS.
  explicit HttpServer(std::string const& folder, std::string const& certificate = {})
      : process_{words(folder, certificate)}, scheme_{certificate.empty() ? "http" : "https"} {}

  /// An address of the folder with `mode`: "plain/-", "busy/2".
  std::string at(std::string const& mode) const { return scheme_ + "://127.0.0.1:" + port() + '/' + mode; }

  std::string const& port() const { return process_.port(); }

  /// The requests to it since the last call of this, a line each: path and range.
  std::vector<std::string> told() {
    std::istringstream all{value(root(), "told")};
    std::vector<std::string> lines;
    for (std::string line; std::getline(all, line);) lines.push_back(line);
    auto const before = std::exchange(told_, lines.size());
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(before));
    return lines;
  }

  /// Connections to it so far, including the one of this call.
  int connections() const { return std::stoi(value(root(), "connections")); }

 private:
  static std::vector<std::string> words(std::string const& folder, std::string const& certificate) {
    std::vector<std::string> all{"python3", "tests/http/server.py", folder};
    if (!certificate.empty()) all.push_back(certificate);
    return all;
  }
  tessera::HttpStore root() const { return tessera::HttpStore{scheme_ + "://127.0.0.1:" + port()}; }

  ServerProcess process_;
  std::string scheme_;
  std::size_t told_ = 0;
};

}  // namespace test
