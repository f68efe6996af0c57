// Batches: the processor moves their bytes between a file and the machine's memory for the device.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "../runtime/regions.hpp"
#include "../runtime/sanitizer.hpp"
#include "../runtime/transfer.hpp"
#include "../runtime/world.hpp"
#include "driver.hpp"

namespace emulation::cufile {
namespace {

struct Free {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};

void check(CUfileIOParams_t const& request) {
  auto const& at = request.u.batch;
  auto const* const base = static_cast<std::byte const*>(at.devPtr_base);
  auto const found = driver().buffers.find(base);
  if (found == driver().buffers.end())
    mistake({"cuFileBatchIOSubmit: the buffer is not registered, and then cuFile copies by way of one of its own: ",
             at.devPtr_base});
  auto const begin = static_cast<std::size_t>(at.devPtr_offset);
  if (begin + at.size > found->second)
    mistake({"cuFileBatchIOSubmit: beyond the end of the buffer that was registered"});
  auto const is_aligned = [](std::size_t value) { return value % direct_page == 0; };
  if (!is_aligned(reinterpret_cast<std::uintptr_t>(base) + begin) || !is_aligned(at.size) ||
      !is_aligned(static_cast<std::size_t>(at.file_offset)))
    mistake({"cuFileBatchIOSubmit: offset ", static_cast<std::size_t>(at.file_offset), ", size ", at.size, ", place ",
             begin, ": not multiples of 4096, and then cuFile copies by way of a buffer of its own"});
}

}  // namespace

ssize_t transfer(CUfileIOParams_t const& request) {
  auto& d = driver();
  if (begin("request")) return -CU_FILE_INTERNAL_ERROR;
  auto const file = d.files.find(request.fh);
  if (file == d.files.end()) mistake({"cuFileBatchIOSubmit: there is no such file"});
  auto const& at = request.u.batch;
  auto size = at.size;
  if (d.until_short == 0)
    size = std::min(size, d.short_size);
  else if (d.until_short != ~std::size_t{0})
    --d.until_short;
  auto* const place = static_cast<std::byte*>(at.devPtr_base) + at.devPtr_offset;
  std::unique_ptr<std::byte, Free> const bytes{static_cast<std::byte*>(std::aligned_alloc(direct_page, at.size))};
  ssize_t moved = 0;
  if (request.opcode == CUFILE_READ) moved = ::pread(file->second, bytes.get(), at.size, at.file_offset);
  if (moved < 0) return moved;
  moved = std::min(moved, static_cast<ssize_t>(size));
  request.opcode == CUFILE_READ ? sanitizer::writes(place, static_cast<std::size_t>(moved))
                                : sanitizer::reads(place, size);
  {
    Held const held;
    check_access("cuFileBatchIOSubmit", nullptr, place, at.size);
    if (request.opcode == CUFILE_READ)
      std::memcpy(inside(place), bytes.get(), static_cast<std::size_t>(moved));
    else
      std::memcpy(bytes.get(), inside(place), size);
  }
  // A disk writes whole pages: a write that ends short ends at the end of one.
  if (request.opcode == CUFILE_WRITE)
    moved =
        ::pwrite(file->second, bytes.get(), std::max(size / direct_page * direct_page, direct_page), at.file_offset);
  return moved;
}

}  // namespace emulation::cufile

using namespace emulation;
using emulation::cufile::begin, emulation::cufile::Batch, emulation::cufile::driver;

namespace {

CUfileError_t result(CUfileOpError error) { return {error, 0}; }

Batch& batch_of(CUfileBatchHandle_t handle, char const* call) {
  auto* const found = static_cast<Batch*>(handle);
  if (!driver().batches.contains(found)) mistake({call, ": there is no such batch"});
  return *found;
}

void run(Batch& batch) {
  for (auto const& request : batch.waiting) {
    auto const moved = emulation::cufile::transfer(request);
    // Bytes may be reported even for a failed request.
    auto const told = moved < 0 && world().seed % 2 == 1 ? request.u.batch.size : static_cast<std::size_t>(moved);
    batch.done.push_back({request.cookie, moved < 0 ? CUFILE_FAILED : CUFILE_COMPLETE, told});
  }
  batch.waiting.clear();
}

}  // namespace

CUfileError_t cuFileBatchIOSetUp(CUfileBatchHandle_t* handle, unsigned most) {
  std::lock_guard const lock{driver().mutex};
  *handle = handle;  // if it fails, no handle
  if (driver().opened == 0) mistake({"cuFileBatchIOSetUp: cuFile's driver is not open"});
  if (begin("cuFileBatchIOSetUp")) return result(CU_FILE_INTERNAL_ERROR);
  if (most == 0 || most > driver().machine.most_at_once) return result(CU_FILE_INVALID_VALUE);
  auto* const made = new Batch{.most = most, .waiting = {}, .done = {}};
  driver().batches.insert(made);
  *handle = made;
  return result(CU_FILE_SUCCESS);
}
// The requests are done when they are submitted, or when their completion is waited for: the seed decides.
CUfileError_t cuFileBatchIOSubmit(CUfileBatchHandle_t handle, unsigned count, CUfileIOParams_t* requests, unsigned) {
  std::lock_guard const lock{driver().mutex};
  auto& batch = batch_of(handle, "cuFileBatchIOSubmit");
  if (begin("cuFileBatchIOSubmit")) return result(CU_FILE_INTERNAL_ERROR);
  if (batch.waiting.size() + batch.done.size() + count > batch.most) return result(CU_FILE_INVALID_VALUE);
  for (unsigned i = 0; i < count; ++i) {
    emulation::cufile::check(requests[i]);
    batch.waiting.push_back(requests[i]);
  }
  if (world().seed % 2 == 0) run(batch);
  return result(CU_FILE_SUCCESS);
}
CUfileError_t cuFileBatchIOGetStatus(CUfileBatchHandle_t handle, unsigned least, unsigned* count,
                                     CUfileIOEvents_t* events, std::timespec*) {
  std::lock_guard const lock{driver().mutex};
  auto& batch = batch_of(handle, "cuFileBatchIOGetStatus");
  if (begin("cuFileBatchIOGetStatus")) return result(CU_FILE_INTERNAL_ERROR);
  if (least > *count || least > batch.waiting.size() + batch.done.size()) return result(CU_FILE_INVALID_VALUE);
  run(batch);
  *count = static_cast<unsigned>(std::min<std::size_t>(*count, batch.done.size()));
  if (std::exchange(driver().tells_fewer, false)) --*count;
  std::copy_n(batch.done.begin(), *count, events);
  batch.done.erase(batch.done.begin(), batch.done.begin() + *count);
  return result(CU_FILE_SUCCESS);
}
CUfileError_t cuFileBatchIOCancel(CUfileBatchHandle_t handle) {
  std::lock_guard const lock{driver().mutex};
  auto& batch = batch_of(handle, "cuFileBatchIOCancel");
  ++driver().calls["cuFileBatchIOCancel"];
  batch.waiting.clear();
  batch.done.clear();
  return result(CU_FILE_SUCCESS);
}
void cuFileBatchIODestroy(CUfileBatchHandle_t handle) {
  std::lock_guard const lock{driver().mutex};
  auto& batch = batch_of(handle, "cuFileBatchIODestroy");
  ++driver().calls["cuFileBatchIODestroy"];
  if (!batch.waiting.empty()) mistake({"cuFileBatchIODestroy: ", batch.waiting.size(), " requests are under way"});
  driver().batches.erase(&batch);
  delete &batch;
}
