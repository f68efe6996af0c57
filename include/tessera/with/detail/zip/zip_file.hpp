// ZipFile: an open zip file, with its keys and a libzip archive for each reading thread.
// ZipEntry: a value of a zip file, read from front to back, the only order for deflated data.
#pragma once
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/detail/object_pool.hpp>
#include <tessera/store/detail/sorted_keys.hpp>
#include <tessera/store/detail/posix/descriptor.hpp>
#include <tessera/store/detail/scheme.hpp>
#include <tessera/with/detail/zip/zip_archive.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

class ZipEntry {
 public:
  /// Opens the entry with this number, name and size. `is_whole`: all of it will be read. Throws: StoreError, if it
  /// cannot be read.
  ZipEntry(ZipArchive& archive, std::uint64_t number, std::string_view name, std::uint64_t size, bool is_whole = true)
      : archive_{&archive}, number_{number}, size_{size} {
    zip_stat_t found;
    if (zip_stat_index(archive.get(), number, 0, &found) != 0 || found.name != name || found.size != size)
      fail("the zip file has changed since it was opened");
    if (found.encryption_method != ZIP_EM_NONE) fail("found an encrypted entry, expected one that is not");
    if (!zip_compression_method_supported(found.comp_method, 0))
      fail(to_text(
          {"found an entry of compression method ", found.comp_method, ", which this libzip does not support"}));
    is_stored_ = found.comp_method == ZIP_CM_STORE;
    // Before memory is allocated for it.
    constexpr std::uint64_t most_inflated = 1032;  // bytes that one byte of deflate can expand to
    bool const is_deflated = found.comp_method == ZIP_CM_DEFLATE;
    if (found.comp_size > archive.file_size() || (is_stored_ && found.comp_size != size) ||
        (is_deflated && size / most_inflated > found.comp_size))
      fail(to_text({"the zip file's directory says ", found.comp_size, " bytes that decode to ", size,
                    ", which is impossible in a file of ", archive.file_size()}));
    constexpr std::uint64_t header = 30 + 512;  // with extra fields of the usual sizes
    archive.expect(is_whole || !is_stored_ ? header + name.size() + found.comp_size : 0);
    open();
  }
  ZipEntry(ZipEntry const&) = delete;
  ZipEntry& operator=(ZipEntry const&) = delete;
  ~ZipEntry() { archive_->expect(0); }

  /// Fills `to` with the value's bytes from `offset` on. At the value's end libzip checks the checksum, if everything
  /// before was read too. Throws: StoreError.
  void read(std::uint64_t offset, ByteSpan<space::Host> to) {
    if (to.size == 0 && size_ != 0) return;
    go_to(offset);
    fill(to);
    std::byte more;
    if (position_ == size_ && take({&more, 1}) != 0)
      fail(to_text({"found more bytes than the ", size_, " that the zip file's directory states"}));
  }

  struct Close {
    void operator()(zip_file_t* file) const { zip_fclose(file); }
  };

 private:
  void open() {
    position_ = 0;
    file_.reset(zip_fopen_index(archive_->get(), number_, 0));
    if (!file_) fail_by(zip_get_error(archive_->get()));
  }

  void go_to(std::uint64_t offset) {
    if (is_stored_ && offset != position_) {
      if (zip_fseek(file_.get(), static_cast<zip_int64_t>(offset), SEEK_SET) != 0) fail_by_file();
      position_ = offset;
    }
    if (offset < position_) open();
    std::array<std::byte, 16384> passed;
    while (position_ < offset)
      fill({passed.data(), static_cast<std::size_t>(std::min<std::uint64_t>(passed.size(), offset - position_))});
  }

  void fill(ByteSpan<space::Host> to) {
    if (take(to) != to.size)
      fail(to_text({"the entry ends before the ", size_, " bytes that the zip file's directory states"}));
    position_ += to.size;
  }

  // Returns fewer bytes at the end of the entry.
  std::size_t take(ByteSpan<space::Host> to) {
    std::size_t taken = 0;
    while (taken < to.size) {
      auto const n = zip_fread(file_.get(), to.data + taken, to.size - taken);
      if (n < 0) fail_by_file();
      if (n == 0) break;
      taken += static_cast<std::size_t>(n);
    }
    return taken;
  }

