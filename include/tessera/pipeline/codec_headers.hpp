// What a program lacks that does not know a codec of tessera's.
#pragma once
#include <string>
#include <string_view>

#include <tessera/core/text.hpp>

namespace tessera::inline v0::detail {

/// "; include <tessera/with/zstd.hpp> and list codec::Zstd": for a message; nothing, if tessera has no such codec.
inline std::string how_to_know(std::string_view codec) {
  struct Known {
    std::string_view codec, type, header;
  };
  constexpr Known all[]{{"blosc", "Blosc", "blosc"}, {"gzip", "Gzip", "deflate"}, {"zstd", "Zstd", "zstd"},
                        {"bytes", "Bytes", ""},      {"crc32c", "Crc32c", ""},    {"transpose", "Transpose", ""}};
  for (auto const& one : all)
    if (one.codec == codec) {
      auto const header = one.header.empty() ? "" : text({"include <tessera/with/", one.header, ".hpp> and "});
      return text({"; ", header, "list codec::", one.type, ", or open it with open() of <tessera/all.hpp>"});
    }
  return "";
}

}  // namespace tessera::inline v0::detail
