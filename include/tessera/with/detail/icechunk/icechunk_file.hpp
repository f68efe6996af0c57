// icechunk_file: a metadata file of an Icechunk repository: a header, and a FlatBuffer that zstd compressed.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/with/zstd.hpp>

namespace tessera { inline namespace v0 { namespace detail {

enum class IcechunkFile : unsigned { snapshot = 1, manifest = 2, repository = 6 };

/// An object's id in a file's name: Crockford's Base32.
inline std::string icechunk_name(std::span<std::byte const> id) {
  constexpr std::string_view digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  std::string name;
  for (std::size_t bit = 0; bit < 8 * id.size(); bit += 5) {
    unsigned value = 0;
    for (std::size_t i = bit; i < bit + 5; ++i) {
      auto const byte = i / 8 < id.size() ? std::to_integer<unsigned>(id[i / 8]) : 0u;
      value = value * 2 + (byte >> (7 - i % 8) & 1u);
    }
    name += digits[value];
  }
  return name;
}

/// Of frames whose size may not be known. `dictionary`: may be empty. Throws: MetadataError, also for more than `most`
/// bytes.
inline std::vector<std::byte> zstd_decoded(std::span<std::byte const> from, std::span<std::byte const> dictionary,
                                           std::size_t most) {
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> const context{ZSTD_createDCtx(), &ZSTD_freeDCtx};
  if (!context) throw Error{"cannot allocate a zstd context"};
  auto const check = [](std::size_t result) {
    if (ZSTD_isError(result)) throw MetadataError{to_text({"it does not decode: ", ZSTD_getErrorName(result)})};
    return result;
  };
  if (!dictionary.empty()) check(ZSTD_DCtx_loadDictionary(context.get(), dictionary.data(), dictionary.size()));
  std::vector<std::byte> to;
  ZSTD_inBuffer in{from.data(), from.size(), 0};
  for (std::size_t left = 1; left != 0;) {
    auto const size = to.size();
    if (size == most) throw MetadataError{to_text({"it decodes to more than ", most, " bytes"})};
    to.resize(std::min(most, std::max(2 * size, 8 * from.size() + 1024)));
    ZSTD_outBuffer out{to.data(), to.size(), size};
    left = check(ZSTD_decompressStream(context.get(), &out, &in));
    bool const is_cut = left != 0 && in.pos == in.size && out.pos < out.size;
    to.resize(out.pos);
    if (is_cut) throw MetadataError{"it ends before its content does"};
  }
  return to;
}

/// The FlatBuffer in a file. Throws: MetadataError.
inline std::vector<std::byte> icechunk_file(std::span<std::byte const> file, IcechunkFile type) {
  constexpr std::string_view magic = "ICE\xF0\x9F\xA7\x8A" "CHUNK";
  constexpr std::size_t before_version = 12 + 24, header = before_version + 3;
  constexpr std::size_t most = std::size_t{1} << 30;
  std::string_view const text{reinterpret_cast<char const*>(file.data()), file.size()};
  if (!text.starts_with(magic) || file.size() < header) throw MetadataError{"expected a file of Icechunk"};
  auto const at = [&](std::size_t i) { return std::to_integer<unsigned>(file[before_version + i]); };
  if (at(0) != 1 && at(0) != 2)
    throw MetadataError{to_text({"found version ", at(0), " of Icechunk, expected 1 or 2"})};
  if (at(1) != static_cast<unsigned>(type))
    throw MetadataError{to_text({"found a file of type ", at(1), ", expected ", static_cast<unsigned>(type)})};
  auto const rest = file.subspan(header);
  if (at(2) == 0) return {rest.begin(), rest.end()};
  if (at(2) != 1) throw MetadataError{to_text({"found compression ", at(2), ", expected 0 (none) or 1 (zstd)"})};
  return zstd_decoded(rest, {}, most);
}

}}}  // namespace tessera::v0::detail
