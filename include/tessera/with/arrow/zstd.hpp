// arrow_c::Zstd: bodies of Arrow's messages that are compressed by zstd, for a MessageReader and batch_messages. Needs
// libzstd (BSD-3-Clause): link tessera::zstd.
#pragma once
#include <cstdint>
#include <string_view>

#include <tessera/with/zstd.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c {

/// Arrow's compression ZSTD: each buffer is a frame of codec::Zstd, `Zstd{{.level = 9}}`.
struct Zstd : codec::Zstd {
  static constexpr std::string_view arrow_name = "ZSTD";  ///< in Arrow's format
  static constexpr std::int8_t arrow_number = 1;          ///< likewise
};

}}}  // namespace tessera::v0::arrow_c
