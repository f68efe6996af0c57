// The emulated runtime's pools between processes, and which wrong uses it refuses or reports.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include <device/ipc/pool.hpp>
#include <emulation/emulation.hpp>
#include <ipc/process.hpp>

namespace ipc_pool_runtime_tests {

constexpr auto by_file = cudaMemHandleTypePosixFileDescriptor;

bool fails(cudaError_t status, cudaError_t expected) {
  static_cast<void>(cudaGetLastError());
  return status == expected;
}

using test::Pool;
struct Stream {
  Stream() { REQUIRE(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking) == cudaSuccess); }
  ~Stream() { cudaStreamDestroy(handle); }
  cudaStream_t handle = nullptr;
};

int* allocate(Pool const& pool, Stream const& stream) {
  return static_cast<int*>(pool.allocate(stream.handle, 4000, 0));
}
std::string exported(void* data) {
  cudaMemPoolPtrExportData handle{};
  REQUIRE(cudaMemPoolExportPointer(&handle, data) == cudaSuccess);
  return {reinterpret_cast<char const*>(&handle), sizeof handle};
}
int file_of(Pool const& pool) {
  int file = -1;
  REQUIRE(cudaMemPoolExportToShareableHandle(&file, pool.get(), by_file, 0) == cudaSuccess);
  return file;
}
std::string path_of(int file) { return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file); }

// Two pools, and memory of the first, all 7 when its stream gets there.
TEST_CASE("child: exporter of pools" * doctest::skip()) {
  auto const tell = test::Process::mine();
  emulation::seed(15);  // late: only waits let it run
  Pool const pool{by_file}, other{by_file};
  Stream const stream;
  auto* const data = allocate(pool, stream);
  REQUIRE(cudaMemsetAsync(data, 7, 4000, stream.handle) == cudaSuccess);
  tell.put(path_of(file_of(pool)));
  tell.put(path_of(file_of(other)));
  tell.put(exported(data));
  for (;;) {
    auto const asked = tell.get();
    if (asked == "run") REQUIRE(cudaStreamSynchronize(stream.handle) == cudaSuccess);
    if (asked == "free") REQUIRE(cudaFreeAsync(data, stream.handle) == cudaSuccess);
    if (asked == "free") REQUIRE(cudaStreamSynchronize(stream.handle) == cudaSuccess);
    if (asked == "first") {
      int first = 0;
      REQUIRE(cudaMemcpy(&first, data, sizeof first, cudaMemcpyDeviceToHost) == cudaSuccess);
      tell.put(std::to_string(first));
    } else {
      tell.put("done");
    }
    if (asked == "end") break;
  }
  REQUIRE(cudaFree(data) == cudaSuccess);
}

cudaError_t import(std::string const& path, cudaMemPool_t& pool) {
  int const file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(file >= 0);
  auto const status = cudaMemPoolImportFromShareableHandle(
      &pool, reinterpret_cast<void*>(static_cast<std::intptr_t>(file)), by_file, 0);
  ::close(file);
  return status;
}
cudaMemPoolPtrExportData data_of(std::string const& text) {
  cudaMemPoolPtrExportData handle{};
  REQUIRE(text.size() == sizeof handle);
  std::memcpy(&handle, text.data(), sizeof handle);
  return handle;
}

struct Exporter {
  test::Process process = test::Process::running("child: exporter of pools");
  std::string pool = process->get(), other = process->get(), text = process->get();
  std::string ask(std::string const& what) {
    process->put(what);
    return process->get();
  }
};

