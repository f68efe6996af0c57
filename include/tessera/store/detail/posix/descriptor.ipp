#pragma once
#include <tessera/store/detail/posix/descriptor.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail { namespace posix {

TESSERA_DECL void fail(char const* doing, int error) {
  throw StoreError{to_text({"cannot ", doing, ": ", std::strerror(error)})};
}

TESSERA_DECL Descriptor Descriptor::lent(int number) {
  Descriptor lent{number};
  lent.is_lent_ = true;
  return lent;
}

TESSERA_DECL Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  std::swap(is_lent_, other.is_lent_);
  return *this;
}

TESSERA_DECL Descriptor::~Descriptor() {
  if (number_ < 0 || is_lent_) return;
  auto const error = errno;  // of an earlier failure
  ::close(number_);
  errno = error;
}

TESSERA_DECL struct stat Descriptor::status() const {
  struct stat info {};
  if (::fstat(number_, &info) != 0) fail("look at the file");
  return info;
}

TESSERA_DECL void read(Descriptor const& file, std::span<Piece> parts, std::uint64_t offset) {
  for (;;) {
    while (!parts.empty() && parts.front().iov_len == 0) parts = parts.subspan(1);
    if (parts.empty()) return;
    auto const n =
        parts.size() == 1
            ? ::pread(file.number(), parts[0].iov_base, parts[0].iov_len, static_cast<off_t>(offset))
            : ::preadv(file.number(), parts.data(), static_cast<int>(parts.size()), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("read the file");
    if (n == 0) throw StoreError{"the file became shorter while it was read"};
    offset += static_cast<std::uint64_t>(n);
    for (auto left = static_cast<std::size_t>(n); left > 0; parts = parts.subspan(parts.front().iov_len == 0)) {
      auto& part = parts.front();
      auto const done = left < part.iov_len ? left : part.iov_len;
      part.iov_base = static_cast<std::byte*>(part.iov_base) + done;
      part.iov_len -= done;
      left -= done;
    }
  }
}

TESSERA_DECL void write(Descriptor const& file, std::byte const* from, std::size_t count) {
  while (count > 0) {
    auto const n = ::write(file.number(), from, count);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("write the file");
    from += n;
    count -= static_cast<std::size_t>(n);
  }
}

}}}}  // namespace tessera::v0::detail::posix
