// Zip files that libzip writes, and offsets in their bytes.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <zip.h>

#include <support/bytes.hpp>

namespace zip_tests {

struct Entry {
  std::string name, value;
  zip_int32_t method = ZIP_CM_STORE;
  bool is_encrypted = false;
};

inline void write_zip(std::string const& path, std::vector<Entry> const& entries) {
  auto* const archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  REQUIRE(archive);
  for (auto const& [name, value, method, is_encrypted] : entries) {
    auto* const source = zip_source_buffer(archive, value.data(), value.size(), 0);
    auto const index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    REQUIRE(index >= 0);
    auto const number = static_cast<zip_uint64_t>(index);
    REQUIRE(zip_set_file_compression(archive, number, method, 0) == 0);
    if (is_encrypted) REQUIRE(zip_file_set_encryption(archive, number, ZIP_EM_TRAD_PKWARE, "secret") == 0);
  }
  REQUIRE(zip_close(archive) == 0);
  if (entries.empty())  // libzip writes no file
    std::ofstream{path, std::ios::binary} << "PK\5\6" << std::string(18, '\0');
}

inline std::string bytes_of(std::string const& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}
inline void write_bytes(std::string const& path, std::string_view bytes) {
  std::ofstream{path, std::ios::binary | std::ios::trunc} << bytes;
}

/// In an entry of a zip file's directory.
enum class Field : std::size_t { flags = 8, method = 10, crc = 16, stored_size = 20, size = 24, name = 46 };

/// Where the entry of that name begins in the directory; names are not searched for in values.
inline std::size_t directory_entry(std::string const& bytes, std::string const& name) {
  for (auto at = bytes.find("PK\1\2"); at != bytes.npos; at = bytes.find("PK\1\2", at + 1))
    if (bytes.compare(at + static_cast<std::size_t>(Field::name), name.size(), name) == 0) return at;
  FAIL("no such entry");
  return 0;
}
/// Of `width` bytes, the lowest first.
inline void set(std::string& bytes, std::string const& name, Field field, std::uint64_t value, std::size_t width) {
  auto const at = directory_entry(bytes, name) + static_cast<std::size_t>(field);
  for (std::size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
}

/// Text that deflates well, and that has no period.
inline std::string long_text(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) text += std::to_string(i * i) + (i % 7 == 0 ? "\n" : ", ");
  text.resize(size);
  return text;
}

}  // namespace zip_tests