TEST_CASE("memory of another process's pool is imported, used and freed") {
  Exporter exporter;
  cudaMemPool_t pool = nullptr, other = nullptr;
  REQUIRE(import(exporter.pool, pool) == cudaSuccess);
  REQUIRE(import(exporter.other, other) == cudaSuccess);
  auto handle = data_of(exporter.text);
  void *data = nullptr, *again = nullptr;
  CHECK(fails(cudaMemPoolImportPointer(&data, other, &handle), cudaErrorInvalidValue));  // of another pool
  REQUIRE(cudaMemPoolImportPointer(&data, pool, &handle) == cudaSuccess);
  CHECK(fails(cudaMemPoolImportPointer(&again, pool, &handle), cudaErrorInvalidValue));  // it is open here
  REQUIRE(exporter.ask("run") == "done");
  std::array<int, 2> ends{};
  REQUIRE(cudaMemcpy(&ends[0], data, sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
  REQUIRE(cudaMemcpy(&ends[1], static_cast<int*>(data) + 999, sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK((ends[0] == 0x07070707 && ends[1] == 0x07070707));
  REQUIRE(cudaMemset(data, 1, 4) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(exporter.ask("first") == std::to_string(0x01010101));
  CHECK(fails(cudaIpcCloseMemHandle(data), cudaErrorInvalidValue));
  Stream const stream;
  REQUIRE(cudaFreeAsync(data, stream.handle) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(stream.handle) == cudaSuccess);
  REQUIRE(cudaMemPoolImportPointer(&data, pool, &handle) == cudaSuccess);
  REQUIRE(cudaFree(data) == cudaSuccess);
  // Allocations in an imported pool are refused.
  CHECK(fails(cudaMallocFromPoolAsync(&data, 4, pool, stream.handle), cudaErrorInvalidValue));
  CHECK(fails(cudaDeviceSetMemPool(0, pool), cudaErrorInvalidValue));
  int file = -1;
  CHECK(fails(cudaMemPoolExportToShareableHandle(&file, pool, by_file, 0), cudaErrorInvalidValue));
  REQUIRE(cudaMemPoolDestroy(pool) == cudaSuccess);
  CHECK(fails(cudaMemPoolImportPointer(&data, pool, &handle), cudaErrorInvalidValue));
  REQUIRE(cudaMemPoolDestroy(other) == cudaSuccess);
  CHECK(emulation::alive().allocations == 0);
  CHECK(exporter.ask("end") == "done");
  CHECK(exporter.process.wait());
}

TEST_CASE("what cannot be exported of a pool, or imported, is refused") {
  Pool const pool{by_file}, closed{cudaMemHandleTypeNone};
  Stream const stream;
  int file = -1;
  CHECK(fails(cudaMemPoolExportToShareableHandle(&file, closed.get(), by_file, 0), cudaErrorInvalidValue));
  CHECK(
      fails(cudaMemPoolExportToShareableHandle(&file, pool.get(), cudaMemHandleTypeFabric, 0), cudaErrorInvalidValue));
  cudaMemPoolPtrExportData handle{};
  auto *const open = allocate(pool, stream), *const shut = allocate(closed, stream);
  void* plain = nullptr;
  REQUIRE(cudaMalloc(&plain, 100) == cudaSuccess);
  CHECK(fails(cudaMemPoolExportPointer(&handle, shut), cudaErrorInvalidValue));
  CHECK(fails(cudaMemPoolExportPointer(&handle, plain), cudaErrorInvalidValue));
  CHECK(fails(cudaMemPoolExportPointer(&handle, open + 1), cudaErrorInvalidValue));
  handle = data_of(exported(open));
  cudaMemPool_t imported = nullptr;
  CHECK(fails(import("/dev/null", imported), cudaErrorInvalidValue));
  file = file_of(pool);
  CHECK(fails(import(path_of(file), imported), cudaErrorDeviceUninitialized));  // in the exporting process
  ::close(file);
  CHECK(fails(cudaMemPoolImportPointer(&plain, pool.get(), &handle), cudaErrorInvalidValue));
  REQUIRE(cudaFreeAsync(open, stream.handle) == cudaSuccess);
  CHECK(fails(cudaMemPoolExportPointer(&handle, open), cudaErrorInvalidValue));
  REQUIRE(cudaFreeAsync(shut, stream.handle) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(stream.handle) == cudaSuccess);
  REQUIRE(cudaFree(plain) == cudaSuccess);
  Exporter exporter;
  REQUIRE(import(exporter.pool, imported) == cudaSuccess);
  REQUIRE(exporter.ask("free") == "done");
  handle = data_of(exporter.text);
  CHECK(fails(cudaMemPoolImportPointer(&plain, imported, &handle), cudaErrorInvalidValue));  // it was freed
  REQUIRE(cudaMemPoolDestroy(imported) == cudaSuccess);
}

// Errors that end the program, in programs of their own.
void* imported(test::Channel const& tell) {
  cudaMemPool_t pool = nullptr;
  REQUIRE(import(tell.get(), pool) == cudaSuccess);
  auto handle = data_of(tell.get());
  void* data = nullptr;
  REQUIRE(cudaMemPoolImportPointer(&data, pool, &handle) == cudaSuccess);
  return data;
}
TEST_CASE("child: use before the allocation" * doctest::skip()) {
  auto const tell = test::Process::mine();
  auto* const data = imported(tell);
  tell.put("ready");
  static_cast<void>(cudaMemset(data, 0, 4));
  tell.put("unnoticed");
}
TEST_CASE("child: use after free of an import" * doctest::skip()) {
  auto const tell = test::Process::mine();
  auto* const data = imported(tell);
  REQUIRE(cudaFree(data) == cudaSuccess);
  tell.put("ready");
  static_cast<void>(cudaMemset(data, 0, 4));
  tell.put("unnoticed");
}
TEST_CASE("wrong uses of pools between processes end the program") {
  for (auto const* wrong : {"child: use before the allocation", "child: use after free of an import"}) {
    Exporter exporter;
    auto child = test::Process::running(wrong);
    child->put(exporter.pool);
    child->put(exporter.text);
    CHECK(child->get() == "ready");
    CHECK_THROWS(child->get());
    CHECK(!child.wait());
  }
  Exporter exporter;  // frees memory that is open here
  cudaMemPool_t pool = nullptr;
  REQUIRE(import(exporter.pool, pool) == cudaSuccess);
  auto handle = data_of(exporter.text);
  void* data = nullptr;
  REQUIRE(cudaMemPoolImportPointer(&data, pool, &handle) == cudaSuccess);
  CHECK_THROWS(exporter.ask("free"));
  REQUIRE(cudaFree(data) == cudaSuccess);
  REQUIRE(cudaMemPoolDestroy(pool) == cudaSuccess);
}

}  // namespace ipc_pool_runtime_tests
