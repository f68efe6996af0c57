// ZipRecord: a value in a zip file that is written, and the file's records of it (PKWARE's APPNOTE.TXT 6.3.10, sections
// 4.3.7, 4.3.12 and 4.3.14 to 4.3.16). Sizes and offsets above 4 GiB have records of zip64.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tessera { inline namespace v0 { namespace detail {

struct ZipRecord {
  std::string name{};
  std::uint16_t method = 0;  ///< 0: stored
  std::uint32_t checksum = 0;
  std::uint64_t stored = 0, size = 0;  ///< bytes in the file, and decoded
  std::uint64_t offset = 0;            ///< of the local header
};

/// Numbers with the lowest byte first.
class ZipBytes {
 public:
  ZipBytes& add(std::uint64_t number, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) bytes_.push_back(static_cast<char>(number >> (8 * i)));
    return *this;
  }
  ZipBytes& add2(std::initializer_list<std::uint64_t> numbers) {
    for (auto number : numbers) add(number, 2);
    return *this;
  }
  ZipBytes& add(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  std::string const& get() const { return bytes_; }

 private:
  std::string bytes_;
};

inline constexpr std::uint64_t zip_limit4 = 0xffffffff, zip_limit2 = 0xffff;  ///< also: the number is in zip64
inline constexpr std::uint64_t zip64_version = 45, zip_in_utf8 = 0x800, zip_date = 0x21;  ///< 1 January 1980

/// What a local header and an entry of the directory share: flags, method, time, checksum and sizes.
inline void add_zip_sizes(ZipBytes& to, ZipRecord const& record, bool is_large) {
  to.add2({zip_in_utf8, record.method, 0, zip_date}).add(record.checksum, 4);
  to.add(is_large ? zip_limit4 : record.stored, 4).add(is_large ? zip_limit4 : record.size, 4);
  to.add(record.name.size(), 2);
}

inline bool is_large(ZipRecord const& record) { return std::max(record.stored, record.size) >= zip_limit4; }

/// The local header, in front of the value's bytes.
inline std::string zip_local_header(ZipRecord const& record) {
  auto const large = is_large(record);
  ZipBytes header;
  header.add("PK\3\4").add2({zip64_version});
  add_zip_sizes(header, record, large);
  header.add(large ? std::uint64_t{20} : 0, 2).add(record.name);
  if (large) header.add2({1, 16}).add(record.size, 8).add(record.stored, 8);
  return header.get();
}

/// The value's entry in the directory.
inline std::string zip_directory_entry(ZipRecord const& record) {
  auto const large = is_large(record);
  bool const is_far = record.offset >= zip_limit4;
  std::uint64_t const extra = (large ? 16u : 0u) + (is_far ? 8u : 0u);
  ZipBytes entry;
  constexpr std::uint64_t on_unix = 3 << 8, readable_file = std::uint64_t{0100644} << 16;
  entry.add("PK\1\2").add2({on_unix | zip64_version, zip64_version});
  add_zip_sizes(entry, record, large);
  entry.add2({extra ? extra + 4 : 0, 0, 0, 0}).add(readable_file, 4);
  entry.add(is_far ? zip_limit4 : record.offset, 4).add(record.name);
  if (extra) entry.add2({1, extra});
  if (large) entry.add(record.size, 8).add(record.stored, 8);
  if (is_far) entry.add(record.offset, 8);
  return entry.get();
}

/// The end of the file, behind a directory of `count` entries and `size` bytes at `offset`. Requires: the comment has
/// less than 64 KiB.
inline std::string zip_end(std::uint64_t count, std::uint64_t size, std::uint64_t offset, std::string_view comment) {
  ZipBytes end;
  if (count >= zip_limit2 || std::max(size, offset) >= zip_limit4) {
    end.add("PK\6\6").add(44, 8).add2({zip64_version, zip64_version}).add(0, 8);
    end.add(count, 8).add(count, 8).add(size, 8).add(offset, 8);
    end.add("PK\6\7").add(0, 4).add(offset + size, 8).add(1, 4);
  }
  auto const short_count = std::min(count, zip_limit2);
  end.add("PK\5\6").add2({0, 0, short_count, short_count});
  end.add(std::min(size, zip_limit4), 4).add(std::min(offset, zip_limit4), 4).add(comment.size(), 2).add(comment);
  return end.get();
}

}}}  // namespace tessera::v0::detail
