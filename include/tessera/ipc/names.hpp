// NameServer and ask_for: one process asks another for an array by its name.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <tessera/buffer/detail/memory_file.hpp>
#include <tessera/core/error.hpp>
#include <tessera/ipc/descriptor.hpp>
#include <tessera/ipc/detail/messages.hpp>
#include <tessera/ipc/detail/posix/identity.hpp>
#include <tessera/ipc/detail/posix/socket.hpp>
#include <tessera/ipc/detail/process_thread.hpp>
#include <tessera/store/detail/waiting.hpp>

namespace tessera { inline namespace v0 { namespace ipc {
namespace detail {

struct NameRequest {
  std::uint32_t version = protocol;
  std::uint32_t size = 0;
  char name[1024]{};
};

}  // namespace detail

/// Answers requests for names on its own thread, one after the other; each takes as long as `get(name)`.
/// `[&](std::string_view name) { return shared.get(name); }` serves the arrays of a SharedArrays.
class NameServer {
 public:
  using Get = std::function<Descriptor(std::string_view name)>;

  /// Throws: IpcError.
  explicit NameServer(Get get)
      : get_{std::move(get)}, listening_{detail::listen_as(address_)}, woken_{::eventfd(0, EFD_CLOEXEC)} {
    if (!woken_) detail::fail("make an event descriptor");
    thread_.start([this] { serve(); });
  }
  NameServer(NameServer const&) = delete;
  NameServer& operator=(NameServer const&) = delete;
  ~NameServer() {
    if (!thread_.is_here()) return;  // fork() copies no threads, and the file descriptors belong to the parent
    std::uint64_t const one = 1;
    [[maybe_unused]] auto const told = ::write(woken_.number(), &one, sizeof one);
    thread_.join();
  }

  /// What other processes need in order to ask: 32 characters.
  std::string const& address() const { return address_; }

 private:
  void serve() noexcept {
    for (;;) {
      pollfd asked[2]{{woken_.number(), POLLIN, 0}, {listening_.number(), POLLIN, 0}};
      if (::poll(asked, 2, -1) < 0) continue;
      if (asked[0].revents != 0) return;
      answer();
    }
  }
  void answer() noexcept try {
    detail::File socket{::accept4(listening_.number(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (!socket) {  // too many open files: wait before the next accept
      pollfd end{woken_.number(), POLLIN, 0};
      ::poll(&end, 1, 100);
      return;
    }
    (void)detail::peer_of(socket);
    detail::be_patient(socket);
    auto const got = detail::receive<detail::NameRequest>(socket);
    auto const& request = got.message;
    if (!got.is_whole || request.version != detail::protocol || request.size > sizeof request.name) return;
    detail::Reply reply;
    detail::File file{-1};
    try {
      auto const json = to_json(get_(std::string_view{request.name, request.size}));
      tessera::detail::MemoryFile const memory{json.size()};
      std::memcpy(memory.data(), json.data(), json.size());
      file = detail::File{memory.open(tessera::detail::MemoryFile::Access::read)};
      reply.answer = detail::Answer::granted;
    } catch (std::exception const& error) {
      reply.set_reason(error.what());
    } catch (...) {
      reply.set_reason("an exception of an unknown type");
    }
    detail::send(socket, reply, file.number(), MSG_DONTWAIT);
  } catch (std::exception const&) {  // the peer belongs to another user
  }

  Get get_;
  std::string address_ = detail::random_session();
  detail::File listening_, woken_;
  detail::ProcessThread thread_;
};

/// How to wait for another process.
struct AskOptions {
  std::chrono::seconds patience{600};  ///< for an answer, which may include reading the array
  Stop stop = nullptr;                 ///< once true, ask_for throws Cancelled
};

/// The array of that name, from the process whose NameServer has that address. Throws: ProducerGone; IpcError, with the
/// other process's message, or if no answer arrives in time; Cancelled.
inline Descriptor ask_for(std::string_view name, std::string_view address, AskOptions const& options = {}) {
  detail::NameRequest request;
  if (name.size() > sizeof request.name || address.size() != 32)
    throw IpcError{to_text({"a name must have at most ", sizeof request.name, " characters, and an address 32"})};
  request.size = static_cast<std::uint32_t>(name.size());
  std::copy(name.begin(), name.end(), request.name);
  auto const socket = detail::connect_to(address);
  if (!socket) throw ProducerGone{"no process serves that address"};
  (void)detail::peer_of(socket);
  if (!detail::send(socket, request)) throw ProducerGone{"the other process does not accept requests"};
  auto const end = tessera::detail::end_of(options.patience);
  for (pollfd asked{socket.number(), POLLIN, 0}; ::poll(&asked, 1, 100) <= 0;) {
    tessera::detail::expect_going(options.stop);
    if (std::chrono::steady_clock::now() >= end)
      throw IpcError{
          to_text({"the other process did not answer for \"", name, "\" in ", options.patience.count(), " s"})};
  }
  auto got = detail::receive<detail::Reply>(socket);
  if (!got.is_whole) throw ProducerGone{to_text({"the other process ended before it answered for \"", name, "\""})};
  if (got.message.answer != detail::Answer::granted || !got.file)
    throw IpcError{to_text({"no array \"", name, "\": ", got.message.reason()})};
  tessera::detail::MemoryFile const file{got.file.release(), tessera::detail::MemoryFile::Access::read};
  std::string const json{reinterpret_cast<char const*>(file.data()), file.size()};  // a copy cannot change meanwhile
  return parse_descriptor(json);
}

}}}  // namespace tessera::v0::ipc
