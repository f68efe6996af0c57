// The hooks behind support/system_calls.hpp for sockets. Each name here is also in tests/CMakeLists.txt, for the
// linker.
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <support/system_calls.hpp>

using test::SystemCalls;

extern "C" {

#define TESSERA_TEST_REAL(result, name, ...) \
  result __real_##name(__VA_ARGS__);         \
  result __wrap_##name(__VA_ARGS__)

TESSERA_TEST_REAL(int, socket, int domain, int type, int protocol) {
  return SystemCalls::fails("socket") ? -1 : __real_socket(domain, type, protocol);
}
TESSERA_TEST_REAL(int, bind, int file, sockaddr const* address, socklen_t size) {
  return SystemCalls::fails("bind") ? -1 : __real_bind(file, address, size);
}
TESSERA_TEST_REAL(int, listen, int file, int most) {
  return SystemCalls::fails("listen") ? -1 : __real_listen(file, most);
}
TESSERA_TEST_REAL(int, eventfd, unsigned count, int flags) {
  return SystemCalls::fails("eventfd") ? -1 : __real_eventfd(count, flags);
}
TESSERA_TEST_REAL(int, connect, int file, sockaddr const* address, socklen_t size) {
  return SystemCalls::fails("connect") ? -1 : __real_connect(file, address, size);
}
TESSERA_TEST_REAL(int, getsockopt, int file, int level, int name, void* value, socklen_t* size) {
  return SystemCalls::fails("getsockopt") ? -1 : __real_getsockopt(file, level, name, value, size);
}
TESSERA_TEST_REAL(ssize_t, sendmsg, int file, msghdr const* message, int flags) {
  return SystemCalls::fails("sendmsg") ? -1 : __real_sendmsg(file, message, flags);
}
}
