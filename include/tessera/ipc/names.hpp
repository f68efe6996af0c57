// Asking another process for an array by its name.
#pragma once
#include <algorithm>
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

#include <tessera/buffer/memory_file.hpp>
#include <tessera/core/text.hpp>
#include <tessera/ipc/json.hpp>
#include <tessera/ipc/messages.hpp>
#include <tessera/ipc/posix/identity.hpp>
#include <tessera/ipc/posix/socket.hpp>
#include <tessera/ipc/process_thread.hpp>

namespace tessera { inline namespace v0 { namespace ipc {
namespace detail {

struct NameRequest {
  std::uint32_t version = protocol;
  std::uint32_t size = 0;
  char name[1024]{};
};

}  // namespace detail

/// Answers those who ask for names, on a thread of its own: one after the other, each for as long as `get(name)` takes.
/// `[&](std::string_view name) { return shared.get(name); }` gives the arrays of a SharedArrays.
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
    if (!thread_.is_here()) return;  // fork() copies no threads, and the descriptors are the parent's
    std::uint64_t const one = 1;
    [[maybe_unused]] auto const told = ::write(woken_.number(), &one, sizeof one);
    thread_.join();
  }

  /// What other processes must know to ask: 32 characters.
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
    if (!socket) {  // too many open files: who connects waits a little
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
    }
    detail::send(socket, reply, file.number(), MSG_DONTWAIT);
  } catch (std::exception const&) {  // another user
  }

  Get get_;
  std::string address_ = detail::random_session();
  detail::File listening_, woken_;
  detail::ProcessThread thread_;
};

/// The array of that name, of the process that has the NameServer of that address. Waits for as long as the array takes
/// to be read there. Throws: ProducerGone; IpcError, which says what the other process said.
inline Descriptor ask_for(std::string_view name, std::string_view address) {
  detail::NameRequest request;
  if (name.size() > sizeof request.name || address.size() != 32)
    throw IpcError{text({"a name has at most ", sizeof request.name, " characters, and an address 32"})};
  request.size = static_cast<std::uint32_t>(name.size());
  std::copy(name.begin(), name.end(), request.name);
  auto const socket = detail::connect_to(address, false);
  if (!socket) throw ProducerGone{"nobody answers to that address"};
  (void)detail::peer_of(socket);
  if (!detail::send(socket, request)) throw ProducerGone{"the other process takes no request"};
  auto got = detail::receive<detail::Reply>(socket);
  if (!got.is_whole) throw ProducerGone{text({"the other process ended before it answered for \"", name, "\""})};
  if (got.message.answer != detail::Answer::granted || !got.file)
    throw IpcError{text({"no array \"", name, "\": ", got.message.reason()})};
  tessera::detail::MemoryFile const file{got.file.release(), tessera::detail::MemoryFile::Access::read};
  std::string const json{reinterpret_cast<char const*>(file.data()), file.size()};  // nobody changes a copy
  return parse_descriptor(json);
}

}}}  // namespace tessera::v0::ipc
