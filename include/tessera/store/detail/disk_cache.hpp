// DiskCache: values in files, by texts that identify them, within a budget of bytes. Any number of processes share the
// folder.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/config.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/store/local_store.hpp>

namespace tessera { inline namespace v0 {

/// Counts of a DiskCachedStore so far.
struct DiskCacheStatistics {
  std::uint64_t hits = 0;       ///< values and ranges that were kept, and still are the store's
  std::uint64_t misses = 0;     ///< requests to the store; those for versions are not counted
  std::uint64_t erased = 0;     ///< files that made room for others
  std::uint64_t damaged = 0;    ///< files that were no values, or could not be read
  std::uint64_t unwritten = 0;  ///< values that could not be written, as on a full disk
};

namespace detail {

/// A value that is to be kept.
class KeptValue {
  using Host = space::Host;

 public:
  std::string version{};

  ByteView<Host> bytes() const { return {file_.data(), size_}; }
  /// Memory for the value.
  ByteSpan<Host> room(std::size_t size);

  /// The whole file, once `room` is filled. Call it once.
  TESSERA_DECL std::vector<std::byte> const& seal(std::string_view identity);

 private:
  std::vector<std::byte> file_{};
  std::size_t size_ = 0;
};

inline ByteSpan<space::Host> KeptValue::room(std::size_t size) {
  constexpr std::size_t for_rest = 512;
  file_.reserve(size + for_rest + size / 4096);
  file_.resize(size);
  size_ = size;
  return {file_.data(), size};
}

/// A file that holds a value. Each block of the value has a checksum, so that a range needs only its blocks.
struct KeptFile {
  Key key{};             ///< in the folder
  bool is_part = false;  ///< the value is the range that was asked for, not the whole value
  std::string version{};
  std::uint64_t size = 0;             ///< bytes of the value
  std::vector<std::uint64_t> sums{};  ///< of its blocks
  std::vector<std::byte> bytes{};     ///< the whole value, of a small file; else empty
};

/// Thread-safe.
class DiskCache {
 public:
  /// Throws: StoreError.
  TESSERA_DECL DiskCache(std::string folder, std::uint64_t budget);

  /// Becomes the most recently used. Of a large file only the end is read.
  TESSERA_DECL std::optional<KeptFile> find(std::string const& identity);
  /// Bytes of a file's value, and of the blocks around them; the first has the offset `from`. Requires: size is not 0.
  /// nullopt: the file has gone, or another has its name; or it is damaged, and erased.
  struct Blocks {
    std::uint64_t from;
    std::vector<std::byte> bytes;
  };
  TESSERA_DECL std::optional<Blocks> read(KeptFile const& file, std::uint64_t offset, std::uint64_t size);
  /// Does nothing if the value is larger than the budget, or cannot be written.
  TESSERA_DECL void keep(std::string const& identity, KeptValue value);
  TESSERA_DECL void forget(Key const& file);
  TESSERA_DECL void clear();

  void count(std::uint64_t hits, std::uint64_t misses) { hits_ += hits, misses_ += misses; }
  TESSERA_DECL DiskCacheStatistics statistics() const;

 private:
  TESSERA_DECL std::optional<KeptFile> found(Key const& key, std::string const& identity);
  TESSERA_DECL void make_room();

  std::string folder_;
  std::uint64_t budget_;
  LocalStore<HostBuffer> files_;
  std::mutex mutex_{};  // for what follows
  bool is_counted_ = false;
  std::uint64_t bytes_ = 0;    // of all files, as far as this process knows
  std::uint64_t written_ = 0;  // by this process, since it counted
  std::atomic<std::uint64_t> hits_{0}, misses_{0}, erased_{0}, damaged_{0}, unwritten_{0};
};

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/disk_cache.ipp>
#endif
