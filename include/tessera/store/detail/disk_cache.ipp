#pragma once
#include <tessera/store/detail/disk_cache.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// Finds damage, and gives files their names; not for security.
TESSERA_DECL std::uint64_t mixed_bytes(std::byte const* data, std::size_t size, std::uint64_t seed) {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
  auto result = seed ^ (size * factor);
  for (std::size_t at = 0; at < size; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + at, std::min<std::size_t>(8, size - at));
    result = (result ^ word) * factor;
    result ^= result >> 32;
  }
  return result;
}

// The last bytes of a file.
struct KeptTrailer {
  std::uint64_t identity, version, value;  // bytes, in the order of the file: value, identity, version
  std::uint64_t checksum;                  // of all before the trailer, and of the sizes
  std::array<char, 8> magic;
};
inline constexpr std::array<char, 8> kept_magic{'t', 'e', 's', 's', 'e', 'r', 'a', '1'};

TESSERA_DECL std::uint64_t checksum_of(std::byte const* data, KeptTrailer const& trailer) {
  auto const size = static_cast<std::size_t>(trailer.value + trailer.identity + trailer.version);
  return mixed_bytes(data, size, trailer.identity * 31 + trailer.version);
}

TESSERA_DECL std::vector<std::byte> const& KeptValue::seal(std::string_view identity) {
  auto const add = [&](void const* from, std::size_t size) {
    auto const* begin = static_cast<std::byte const*>(from);
    file_.insert(file_.end(), begin, begin + size);
  };
  add(identity.data(), identity.size());
  add(version.data(), version.size());
  KeptTrailer trailer{identity.size(), version.size(), size_, 0, kept_magic};
  trailer.checksum = checksum_of(file_.data(), trailer);
  add(&trailer, sizeof trailer);
  return file_;
}

TESSERA_DECL std::optional<KeptValue> KeptValue::from(std::vector<std::byte> file, std::string_view identity) {
  KeptTrailer trailer{};
  if (file.size() < sizeof trailer) return std::nullopt;
  auto const rest = file.size() - sizeof trailer;
  std::memcpy(&trailer, file.data() + rest, sizeof trailer);
  if (trailer.magic != kept_magic || trailer.identity != identity.size()) return std::nullopt;
  if (trailer.identity > rest || trailer.version > rest - trailer.identity ||
      trailer.value != rest - trailer.identity - trailer.version)
    return std::nullopt;
  if (checksum_of(file.data(), trailer) != trailer.checksum) return std::nullopt;
  auto const size = static_cast<std::size_t>(trailer.value);
  if (std::memcmp(file.data() + size, identity.data(), identity.size()) != 0) return std::nullopt;
  KeptValue value;
  value.version.assign(reinterpret_cast<char const*>(file.data()) + size + identity.size(),
                       static_cast<std::size_t>(trailer.version));
  value.file_ = std::move(file);
  value.size_ = size;
  return value;
}

// "a7/03c9...": folders have a 256th of the files each.
TESSERA_DECL Key key_of_kept(std::string const& identity) {
  auto const* data = reinterpret_cast<std::byte const*>(identity.data());
  std::string path;
  for (auto const seed : {std::uint64_t{1}, std::uint64_t{2}}) {
    char digits[16];
    auto const number = mixed_bytes(data, identity.size(), seed);
    auto const end = std::to_chars(digits, digits + sizeof digits, number, 16).ptr;
    path.append(static_cast<std::size_t>(digits + sizeof digits - end), '0').append(digits, end);
  }
  return {path.insert(2, "/")};
}

// Whether a path below the folder is one of these; others are never erased.
TESSERA_DECL bool is_kept_path(std::string_view path) {
  return path.size() == 33 && path[2] == '/' && path.find_first_not_of("0123456789abcdef") == 2 &&
         path.find_first_not_of("0123456789abcdef", 3) == path.npos;
}

