#include "gpu.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "lock.hpp"
#include "report.hpp"

namespace emulation::gpu {
namespace {

enum Asked : std::uint32_t { nothing, kernel, answered };

struct Pages {
  std::byte* begin;
  std::size_t length;
};

struct Shown {
  Pages pages;
  std::size_t offset;
  char path[64];  ///< empty: the region's own file
};

/// State shared between the program and a device's process.
struct Mailbox {
  std::atomic<std::uint32_t> state;
  std::atomic<std::int32_t> process;  ///< 0: none yet
  Run run;                            ///< null: only pages to close
  std::uint64_t blocks;
  bool backwards;  ///< the last block first
  alignas(64) std::byte function[most_bytes];
  cudaError_t error;
  void const* touched;
  Shown show;  ///< if it has pages
  std::size_t closing;
  Pages to_close[1024];  ///< before the next kernel
};

struct Shared {
  std::atomic<std::uint32_t> wanted;  ///< of the process that forks: 1 + the device that needs one
  Mailbox mailboxes[most_devices];
};

constexpr std::size_t stack_size = std::size_t{1} << 20;

Shared* shared = nullptr;
std::byte* stacks = nullptr;  ///< of the devices' processes; mapped by the program, so that it maps nothing else there
pid_t forker = 0;

// In a device's process.
bool serves = false;
int its_device = 0;
sigjmp_buf before_kernel;

void* map(std::size_t size) {
  void* const mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) mistake({"no memory for the emulated devices"});
  return mapped;
}

/// Waits until `enough(word)`: for a short while awake, because a kernel is short. False if `gone()` says that the
/// other process has ended.
template <class Enough, class Gone = bool (*)()>
bool await_change(
    std::atomic<std::uint32_t>& word, Enough enough, Gone gone = [] { return false; }) {
  for (int turn = 0; turn < 500; ++turn) {
    if (enough(word.load(std::memory_order_acquire))) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  for (;;) {
    std::uint32_t const seen = word.load(std::memory_order_acquire);
    if (enough(seen)) return true;
    if (gone()) return false;
    futex_wait(word, seen, 200);
  }
}

/// A page of an allocation that the device may access is opened on first access; any other access ends the kernel.
void on_signal(int signal, siginfo_t* info, void*) {
  Mailbox& mailbox = shared->mailboxes[its_device];
  std::uint32_t const bit = std::uint32_t{1} << its_device;
  if (signal == SIGSEGV) {
    Allocation* const found = regions().find_allocation(info->si_addr);
    if (found != nullptr && found->state == State::live && (found->accessible & bit) != 0 &&
        (found->opened & bit) == 0) {
      mprotect(found->pages, found->length, PROT_READ | PROT_WRITE);
      found->opened |= bit;
      return;
    }
  }
  mailbox.touched = info->si_addr;
  mailbox.error = signal == SIGSEGV || signal == SIGBUS ? cudaErrorIllegalAddress
                  : signal == SIGABRT                   ? cudaErrorAssert
                  : signal == SIGILL                    ? cudaErrorMisalignedAddress  // see emulation/CMakeLists.txt
                                                        : cudaErrorLaunchFailure;
  siglongjmp(before_kernel, 1);
}

/// Closes the stack and the heap of the fork: the program's own continue at the same addresses.
void forget_the_program() {
  static std::array<char, 65536> text;
  int const file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  std::size_t size = 0;
  for (ssize_t got = 1; got > 0 && size + 1 < text.size();
       size += static_cast<std::size_t>(std::max<ssize_t>(got, 0))) {
    got = read(file, text.data() + size, text.size() - 1 - size);
  }
  ::close(file);
  for (char* line = text.data(); line != nullptr && *line != 0;) {
    char* const end = std::strchr(line, '\n');
    if (end != nullptr) *end = 0;
    if (std::strstr(line, "[heap]") != nullptr || std::strstr(line, "[stack]") != nullptr) {
      char* rest = nullptr;
      auto const begin = std::strtoull(line, &rest, 16);
      auto const behind = std::strtoull(rest + 1, nullptr, 16);
      mprotect(reinterpret_cast<void*>(begin), behind - begin, PROT_NONE);
    }
    line = end != nullptr ? end + 1 : nullptr;
  }
}

bool show_asked(Shown const& asked) {
  bool const own = asked.path[0] == 0;
  int const file = own ? regions().find(asked.pages.begin)->file() : open(asked.path, O_RDWR | O_CLOEXEC);
  bool const shown = Region::show_to_kernels(asked.pages.begin, asked.pages.length, file, asked.offset);
  if (!own && file >= 0) ::close(file);
  return shown;
}

void serve() {
  serves = true;
  forget_the_program();
  regions().hide();
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  for (int const signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
  Mailbox& mailbox = shared->mailboxes[its_device];
  for (;;) {
    await_change(mailbox.state, [](std::uint32_t seen) { return seen == kernel; });
    for (std::size_t i = 0; i < mailbox.closing; ++i) {
      mprotect(mailbox.to_close[i].begin, mailbox.to_close[i].length, PROT_NONE);
    }
    mailbox.closing = 0;
    mailbox.error = cudaSuccess;
    if (mailbox.show.pages.length != 0 && !show_asked(mailbox.show)) mailbox.error = cudaErrorMapBufferObjectFailed;
    mailbox.show.pages.length = 0;
    if (sigsetjmp(before_kernel, 0) == 0 && mailbox.run != nullptr) {
      auto const last = mailbox.blocks - 1;
      for (std::uint64_t i = 0; i <= last; ++i) mailbox.run(mailbox.function, mailbox.backwards ? last - i : i);
    }
    mailbox.state.store(answered, std::memory_order_release);
    futex_wake(mailbox.state);
  }
}

/// Runs serve() on its own stack.
void become_device(int device) {
  its_device = device;
  static ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = stacks + static_cast<std::size_t>(device) * stack_size;
  context.uc_stack.ss_size = stack_size;
  context.uc_link = nullptr;
  makecontext(&context, serve, 0);
  setcontext(&context);
}

/// A child that dies with its parent.
pid_t fork_bound() {
  pid_t const parent = getpid();
  pid_t const child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
  }
  return child;
}

[[noreturn]] void fork_devices() {
  std::signal(SIGCHLD, SIG_IGN);
  for (;;) {
    std::uint32_t const wanted = shared->wanted.load(std::memory_order_acquire);
    if (wanted == 0) {
      futex_wait(shared->wanted, 0);
      continue;
    }
    pid_t const child = fork_bound();
    if (child == 0) become_device(static_cast<int>(wanted) - 1);
    shared->mailboxes[wanted - 1].process.store(child, std::memory_order_release);
    shared->wanted.store(0, std::memory_order_release);
    futex_wake(shared->wanted);
  }
}

bool is_gone(pid_t process) { return ::kill(process, 0) != 0 && errno == ESRCH; }

void start(int device) {
  shared->wanted.store(static_cast<std::uint32_t>(device) + 1, std::memory_order_release);
  futex_wake(shared->wanted);
  while (std::uint32_t const wanted = shared->wanted.load(std::memory_order_acquire)) {
    futex_wait(shared->wanted, wanted, 200);
    if (waitpid(forker, nullptr, WNOHANG) != 0) mistake({"the process that forks the devices' own has gone"});
  }
  if (shared->mailboxes[device].process.load() <= 0) mistake({"no process for an emulated device"});
}

void ask(int device) {
  Mailbox& mailbox = shared->mailboxes[device];
  mailbox.state.store(kernel, std::memory_order_release);
  futex_wake(mailbox.state);
  bool const ended = await_change(
      mailbox.state, [](std::uint32_t seen) { return seen != kernel; },
      [&] { return is_gone(mailbox.process.load()); });
  if (!ended) {  // the kernel ended the process
    mailbox.error = cudaErrorLaunchFailure;
    mailbox.touched = nullptr;
  }
  mailbox.state.store(nothing, std::memory_order_release);
}

}  // namespace

void prepare() {
  shared = static_cast<Shared*>(map(sizeof(Shared)));
  stacks = static_cast<std::byte*>(map(most_devices * stack_size));
  forker = fork_bound();
  if (forker < 0) mistake({"no process for the emulated devices"});
  if (forker == 0) fork_devices();
}

cudaError_t launch(int device, Run run, void const* function, std::size_t size, std::uint64_t blocks, bool backwards,
                   void const*& touched) {
  Mailbox& mailbox = shared->mailboxes[device];
  if (mailbox.process.load(std::memory_order_relaxed) == 0) start(device);
  std::memcpy(mailbox.function, function, size);
  mailbox.run = run;
  mailbox.blocks = blocks;
  mailbox.backwards = backwards;
  ask(device);
  touched = mailbox.touched;
  return mailbox.error;
}

void end_kernel(void const* touched) {
  if (!serves) return;
  Mailbox& mailbox = shared->mailboxes[its_device];
  mailbox.touched = touched;
  mailbox.error = cudaErrorIllegalAddress;
  siglongjmp(before_kernel, 1);
}

void close(Allocation& allocation, std::uint32_t devices) {
  for (int device = 0; device < most_devices; ++device) {
    std::uint32_t const bit = std::uint32_t{1} << device;
    if ((allocation.opened & devices & bit) == 0) continue;
    allocation.opened &= ~bit;
    Mailbox& mailbox = shared->mailboxes[device];
    mailbox.to_close[mailbox.closing++] = {allocation.pages, allocation.length};
    if (mailbox.closing < std::size(mailbox.to_close)) continue;
    mailbox.run = nullptr;
    ask(device);
  }
}

bool show(Allocation const& allocation, char const* path, std::size_t offset) {
  Mailbox& mailbox = shared->mailboxes[allocation.device];
  if (mailbox.process.load(std::memory_order_relaxed) == 0) {
    if (*path == 0) return true;  // no process has seen another
    start(allocation.device);
  }
  mailbox.show = {{allocation.pages, allocation.length}, offset, {}};
  std::strncpy(mailbox.show.path, path, sizeof mailbox.show.path - 1);
  mailbox.run = nullptr;
  ask(allocation.device);
  return mailbox.error == cudaSuccess;
}

void restart(int device) {
  Mailbox& mailbox = shared->mailboxes[device];
  pid_t const process = mailbox.process.load();
  if (process == 0) return;
  ::kill(process, SIGKILL);
  while (!is_gone(process)) futex_wait(mailbox.state, mailbox.state.load(), 1);
  mailbox.process.store(0);
  mailbox.closing = 0;
  for (Allocation& allocation : regions().all()) allocation.opened &= ~(std::uint32_t{1} << device);
}

}  // namespace emulation::gpu
