// new_identity: boot id, process number and start, and a random session.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <tessera/core/detail/decimal.hpp>
#include <tessera/ipc/descriptor.hpp>
#include <tessera/ipc/detail/error.hpp>

namespace tessera { inline namespace v0 { namespace ipc { namespace detail {

/// Empty, if the file does not exist.
inline std::string small_file(char const* path) {
  std::string result(4096, '\0');
  auto const file = ::open(path, O_RDONLY | O_CLOEXEC);
  auto const size = file < 0 ? -1 : ::read(file, result.data(), result.size());
  if (file >= 0) ::close(file);
  result.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return result;
}

/// Differs between boots and between hosts.
inline std::string boot_id() {
  auto id = small_file("/proc/sys/kernel/random/boot_id");
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

/// The process's start, in ticks since boot (proc(5), field 22 of stat). The name in that line may have any characters.
inline std::uint64_t start_of_this_process() {
  auto const line = small_file("/proc/self/stat");
  std::size_t at = line.rfind(')');
  for (int field = 2; field < 22 && at != line.npos; ++field) at = line.find(' ', at + 1);
  if (at == line.npos) return 0;
  std::uint64_t start = 0;
  tessera::detail::parse_integer(line.substr(at + 1, line.find(' ', at + 1) - at - 1), start);
  return start;
}

inline std::string random_session() {
  unsigned char bytes[16];
  if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes) throw IpcError{"the system returned too few random bytes"};
  std::string digits;
  for (auto byte : bytes) digits.append({"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]});
  return digits;
}

inline Identity new_identity() { return {boot_id(), ::getpid(), start_of_this_process(), random_session()}; }

}}}}  // namespace tessera::v0::ipc::detail