TESSERA_DECL DiskCache::DiskCache(std::string folder, std::uint64_t budget)
    : folder_{std::move(folder)}, budget_{budget}, files_{folder_} {
  try {
    (void)files_.has_folder("");
  } catch (StoreError& error) {  // it is a file
    error.in_store(folder_);
    throw;
  }
}

TESSERA_DECL std::optional<KeptValue> DiskCache::find(std::string const& identity) {
  auto const key = key_of_kept(identity);
  Queue<space::Host> on;
  std::vector<std::byte> file;
  try {
    auto const room = [&](std::size_t size) {
      if (size > budget_) throw StoreError{"a file that is larger than all may be together"};
      file.resize(size);
      return ByteSpan<space::Host>{file.data(), size};
    };
    if (!files_.read(key, {}, room, on)) return std::nullopt;
  } catch (StoreError const&) {
    ++damaged_;
    return std::nullopt;
  } catch (std::bad_alloc const&) {  // the budget may exceed the memory
    ++damaged_;
    return std::nullopt;
  }
  auto found = KeptValue::from(std::move(file), identity);
  if (!found) return ++damaged_, std::nullopt;
  std::error_code ignored;  // another process may have erased it
  std::filesystem::last_write_time(std::filesystem::path{folder_} / key.path,
                                   std::filesystem::file_time_type::clock::now(), ignored);
  return found;
}

TESSERA_DECL void DiskCache::keep(std::string const& identity, KeptValue value) {
  auto const& file = value.seal(identity);
  if (file.size() > budget_) return;
  Queue<space::Host> on;
  try {
    files_.write(key_of_kept(identity), {file.data(), file.size()}, on);
  } catch (StoreError const&) {
    ++unwritten_;
    return;
  }
  std::lock_guard const held{mutex_};
  bytes_ += file.size(), written_ += file.size();
  if (!is_counted_ || bytes_ > budget_ || written_ > budget_ / 16) make_room();
}

TESSERA_DECL void DiskCache::forget(std::string const& identity) {
  std::error_code ignored;  // then it is outdated the next time, too
  std::filesystem::remove(std::filesystem::path{folder_} / key_of_kept(identity).path, ignored);
}

TESSERA_DECL void DiskCache::make_room() {
  namespace fs = std::filesystem;
  struct File {
    fs::file_time_type time;
    std::uint64_t size;
    fs::path path;
  };
  std::vector<File> found;
  std::uint64_t sum = 0;
  std::error_code error;  // files come and go meanwhile
  constexpr auto others = fs::directory_options::skip_permission_denied;  // "lost+found", where a file system begins
  for (fs::recursive_directory_iterator at{folder_, others, error}, end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (!at->is_regular_file(gone) || !is_kept_path(at->path().lexically_relative(folder_).generic_string())) continue;
    auto const size = at->file_size(gone);
    auto const time = at->last_write_time(gone);
    if (gone) continue;
    sum += size;
    found.push_back({time, size, at->path()});
  }
  if (sum > budget_) {
    std::ranges::sort(found, {}, &File::time);
    for (auto const& [time, size, path] : found) {
      if (sum <= budget_ - budget_ / 8) break;
      if (fs::remove(path, error)) ++erased_;
      sum -= size;
    }
    try {
      files_.erase_unfinished("");
    } catch (StoreError const&) {
      ++damaged_;
    }
  }
  is_counted_ = true, bytes_ = sum, written_ = 0;
}

TESSERA_DECL void DiskCache::clear() {
  Queue<space::Host> on;
  std::vector<Key> keys;
  files_.list("", [&](Listed const& one) {
    if (is_kept_path(one.path)) keys.push_back({std::string{one.path}});
  });
  for (auto const& key : keys) files_.erase(key, on);
  std::lock_guard const held{mutex_};
  is_counted_ = false;
}

TESSERA_DECL DiskCacheStatistics DiskCache::statistics() const {
  return {hits_, misses_, erased_, damaged_, unwritten_};
}

}}}  // namespace tessera::v0::detail
