// cufile::Batch: batches of cuFile requests, between files and registered blocks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/with/detail/cufile/cufile_block.cuh>
#include <tessera/with/detail/cufile/cufile_driver.cuh>

namespace tessera { inline namespace v0 {
namespace cufile {

/// Bytes between a file and a block: `at` in the block, `offset` in the file and `size` are multiples of a page. The
/// first `needed` bytes must be transferred, or the request fails: a file may end within the last page.
struct Request {
  CUfileHandle_t file;
  std::byte* block;
  std::size_t at;
  std::uint64_t offset;
  std::size_t size, needed;
  std::size_t done = 0;
};

/// Kept by a host queue, for one thread at a time.
class Batch {
 public:
  Batch() = default;
  Batch(Batch const&) = delete;
  Batch& operator=(Batch const&) = delete;
  ~Batch() { end(); }

  /// Runs all requests, as many at once as cuFile accepts; a short one is repeated from its last whole page on. Returns
  /// when they are done: an error message, or nothing. Requires: the context of the blocks is current.
  std::string run(std::shared_ptr<Driver> const& driver, CUfileOpcode_t what, std::span<Request> requests) {
    if (driver_ && driver_->submit != driver->submit) end();
    driver_ = driver;
    for (;;) {
      asked_.clear();
      for (std::size_t i = 0; i < requests.size() && asked_.size() < driver->most_at_once; ++i)
        if (requests[i].done < requests[i].needed) asked_.push_back(params(what, requests[i]));
      if (asked_.empty()) return {};
      if (auto failed = run_asked(); !failed.empty()) return failed;
    }
  }

 private:
  static CUfileIOParams_t params(CUfileOpcode_t what, Request& request) {
    auto const done = static_cast<std::size_t>(round_down(request.done));
    CUfileIOParams_t result{};
    result.mode = CUFILE_BATCH;
    result.u.batch.devPtr_base = request.block;
    result.u.batch.devPtr_offset = static_cast<off_t>(request.at + done);
    result.u.batch.file_offset = static_cast<off_t>(request.offset + done);
    result.u.batch.size = request.size - done;
    result.fh = request.file;
    result.opcode = what;
    result.cookie = &request;
    return result;
  }

  std::string run_asked() {
    if (!handle_)
      if (auto const made = driver_->set_up(&handle_, driver_->most_at_once); made.err != CU_FILE_SUCCESS) {
        handle_ = nullptr;
        return described(made, "cuFileBatchIOSetUp");
      }
    auto const count = static_cast<unsigned>(asked_.size());
    auto const submitted = driver_->submit(handle_, count, asked_.data(), 0);
    if (submitted.err != CU_FILE_SUCCESS) return end(), described(submitted, "cuFileBatchIOSubmit");
    events_.resize(count);
    auto told = count;
    auto const got = driver_->get_status(handle_, count, &told, events_.data(), nullptr);
    if (got.err != CU_FILE_SUCCESS) return end(), described(got, "cuFileBatchIOGetStatus");
    if (told != count) return end(), to_text({"cuFileBatchIOGetStatus reported ", told, " of ", count, " requests"});
    std::string failed;
    for (auto const& event : events_) {
      auto& request = *static_cast<Request*>(event.cookie);
      auto const moved = static_cast<std::ptrdiff_t>(event.ret);
      auto const done = static_cast<std::ptrdiff_t>(round_down(request.done)) + moved;
      if (event.status == CUFILE_COMPLETE && done > static_cast<std::ptrdiff_t>(request.done))
        request.done = static_cast<std::size_t>(done);
      else
        failed = to_text({"cuFile ended a request with ", moved, ", status ", static_cast<int>(event.status)});
    }
    return failed;
  }

  void end() noexcept {
    if (!handle_) return;
    driver_->cancel(handle_);
    driver_->destroy(handle_);
    handle_ = nullptr;
  }

  std::shared_ptr<Driver> driver_;
  CUfileBatchHandle_t handle_ = nullptr;
  std::vector<CUfileIOParams_t> asked_;
  std::vector<CUfileIOEvents_t> events_;
};

}  // namespace cufile
}}  // namespace tessera::v0
