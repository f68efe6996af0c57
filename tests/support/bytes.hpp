// Notations of bytes in tests: vectors, hexadecimal text, views.
#pragma once
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/memory/bytes.hpp>

namespace test {

using Bytes = std::vector<std::byte>;
using HostView = tessera::ByteView<tessera::space::Host>;
using HostSpan = tessera::ByteSpan<tessera::space::Host>;

inline HostView view(Bytes const& bytes) { return {bytes.data(), bytes.size()}; }
inline HostSpan span(Bytes& bytes) { return {bytes.data(), bytes.size()}; }
inline Bytes copy(HostView bytes) { return {bytes.data, bytes.data + bytes.size}; }

inline Bytes bytes(std::string_view text) {
  auto const* data = reinterpret_cast<std::byte const*>(text.data());
  return {data, data + text.size()};
}
inline std::string text(HostView bytes) { return {reinterpret_cast<char const*>(bytes.data), bytes.size}; }

/// "01 02 ff" as three bytes.
inline Bytes hex(std::string_view digits) {
  Bytes result;
  unsigned value = 0, seen = 0;
  for (char c : digits) {
    if (c == ' ') continue;
    value = value * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    if (++seen % 2 == 0) result.push_back(static_cast<std::byte>(value & 0xff));
  }
  return result;
}

/// The bytes as digits, so that a failed comparison can be read.
inline std::string digits(HostView bytes) {
  std::string result;
  for (std::size_t i = 0; i < bytes.size; ++i) {
    auto const b = static_cast<unsigned>(bytes.data[i]);
    result += {"0123456789abcdef"[b / 16], "0123456789abcdef"[b % 16]};
  }
  return result;
}

/// The bytes of values one after the other, as they lie in memory.
template <class T>
Bytes memory_of(std::vector<T> const& values) {
  Bytes result(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(result.data(), values.data(), result.size());
  return result;
}

}  // namespace test
