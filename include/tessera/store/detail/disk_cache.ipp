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
  std::uint64_t identity, version, value;  // bytes, in the order of the file: value, identity, version, sums of blocks
  std::uint64_t checksum;                  // of all between the value and the trailer, and of the sizes
  std::array<char, 8> magic;
};
inline constexpr std::array<char, 8> kept_magic{'t', 'e', 's', 's', 'e', 'r', 'a', '2'};
inline constexpr std::size_t kept_block = std::size_t{64} << 10;  // bytes of a value that have one checksum

TESSERA_DECL std::uint64_t kept_blocks(std::uint64_t size) { return size / kept_block + (size % kept_block != 0); }
// `data`: a block, whole or the value's last one.
TESSERA_DECL std::uint64_t sum_of_block(std::byte const* data, std::size_t size, std::uint64_t number) {
  return mixed_bytes(data, size, number);
}
TESSERA_DECL std::uint64_t checksum_of(std::byte const* data, std::size_t size, KeptTrailer const& trailer) {
  return mixed_bytes(data, size, trailer.identity * 31 + trailer.version + trailer.value * 961);
}

TESSERA_DECL std::vector<std::byte> const& KeptValue::seal(std::string_view identity) {
  auto const add = [&](void const* from, std::size_t size) {
    auto const* begin = static_cast<std::byte const*>(from);
    file_.insert(file_.end(), begin, begin + size);
  };
  std::vector<std::uint64_t> sums;
  for (std::size_t at = 0; at < size_; at += kept_block)
    sums.push_back(sum_of_block(file_.data() + at, std::min(kept_block, size_ - at), sums.size()));
  add(identity.data(), identity.size());
  add(version.data(), version.size());
  add(sums.data(), sums.size() * sizeof sums[0]);
  KeptTrailer trailer{identity.size(), version.size(), size_, 0, kept_magic};
  trailer.checksum = checksum_of(file_.data() + size_, file_.size() - size_, trailer);
  add(&trailer, sizeof trailer);
  return file_;
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

// Reads a range of a file of at most `size` bytes; empty: it has gone.
TESSERA_DECL std::vector<std::byte> bytes_of_kept(LocalStore<HostBuffer> const& files, Key const& key,
                                                  ByteRange range) {
  std::vector<std::byte> bytes;
  auto const room = [&](std::size_t size) {
    bytes.resize(size);
    return ByteSpan<space::Host>{bytes.data(), size};
  };
  Queue<space::Host> on;
  files.read(key, range, room, on);
  return bytes;
}

TESSERA_DECL std::optional<KeptFile> DiskCache::found(Key const& key, std::string const& identity) {
  auto const damaged = [&] { return ++damaged_, std::nullopt; };
  Queue<space::Host> on;
  auto const size = files_.size(key, on);
  if (!size) return std::nullopt;
  if (*size > budget_) return damaged();
  constexpr std::size_t end_of_large = 4096;  // with the sums of 500 blocks
  auto end = bytes_of_kept(files_, key, ByteRange::suffix(*size <= kept_block ? *size : end_of_large));
  if (end.empty() && *size != 0) return std::nullopt;
  KeptTrailer trailer{};
  if (end.size() < sizeof trailer) return damaged();
  std::memcpy(&trailer, end.data() + (end.size() - sizeof trailer), sizeof trailer);
  if (trailer.magic != kept_magic || trailer.identity != identity.size() || trailer.version > *size ||
      trailer.value > *size)
    return damaged();
  auto const sums = kept_blocks(trailer.value) * sizeof(std::uint64_t);
  auto const rest = trailer.identity + trailer.version + sums;
  if (trailer.value + rest + sizeof trailer != *size) return damaged();
  if (end.size() < rest + sizeof trailer) end = bytes_of_kept(files_, key, ByteRange::suffix(rest + sizeof trailer));
  if (end.size() < rest + sizeof trailer) return std::nullopt;
  auto const* const after_value = end.data() + (end.size() - sizeof trailer - rest);
  if (checksum_of(after_value, static_cast<std::size_t>(rest), trailer) != trailer.checksum ||
      std::memcmp(after_value, identity.data(), identity.size()) != 0)
    return damaged();
  KeptFile file{.key = key, .size = trailer.value};
  auto const* const version = reinterpret_cast<char const*>(after_value) + trailer.identity;
  file.version.assign(version, static_cast<std::size_t>(trailer.version));
  file.sums.resize(static_cast<std::size_t>(sums / sizeof(std::uint64_t)));
  if (sums > 0) std::memcpy(file.sums.data(), version + trailer.version, static_cast<std::size_t>(sums));
  if (end.size() < *size) return file;
  end.resize(static_cast<std::size_t>(trailer.value));
  if (!end.empty() && sum_of_block(end.data(), end.size(), 0) != file.sums[0]) return damaged();
  file.bytes = std::move(end);
  return file;
}

TESSERA_DECL std::optional<KeptFile> DiskCache::find(std::string const& identity) {
  auto const key = key_of_kept(identity);
  std::optional<KeptFile> file;
  try {
    file = found(key, identity);
  } catch (StoreError const&) {
    ++damaged_;
  } catch (std::bad_alloc const&) {  // the budget may exceed the memory
    ++damaged_;
  }
  if (!file) return std::nullopt;
  std::error_code ignored;  // another process may have erased it
  std::filesystem::last_write_time(std::filesystem::path{folder_} / key.path,
                                   std::filesystem::file_time_type::clock::now(), ignored);
  return file;
}

TESSERA_DECL std::optional<DiskCache::Blocks> DiskCache::read(KeptFile const& file, std::uint64_t offset,
                                                              std::uint64_t size) {
  if (!file.bytes.empty()) return Blocks{0, file.bytes};
  auto const first = offset / kept_block, end = kept_blocks(offset + size);
  Blocks blocks{first * kept_block, {}};
  try {
    blocks.bytes = bytes_of_kept(files_, file.key, {blocks.from, std::min(file.size, end * kept_block) - blocks.from});
    if (blocks.bytes.empty()) return std::nullopt;
    bool is_sound = blocks.bytes.size() == std::min(file.size, end * kept_block) - blocks.from;
    for (auto number = first; is_sound && number < end; ++number) {
      auto const at = static_cast<std::size_t>((number - first) * kept_block);
      auto const count = std::min(kept_block, blocks.bytes.size() - at);
      is_sound = sum_of_block(blocks.bytes.data() + at, count, number) == file.sums[static_cast<std::size_t>(number)];
    }
    if (is_sound) return blocks;
  } catch (StoreError const&) {
  } catch (std::bad_alloc const&) {
  }
  ++damaged_;
  forget(file.key);  // or it would hide what is read now
  return std::nullopt;
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

TESSERA_DECL void DiskCache::forget(Key const& file) {
  std::error_code ignored;  // then it is outdated the next time, too
  std::filesystem::remove(std::filesystem::path{folder_} / file.path, ignored);
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
