// A program that a test starts: a server on loopback. It prints its port, and ends when its standard input does.
#pragma once
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace test {

class ServerProcess {
 public:
  /// The program and its arguments.
  explicit ServerProcess(std::vector<std::string> words) {
    ::setenv("no_proxy", "127.0.0.1,localhost", 1);  // whatever the system's are
    std::array<int, 2> input{}, output{};
    if (::pipe2(input.data(), O_CLOEXEC) != 0 || ::pipe2(output.data(), O_CLOEXEC) != 0)
      throw std::runtime_error{"pipe"};
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, input[0], 0);
    ::posix_spawn_file_actions_adddup2(&actions, output[1], 1);
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    auto const failed = ::posix_spawnp(&process_, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(input[0]), ::close(output[1]);
    input_ = input[1];
    for (char c = 0; failed == 0 && ::read(output[0], &c, 1) == 1 && c != '\n';) port_ += c;
    ::close(output[0]);
    if (!port_.empty()) return;
    end();
    throw std::runtime_error{"the server did not start"};
  }
  ServerProcess(ServerProcess const&) = delete;
  ~ServerProcess() { end(); }

  std::string const& port() const { return port_; }

 private:
  void end() const {
    ::close(input_);  // it ends then
    int status = 0;
    if (process_ > 0) ::waitpid(process_, &status, 0);
  }

  pid_t process_ = 0;
  int input_ = -1;
  std::string port_;
};

}  // namespace test
