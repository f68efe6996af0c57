// ZipArchive: a zip file as libzip reads it. An archive is for one thread; one open file may have several.
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#if !__has_include(<zip.h>)
#error "tessera/with/zip.hpp needs libzip: on Debian or Ubuntu, apt install libzip-dev"
#endif
#include <zip.h>

#include <tessera/core/error.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/with/detail/zip/zip_input.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct ZipError : zip_error_t {
  ZipError() { zip_error_init(this); }
  ZipError(ZipError const&) = delete;
  ZipError& operator=(ZipError const&) = delete;
  ~ZipError() { zip_error_fini(this); }
};

/// Reads a file that others read too, at its own position.
class ZipArchive {
 public:
  ZipArchive() = default;
  ZipArchive(ZipArchive const&) = delete;
  ZipArchive& operator=(ZipArchive const&) = delete;

  /// Reads the file's directory, unless that was done. Requires: the input lives as long as *this, and the queue until
  /// the next call. Throws: StoreError.
  void open(ZipInput& input, Queue<space::Host>& on) {
    on_ = &on;
    ahead_.given = {};  // of an earlier call
    if (opened_) return;
    input_ = &input;
    size_ = input.size();
    ZipError error;
    auto* const source = zip_source_function_create(&answer, this, &error);
    opened_.reset(source ? zip_open_from_source(source, ZIP_RDONLY, &error) : nullptr);
    if (opened_) return;
    zip_source_free(source);  // otherwise the archive frees it
    rethrow();
    throw StoreError{to_text({"expected a zip file, libzip says: ", zip_error_strerror(&error)})};
  }
  /// For use after an error: libzip does not read again where it failed once.
  void close() { opened_.reset(); }
  /// Throws: the exception of the input that was the reason of an error, if there was one.
  void rethrow() {
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }
  /// The next read is the first of about that number of bytes; 0: nothing is known.
  void expect(std::uint64_t bytes) { ahead_.wanted = bytes, ahead_.until = 0, ahead_.piece = {}; }
  /// What was fetched for the reads that follow, until the next call. The pieces must live as long.
  void give(std::span<ZipPiece const> pieces) { ahead_.given = pieces; }

  zip_t* get() const { return opened_.get(); }
  std::uint64_t file_size() const { return size_; }

 private:
  struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
  };

  // Answers libzip's requests for the file.
  static zip_int64_t answer(void* archive, void* data, zip_uint64_t length, zip_source_cmd_t command) noexcept {
    auto& self = *static_cast<ZipArchive*>(archive);
    switch (command) {
      case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_SEEKABLE;
      case ZIP_SOURCE_OPEN:
        return self.position_ = 0;
      case ZIP_SOURCE_READ:
        return self.read(data, length);
      case ZIP_SOURCE_TELL:
        return self.position_;
      case ZIP_SOURCE_SEEK: {
        auto const position = static_cast<zip_uint64_t>(self.position_);
        auto const found = zip_source_seek_compute_offset(position, self.size_, data, length, &self.error_);
        if (found >= 0) self.position_ = found;
        return found < 0 ? -1 : 0;
      }
      case ZIP_SOURCE_STAT: {
        auto& status = *static_cast<zip_stat_t*>(data);
        zip_stat_init(&status);
        status.valid = ZIP_STAT_SIZE;
        status.size = self.size_;
        return sizeof status;
      }
      case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&self.error_, data, length);
      case ZIP_SOURCE_CLOSE:
      case ZIP_SOURCE_FREE:
        return 0;
      default:
        zip_error_set(&self.error_, ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
  }

  // Exceptions wait until libzip, which is written in C, has returned.
  zip_int64_t read(void* to, zip_uint64_t count) noexcept {
    try {
      ByteSpan<space::Host> const room{static_cast<std::byte*>(to), static_cast<std::size_t>(count)};
      auto const n = static_cast<zip_int64_t>(
          input_->read(static_cast<std::uint64_t>(position_), room, ahead_, *on_));
      position_ += n;
      return n;
    } catch (...) {
      thrown_ = std::current_exception();
      zip_error_set(&error_, ZIP_ER_READ, 0);
      return -1;
    }
  }
  ZipInput* input_ = nullptr;
  Queue<space::Host>* on_ = nullptr;
  ZipAhead ahead_{};
  std::exception_ptr thrown_{};
  std::uint64_t size_ = 0;
  zip_int64_t position_ = 0;
  ZipError error_;
  std::unique_ptr<zip_t, Discard> opened_;
};

}  // namespace detail
}}  // namespace tessera::v0
