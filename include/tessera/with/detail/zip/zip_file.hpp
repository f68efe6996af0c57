// ZipFile: an open zip file, with its keys and a libzip archive for each reading thread.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/detail/object_pool.hpp>
#include <tessera/store/detail/at_key.hpp>
#include <tessera/store/detail/posix/descriptor.hpp>
#include <tessera/store/detail/scheme.hpp>
#include <tessera/with/detail/zip/zip_archive.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

class ZipFile {
 public:
  struct Value {
    std::uint64_t entry, size;  ///< its number in the file's directory; bytes
  };
  using Values = std::map<std::string, Value, std::less<>>;

  /// Throws: StoreError.
  explicit ZipFile(std::string path) : path_{std::move(path)}, descriptor_{opened(path_)} {
    try {
      size_ = size_of(descriptor_);
      find_values();
    } catch (Error& error) {
      error.in_store(path_);
      throw;
    }
  }

  std::string const& name() const { return path_; }

  /// Null: no such key.
  Value const* find(std::string_view key) const {
    auto const found = values_.find(key);
    return found == values_.end() ? nullptr : &found->second;
  }

  /// The range [first, second) of values whose keys are below a folder; "" is the root. Throws: StoreError.
  std::pair<Values::const_iterator, Values::const_iterator> below(std::string_view folder) const {
    if (folder.empty()) return {values_.begin(), values_.end()};
    Key const key{std::string{folder}};
    return at_key(*this, key, [&] {
      auto const behind = static_cast<char>('/' + 1);
      return std::pair{values_.lower_bound(key.path + '/'), values_.lower_bound(key.path + behind)};
    });
  }

  /// An archive for one thread. May read the file's directory again.
  Lease<ZipArchive> archive() {
    auto lent = archives_.lease<ZipArchive>();
    lent->open(descriptor_.number(), size_);
    return lent;
  }

 private:
  static posix::Descriptor opened(std::string const& path) {
    expect_path(path);
    posix::Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};  // a named pipe does not block
    if (!file)
      throw StoreError{to_text({"cannot open it, expected a zip file: ", std::strerror(errno)})}.in_store(path);
    return file;
  }
  static std::uint64_t size_of(posix::Descriptor const& file) {
    auto const status = file.status();
    if (S_ISDIR(status.st_mode)) throw StoreError{"found a folder, expected a zip file"};
    if (!S_ISREG(status.st_mode)) throw StoreError{"found no regular file, expected a zip file"};
    if (status.st_size == 0) throw StoreError{"found an empty file, expected a zip file"};  // valid for libzip
    return static_cast<std::uint64_t>(status.st_size);
  }

  // libzip finds the first of several entries with one name; zarr-python means the last.
  void find_values() {
    auto const archive = this->archive();
    auto const count = zip_get_num_entries(archive->get(), 0);
    for (zip_int64_t i = 0; i < count; ++i) {
      zip_stat_t found;
      auto const entry = static_cast<std::uint64_t>(i);
      if (zip_stat_index(archive->get(), entry, 0, &found) != 0)
        throw StoreError{to_text({"cannot read the zip file's directory: ", zip_strerror(archive->get())})};
      std::string_view const name = found.name;
      bool const is_for_windows = name.find('\\') != name.npos;
      if (is_key(name) && !is_for_windows) values_.insert_or_assign(std::string{name}, Value{entry, found.size});
    }
  }

  std::string path_;
  posix::Descriptor descriptor_;
  std::uint64_t size_ = 0;  // of the file
  Values values_;
  ObjectPool archives_;
};

}  // namespace detail
}}  // namespace tessera::v0