  [[noreturn]] static void fail(std::string problem) { throw StoreError{std::move(problem)}; }
  [[noreturn]] void fail_by_file() { fail_by(zip_file_get_error(file_.get())); }
  [[noreturn]] void fail_by(zip_error_t* error) {
    auto problem = to_text({"cannot read the entry of the zip file: ", zip_error_strerror(error)});
    file_.reset();
    archive_->close();
    archive_->rethrow();
    fail(std::move(problem));
  }

  ZipArchive* archive_;
  std::uint64_t number_, size_, position_ = 0;
  bool is_stored_ = false;
  std::unique_ptr<zip_file_t, Close> file_;
};

/// An open file, read at any position.
class LocalZip final : public ZipInput {
 public:
  /// `name`: in messages. Throws: StoreError.
  LocalZip(std::string const& path, std::string const& name) : file_{opened(path, name)} {
    try {
      size_ = size_of(file_);
    } catch (Error& error) {
      error.in_store(name);
      throw;
    }
  }
  std::uint64_t size() const override { return size_; }
  std::size_t read(std::uint64_t offset, ByteSpan<space::Host> to, ZipAhead&, Queue<space::Host>&) override {
    for (;;) {
      auto const n = ::pread(file_.number(), to.data, to.size, static_cast<off_t>(offset));
      if (n >= 0) return static_cast<std::size_t>(n);
      if (errno != EINTR) throw StoreError{to_text({"cannot read the zip file: ", std::strerror(errno)})};
    }
  }

 private:
  static posix::Descriptor opened(std::string const& path, std::string const& name) {
    expect_path(path);
    posix::Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};  // a named pipe does not block
    if (!file)
      throw StoreError{to_text({"cannot open it, expected a zip file: ", std::strerror(errno)})}.in_store(name);
    return file;
  }
  static std::uint64_t size_of(posix::Descriptor const& file) {
    auto const status = file.status();
    if (S_ISDIR(status.st_mode)) throw StoreError{"found a folder, expected a zip file"};
    if (!S_ISREG(status.st_mode)) throw StoreError{"found no regular file, expected a zip file"};
    if (status.st_size == 0) throw StoreError{"found an empty file, expected a zip file"};  // valid for libzip
    return static_cast<std::uint64_t>(status.st_size);
  }

  posix::Descriptor file_;
  std::uint64_t size_ = 0;
};

class ZipFile {
 public:
  struct Value {
    std::uint64_t entry, size;  ///< its number in the file's directory; bytes
  };
  using Values = std::map<std::string, Value, std::less<>>;

  /// Throws: StoreError.
  explicit ZipFile(std::string const& path) : ZipFile{path, path} {}
  /// `name`: in messages.
  ZipFile(std::string const& path, std::string const& name)
      : ZipFile{std::make_unique<LocalZip>(path, name), name} {}
  ZipFile(std::unique_ptr<ZipInput> input, std::string name) : name_{std::move(name)}, input_{std::move(input)} {
    try {
      Queue<space::Host> on;
      find_values(on);
      input_->opened();
    } catch (Error& error) {
      error.in_store(name_);
      throw;
    }
  }

  std::string const& name() const { return name_; }

  /// Null: no such key.
  Value const* find(std::string_view key) const {
    auto const found = values_.find(key);
    return found == values_.end() ? nullptr : &found->second;
  }

  /// The range [first, second) of values whose keys are below a folder; "" is the root. Throws: StoreError.
  std::pair<Values::const_iterator, Values::const_iterator> below(std::string_view folder) const {
    return below_folder(*this, values_, folder);
  }
  Values const& values() const { return values_; }
  ZipInput& input() { return *input_; }

  /// An archive for one thread, which reads on that queue. May read the file's directory again.
  Lease<ZipArchive> archive(Queue<space::Host>& on) {
    auto lent = archives_.lease<ZipArchive>();
    lent->open(*input_, on);
    return lent;
  }

 private:
  // libzip finds the first of several entries with one name; zarr-python means the last.
  void find_values(Queue<space::Host>& on) {
    auto const archive = this->archive(on);
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

  std::string name_;
  std::unique_ptr<ZipInput> input_;
  Values values_;
  ObjectPool archives_;
};

}  // namespace detail
}}  // namespace tessera::v0
