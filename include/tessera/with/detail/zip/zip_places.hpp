// zip_places: where a zip file's entries lie, by its directory (PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.7 to 4.3.16).
// libzip reads entries but does not tell their offsets, which are needed to fetch many at once.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include <tessera/core/detail/function_ref.hpp>
#include <tessera/memory/bytes.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// An entry in the file: its local header, the name, extra fields of unknown length, and the value's stored bytes.
struct ZipPlace {
  static constexpr std::uint64_t header_bytes = 30;
  static constexpr std::uint64_t usual_extra = 64;  ///< bytes of the local header's extra fields, at most

  std::uint64_t header = 0;  ///< offset of the local header
  std::uint64_t stored = 0;  ///< bytes of the value in the file
  std::uint16_t name = 0;    ///< bytes of its name
  bool is_plain = false;     ///< not compressed: a range of the value is a range of the file

  /// The least offset that the value's first byte can have.
  std::uint64_t least_begin() const { return header + header_bytes + name; }
};

/// In the order of the directory. `read(offset, to)`: whether all of `to` was filled. Empty: the directory is not as
/// expected, or not readable.
inline std::vector<ZipPlace> zip_places(std::uint64_t size,
                                        FunctionRef<bool(std::uint64_t, ByteSpan<space::Host>)> read) {
  std::vector<std::byte> bytes;
  // Piece by piece: memory is for what is there, because sizes are not trusted, not even that of the file.
  auto const fill = [&](std::uint64_t offset, std::uint64_t count) {
    constexpr std::uint64_t piece = std::uint64_t{1} << 20;
    if (offset > size || count > size - offset) return false;
    bytes.clear();
    while (bytes.size() < count) {
      auto const at = bytes.size();
      bytes.resize(static_cast<std::size_t>(std::min(count, at + piece)));
      if (!read(offset + at, {bytes.data() + at, bytes.size() - at})) return false;
    }
    return true;
  };
  auto const number = [&](std::size_t at, std::size_t width) {
    std::uint64_t value = 0;
    for (std::size_t i = width; i-- > 0;) value = value << 8u | std::to_integer<std::uint64_t>(bytes[at + i]);
    return value;
  };
  constexpr std::uint64_t end_bytes = 22, longest_comment = 65535, unknown4 = 0xffffffff, unknown2 = 0xffff;
  auto const tail = std::min(size, end_bytes + longest_comment);
  if (tail < end_bytes || !fill(size - tail, tail)) return {};
  auto end = static_cast<std::size_t>(tail - end_bytes);
  while (number(end, 4) != 0x06054b50 || end + end_bytes + number(end + 20, 2) != tail)
    if (end-- == 0) return {};
  auto count = number(end + 10, 2), length = number(end + 12, 4), begin = number(end + 16, 4);
  if (count == unknown2 || length == unknown4 || begin == unknown4) {
    auto const locator = size - tail + end;
    if (locator < 20 || !fill(locator - 20, 20) || number(0, 4) != 0x07064b50) return {};
    if (!fill(number(8, 8), 56) || number(0, 4) != 0x06064b50) return {};
    count = number(32, 8), length = number(40, 8), begin = number(48, 8);
  }
  constexpr std::uint64_t entry_bytes = 46;
  if (count > length / entry_bytes || !fill(begin, length)) return {};
  std::vector<ZipPlace> places;
  places.reserve(static_cast<std::size_t>(count));
  for (std::size_t at = 0; places.size() < count;) {
    if (bytes.size() - at < entry_bytes || number(at, 4) != 0x02014b50) return {};
    auto const name = number(at + 28, 2), extra = number(at + 30, 2), comment = number(at + 32, 2);
    if (bytes.size() - at - entry_bytes < name + extra + comment) return {};
    ZipPlace place{number(at + 42, 4), number(at + 20, 4), static_cast<std::uint16_t>(name), number(at + 10, 2) == 0};
    bool const is_long = number(at + 24, 4) == unknown4;
    auto field = static_cast<std::size_t>(at + entry_bytes + name),
         fields_end = static_cast<std::size_t>(field + extra);
    while (fields_end - field >= 4) {
      auto const id = number(field, 2), bytes_of_field = number(field + 2, 2);
      field += 4;
      if (bytes_of_field > fields_end - field) return {};
      auto const next = static_cast<std::size_t>(field + bytes_of_field);
      if (id == 1) {  // sizes and offset that do not fit into four bytes, in this order
        if (is_long) field += 8;
        for (auto* const large : {&place.stored, &place.header}) {
          if (*large != unknown4) continue;
          if (field + 8 > next) return {};
          *large = number(field, 8);
          field += 8;
        }
      }
      field = next;
    }
    places.push_back(place);
    at = static_cast<std::size_t>(fields_end + comment);
  }
  return places;
}

}}}  // namespace tessera::v0::detail
