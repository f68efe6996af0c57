// A web server on loopback that a test starts: tests/http/server.py, which describes its addresses.
#pragma once
#include <array>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <support/store_conformance.hpp>
#include <tessera/with/curl.hpp>

namespace test {

class HttpServer {
 public:
  /// Serves a folder; with a file of a certificate and its key, over HTTPS.
  explicit HttpServer(std::string const& folder, std::string const& certificate = {}) {
    ::setenv("no_proxy", "127.0.0.1,localhost", 1);  // whatever the system's are
    std::array<int, 2> input{}, output{};
    if (::pipe2(input.data(), O_CLOEXEC) != 0 || ::pipe2(output.data(), O_CLOEXEC) != 0) throw std::runtime_error{"pipe"};
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, input[0], 0);
    ::posix_spawn_file_actions_adddup2(&actions, output[1], 1);
    std::vector<std::string> words{"python3", "tests/http/server.py", folder};
    if (!certificate.empty()) words.push_back(certificate);
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    auto const failed = ::posix_spawnp(&process_, "python3", &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(input[0]), ::close(output[1]);
    input_ = input[1];
    for (char c = 0; failed == 0 && ::read(output[0], &c, 1) == 1 && c != '\n';) port_ += c;
    ::close(output[0]);
    scheme_ = certificate.empty() ? "http" : "https";
    if (port_.empty()) throw std::runtime_error{"the server did not start"};
  }
  HttpServer(HttpServer const&) = delete;
  ~HttpServer() {
    ::close(input_);  // it ends then
    int status = 0;
    ::waitpid(process_, &status, 0);
  }

  /// An address of the folder with `mode`: "plain/-", "busy/2".
  std::string at(std::string const& mode) const { return scheme_ + "://127.0.0.1:" + port_ + '/' + mode; }

  std::string const& port() const { return port_; }

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
  tessera::HttpStore root() const { return tessera::HttpStore{scheme_ + "://127.0.0.1:" + port_}; }

  pid_t process_ = 0;
  int input_ = -1;
  std::string scheme_, port_;
  std::size_t told_ = 0;
};

}  // namespace test
