// Sockets between processes of one user on one host: whole messages, each with at most one open file.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <tessera/core/error.hpp>
#include <tessera/ipc/detail/error.hpp>
#include <tessera/store/detail/posix/descriptor.hpp>

namespace tessera { inline namespace v0 { namespace ipc { namespace detail {

using File = tessera::detail::posix::Descriptor;  // ipc::Descriptor describes an array

[[noreturn]] inline void fail(std::string_view doing, int error = errno) {
  throw IpcError{to_text({"cannot ", doing, ": ", std::strerror(error)})};
}

/// A session's abstract socket name, in the kernel's own table: no file, so nothing remains when the process ends, and
/// no link redirects it. It has no access mode: each end checks the other's user.
inline sockaddr_un address_of(std::string_view session, socklen_t& size) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  auto const name = to_text({"tessera-ipc-", session});
  std::memcpy(address.sun_path + 1, name.data(), name.size());  // a session is 32 characters
  size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

inline File new_socket() {
  File made{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
  if (!made) fail("make a socket");
  return made;
}

inline File listen_as(std::string_view session) {
  auto made = new_socket();
  socklen_t size = 0;
  auto const address = address_of(session, size);
  if (::bind(made.number(), reinterpret_cast<sockaddr const*>(&address), size) != 0) fail("bind the socket");
  if (::listen(made.number(), SOMAXCONN) != 0) fail("listen on the socket");
  return made;
}

/// The process at the other end, as the kernel reports it. Throws: IpcError, if it belongs to another user.
inline pid_t peer_of(File const& socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket.number(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) fail("identify the peer");
  if (peer.uid != ::geteuid()) throw IpcError{to_text({"process ", peer.pid, " belongs to another user"})};
  return peer.pid;
}

/// A file that can be read when the process has ended, for is_connected. Empty, if the system has none: Linux before
/// 5.3, or a filter of system calls. Throws: ProducerGone, if there is no such process.
inline File open_process([[maybe_unused]] pid_t process) {
#if defined(SYS_pidfd_open)
  File made{static_cast<int>(::syscall(SYS_pidfd_open, process, 0))};
  if (!made && errno == ESRCH) throw ProducerGone{to_text({"process ", process, " has ended"})};
  if (!made && errno != ENOSYS && errno != EPERM) fail("watch the other process");
  return made;
#else  // the system's headers are older
  return File{-1};
#endif
}

/// Sends and receives time out after ten seconds.
inline void be_patient(File const& socket) {
  timeval const patience{10, 0};
  ::setsockopt(socket.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket.number(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

/// Empty: no process listens there.
inline File connect_to(std::string_view session) {
  auto made = new_socket();
  be_patient(made);
  socklen_t size = 0;
  auto const address = address_of(session, size);
  while (::connect(made.number(), reinterpret_cast<sockaddr const*>(&address), size) != 0) {
    if (errno == ECONNREFUSED || errno == ENOENT) return File{-1};
    if (errno != EINTR) fail("connect to the other process");
  }
  return made;
}

/// Sends a message, and an open file unless `file` is negative. False: it could not be sent, see errno.
template <class Message>
bool send(File const& socket, Message const& message, int file = -1, int flags = 0) {
  iovec part{const_cast<Message*>(&message), sizeof message};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
  msghdr header{};
  header.msg_iov = &part, header.msg_iovlen = 1;
  if (file >= 0) {
    header.msg_control = control, header.msg_controllen = sizeof control;
    auto* const rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET, rights->cmsg_type = SCM_RIGHTS, rights->cmsg_len = CMSG_LEN(sizeof file);
    std::memcpy(CMSG_DATA(rights), &file, sizeof file);
  }
  ssize_t sent = 0;
  do sent = ::sendmsg(socket.number(), &header, flags | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(sizeof message);
}

/// `is_whole`: a message of that type arrived, with or without an open file. `is_nothing`: receiving would wait.
template <class Message>
struct Received {
  bool is_whole = false, is_nothing = false;
  Message message{};
  File file{-1};
};
template <class Message>
Received<Message> receive(File const& socket, int flags = 0) {
  Received<Message> result;
  iovec part{&result.message, sizeof result.message};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
  msghdr header{};
  header.msg_iov = &part, header.msg_iovlen = 1;
  header.msg_control = control, header.msg_controllen = CMSG_LEN(sizeof(int));  // a second one is dropped
  ssize_t got = 0;
  do got = ::recvmsg(socket.number(), &header, flags | MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  result.is_nothing = got < 0 && errno == EAGAIN;
  if (got < 0) return result;
  for (auto* rights = CMSG_FIRSTHDR(&header); rights; rights = CMSG_NXTHDR(&header, rights))
    if (rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS) {
      int file = -1;
      std::memcpy(&file, CMSG_DATA(rights), sizeof file);
      result.file = File{file};
    }
  result.is_whole = got == static_cast<ssize_t>(sizeof result.message) && (header.msg_flags & MSG_TRUNC) == 0;
  return result;
}

/// Whether the other end is connected, without waiting: the kernel reports at once that its process has ended.
/// `process`: of open_process. A child made by fork() has its parent's end of the socket, too, and may live longer.
inline bool is_connected(File const& socket, File const& process) {
  pollfd asked[2]{{socket.number(), POLLRDHUP, 0}, {process.number(), POLLIN, 0}};  // a negative number is ignored
  return ::poll(asked, 2, 0) >= 0 && (asked[0].revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) == 0 &&
         asked[1].revents == 0;
}

}}}}  // namespace tessera::v0::ipc::detail
