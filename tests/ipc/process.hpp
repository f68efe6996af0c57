// Processes of a test, which talk to it in messages.
#pragma once
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

namespace test {

/// An end of a channel of texts.
class Channel {
 public:
  explicit Channel(int socket) : socket_{socket} {}
  Channel(Channel&& other) noexcept : socket_{std::exchange(other.socket_, -1)} {}
  Channel& operator=(Channel&& other) noexcept {
    std::swap(socket_, other.socket_);
    return *this;
  }
  ~Channel() {
    if (socket_ >= 0) ::close(socket_);
  }
  void put(std::string const& text) const {
    if (::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) < 0) throw std::runtime_error{"nobody listens"};
  }
  /// Throws, if the other end is closed.
  std::string get() const {
    std::string text(1 << 16, '\0');
    auto const size = ::recv(socket_, text.data(), text.size(), 0);
    if (size <= 0) throw std::runtime_error{"the other process is gone"};
    text.resize(static_cast<std::size_t>(size));
    return text;
  }

 private:
  int socket_;
};

/// Calls work(channel) in a child made by fork(), so start it before any threads.
class Process {
 public:
  template <class F>
  explicit Process(F&& work) : Process{pair()} {
    process_ = ::fork();
    REQUIRE(process_ >= 0);
    if (process_ != 0) {
      ::close(theirs_);
      return;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::alarm(240);
    int status = 1;
    try {
      Channel channel{theirs_};
      channel_ = Channel{-1};
      work(channel);
      status = 0;
    } catch (std::exception const& error) {
      std::fprintf(stderr, "in a process of the test: %s\n", error.what());
    }
    ::_exit(status);
  }
  /// A new process of this program, running one test case alone, which finds its channel by Process::mine(): for a CUDA
  /// runtime, which does not survive fork. Such a case is marked doctest::skip().
  static Process running(char const* test_case) {
    Process made{pair()};
    auto const number = std::to_string(made.theirs_), name = std::string{"--test-case="} + test_case;
    made.process_ = ::fork();
    REQUIRE(made.process_ >= 0);
    if (made.process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::alarm(240);
      ::fcntl(made.theirs_, F_SETFD, 0);
      ::setenv("TESSERA_TEST_CHANNEL", number.c_str(), 1);
      ::execl("/proc/self/exe", "child", name.c_str(), "--no-skip", "--quiet", nullptr);
      ::_exit(1);
    }
    ::close(made.theirs_);
    return made;
  }
  static Channel mine() { return Channel{std::atoi(std::getenv("TESSERA_TEST_CHANNEL"))}; }

  Process(Process&& other) noexcept
      : channel_{std::move(other.channel_)}, theirs_{other.theirs_}, process_{std::exchange(other.process_, 0)} {}
  Process& operator=(Process&& other) noexcept {
    std::swap(channel_, other.channel_), std::swap(theirs_, other.theirs_), std::swap(process_, other.process_);
    other.kill();
    return *this;
  }
  ~Process() { kill(); }

  Channel const& operator*() const { return channel_; }
  Channel const* operator->() const { return &channel_; }
  void signal(int number) const { ::kill(process_, number); }
  void kill() {
    if (process_ <= 0) return;
    signal(SIGKILL);
    (void)wait();
  }
  /// Whether it ended well, by itself.
  bool wait() {
    int status = 1;
    if (process_ > 0) ::waitpid(std::exchange(process_, 0), &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  explicit Process(std::pair<int, int> ends) : channel_{ends.first}, theirs_{ends.second} {}
  static std::pair<int, int> pair() {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    return {ends[0], ends[1]};
  }

  Channel channel_;
  int theirs_;
  ::pid_t process_ = 0;
};

/// Resources of this process: open files, and mappings of shared memory.
inline std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] auto const& file : std::filesystem::directory_iterator{"/proc/self/fd"}) ++count;
  return count;
}
inline std::size_t shared_mappings() {
  std::ifstream maps{"/proc/self/maps"};
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find("/memfd:tessera ") != line.npos;
  return count;
}

/// The kernel reports a process's end; the thread that receives it then needs its turn.
template <class F>
bool comes_true(F&& f) {
  for (int i = 0; i < 2000 && !f(); ++i) ::usleep(5000);
  return f();
}

/// The number of steps of a random run, and its seed: TESSERA_IPC_STEPS, TESSERA_IPC_SEED.
inline std::uint64_t wanted(char const* name, std::uint64_t otherwise) {
  auto const* const text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace test
