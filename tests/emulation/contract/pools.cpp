// Memory in a stream's order. From "Stream Ordered Memory Allocator" of CUDA's runtime API manual.
#include <cstdint>

#include "contract.hpp"

using namespace contract;

namespace {

template <class T>
T* allocate(std::size_t count, cudaStream_t stream) {
  void* memory = nullptr;
  good(cudaMallocAsync(&memory, count * sizeof(T), stream));
  return static_cast<T*>(memory);
}

int current_device() {
  int device = -1;
  good(cudaGetDevice(&device));
  return device;
}

class Pool {
 public:
  Pool() {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = current_device();
    good(cudaMemPoolCreate(&pool_, &properties));
  }
  Pool(Pool const&) = delete;
  Pool& operator=(Pool const&) = delete;
  ~Pool() { cudaMemPoolDestroy(pool_); }
  operator cudaMemPool_t() const { return pool_; }

  std::uint64_t get(cudaMemPoolAttr what) const {
    std::uint64_t value = 0;
    good(cudaMemPoolGetAttribute(pool_, what, &value));
    return value;
  }
  void keep(std::uint64_t bytes) const {
    good(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &bytes));
  }

 private:
  cudaMemPool_t pool_ = nullptr;
};

}  // namespace

TEST_CASE(
    "memory of a stream is there for what is queued behind, and until its free") {  // cudaMallocAsync, cudaFreeAsync
  Pinned<int> here{2};
  here[0] = 9;
  here[1] = 0;
  Stream stream;
  int* const there = allocate<int>(1, stream);
  good(cudaMemcpyAsync(there, here.data(), sizeof(int), cudaMemcpyHostToDevice, stream));
  good(cudaMemcpyAsync(here.data() + 1, there, sizeof(int), cudaMemcpyDeviceToHost, stream));
  good(cudaFreeAsync(there, stream));
  stream.wait();
  CHECK(here[1] == 9);
}

TEST_CASE("memory of a stream is memory of its device") {  // cudaMallocAsync
  Stream stream;
  int* const there = allocate<int>(10, stream);
  stream.wait();
  cudaPointerAttributes found{};
  good(cudaPointerGetAttributes(&found, there));
  CHECK(found.type == cudaMemoryTypeDevice);
  CHECK(found.device == current_device());
  CHECK(reinterpret_cast<std::uintptr_t>(there) % 256 == 0);
  good(cudaFreeAsync(there, stream));
}

TEST_CASE("another stream may use memory after an event behind its allocation, and free it") {  // cudaMallocAsync
  Pinned<int> here{2};
  here[0] = 12;
  here[1] = 0;
  Stream one, other;
  Event made;
  int* const there = allocate<int>(1, one);
  good(cudaEventRecord(made, one));
  good(cudaStreamWaitEvent(other, made, 0));
  good(cudaMemcpyAsync(there, here.data(), sizeof(int), cudaMemcpyHostToDevice, other));
  good(cudaMemcpyAsync(here.data() + 1, there, sizeof(int), cudaMemcpyDeviceToHost, other));
  good(cudaFreeAsync(there, other));
  other.wait();
  CHECK(here[1] == 12);
}

TEST_CASE("memory may be freed in its stream after an event behind its last use in another") {  // cudaFreeAsync
  Pinned<int> here{2};
  here[0] = 13;
  here[1] = 0;
  Stream one, other;
  Event made, used;
  int* const there = allocate<int>(1, one);
  good(cudaMemcpyAsync(there, here.data(), sizeof(int), cudaMemcpyHostToDevice, one));
  good(cudaEventRecord(made, one));
  good(cudaStreamWaitEvent(other, made, 0));
  good(cudaMemcpyAsync(here.data() + 1, there, sizeof(int), cudaMemcpyDeviceToHost, other));
  good(cudaEventRecord(used, other));
  good(cudaStreamWaitEvent(one, used, 0));
  good(cudaFreeAsync(there, one));
  one.wait();
  CHECK(here[1] == 13);
}

TEST_CASE("cudaFree takes memory of a stream whose work was waited for") {  // Memory Management, cudaFree
  Stream stream;
  int* const there = allocate<int>(1, stream);
  good(cudaMemsetAsync(there, 0, sizeof(int), stream));
  stream.wait();
  CHECK(cudaFree(there) == cudaSuccess);
}

TEST_CASE("memory freed in a stream can be had again in it, with other contents") {  // cudaFreeAsync
  Pinned<int> here{20};
  Stream stream;
  for (int i = 0; i < 20; ++i) {
    int* const there = allocate<int>(1000, stream);
    good(cudaMemsetAsync(there, i, 1000 * sizeof(int), stream));
    good(cudaMemcpyAsync(here.data() + i, there + 999, sizeof(int), cudaMemcpyDeviceToHost, stream));
    good(cudaFreeAsync(there, stream));
  }
  stream.wait();
  for (int i = 0; i < 20; ++i) CHECK(here[static_cast<std::size_t>(i)] == i * 0x01010101);
}

TEST_CASE("memory of the legacy stream is memory too") {  // cudaMallocAsync
  int* const there = allocate<int>(1, nullptr);
  good(cudaMemsetAsync(there, 1, sizeof(int), nullptr));
  CHECK(read(there, 1)[0] == 0x01010101);
  good(cudaFreeAsync(there, nullptr));
  good(cudaStreamSynchronize(nullptr));
}

TEST_CASE("more memory than there is is refused in a stream too, and the next call succeeds") {  // cudaMallocAsync
  std::size_t free = 0, total = 0;
  good(cudaMemGetInfo(&free, &total));
  Stream stream;
  void* memory = nullptr;
  CHECK(cudaMallocAsync(&memory, total + (std::size_t{1} << 30), stream) == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaMallocAsync(&memory, 100, stream) == cudaSuccess);
  CHECK(cudaFreeAsync(memory, stream) == cudaSuccess);
  stream.wait();
}

TEST_CASE("a device has a default pool, which is its current one at first") {  // cudaDeviceGetDefaultMemPool
  cudaMemPool_t first = nullptr, current = nullptr;
  good(cudaDeviceGetDefaultMemPool(&first, current_device()));
  good(cudaDeviceGetMemPool(&current, current_device()));
  CHECK(first != nullptr);
  CHECK(first == current);
}

TEST_CASE("a device's current pool is where its streams' memory comes from") {  // cudaDeviceSetMemPool
  cudaMemPool_t before = nullptr, now = nullptr;
  good(cudaDeviceGetMemPool(&before, current_device()));
  Stream stream;
  {
    Pool pool;
    good(cudaDeviceSetMemPool(current_device(), pool));
    good(cudaDeviceGetMemPool(&now, current_device()));
    CHECK(now == pool);
    int* const there = allocate<int>(100, stream);
    CHECK(pool.get(cudaMemPoolAttrUsedMemCurrent) >= 100 * sizeof(int));
    good(cudaFreeAsync(there, stream));
    stream.wait();
    good(cudaDeviceSetMemPool(current_device(), before));
  }
  good(cudaDeviceGetMemPool(&now, current_device()));
  CHECK(now == before);
}

TEST_CASE("destroying a device's current pool makes its default pool the current one") {  // cudaMemPoolDestroy
  cudaMemPool_t first = nullptr, now = nullptr;
  good(cudaDeviceGetDefaultMemPool(&first, current_device()));
  {
    Pool pool;
    good(cudaDeviceSetMemPool(current_device(), pool));
  }
  good(cudaDeviceGetMemPool(&now, current_device()));
  CHECK(now == first);
}

TEST_CASE("a pool counts what is used and what it holds") {  // cudaMemPoolGetAttribute
  Pool pool;
  Stream stream;
  CHECK(pool.get(cudaMemPoolAttrUsedMemCurrent) == 0);
  void* memory = nullptr;
  good(cudaMallocFromPoolAsync(&memory, 1 << 20, pool, stream));
  stream.wait();
  CHECK(pool.get(cudaMemPoolAttrUsedMemCurrent) >= 1 << 20);
  CHECK(pool.get(cudaMemPoolAttrReservedMemCurrent) >= pool.get(cudaMemPoolAttrUsedMemCurrent));
  good(cudaFreeAsync(memory, stream));
  stream.wait();
  CHECK(pool.get(cudaMemPoolAttrUsedMemCurrent) == 0);
  CHECK(pool.get(cudaMemPoolAttrUsedMemHigh) >= 1 << 20);
  std::uint64_t zero = 0;
  good(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
  CHECK(pool.get(cudaMemPoolAttrUsedMemHigh) == 0);
}

TEST_CASE("a pool keeps below its threshold what was freed, until it is trimmed") {  // cudaMemPoolAttrReleaseThreshold
  Pool pool;
  CHECK(pool.get(cudaMemPoolAttrReleaseThreshold) == 0);
  pool.keep(UINT64_MAX);
  CHECK(pool.get(cudaMemPoolAttrReleaseThreshold) == UINT64_MAX);
  Stream stream;
  void* memory = nullptr;
  good(cudaMallocFromPoolAsync(&memory, 1 << 20, pool, stream));
  good(cudaFreeAsync(memory, stream));
  stream.wait();
  CHECK(pool.get(cudaMemPoolAttrReservedMemCurrent) >= 1 << 20);
  good(cudaMemPoolTrimTo(pool, 0));
  CHECK(pool.get(cudaMemPoolAttrReservedMemCurrent) == 0);
}

TEST_CASE(
    "a pool without a threshold gives back what was freed when somebody waits") {  // cudaMemPoolAttrReleaseThreshold
  Pool pool;
  Stream stream;
  void* memory = nullptr;
  good(cudaMallocFromPoolAsync(&memory, 1 << 20, pool, stream));
  good(cudaFreeAsync(memory, stream));
  stream.wait();
  CHECK(pool.get(cudaMemPoolAttrReservedMemCurrent) == 0);
}

TEST_CASE("trimming spares what is in use") {  // cudaMemPoolTrimTo
  Pool pool;
  Stream stream;
  void* memory = nullptr;
  good(cudaMallocFromPoolAsync(&memory, sizeof(int), pool, stream));
  good(cudaMemsetAsync(memory, 2, sizeof(int), stream));
  good(cudaMemPoolTrimTo(pool, 0));
  stream.wait();
  CHECK(read(static_cast<int*>(memory), 1)[0] == 0x02020202);
  good(cudaFreeAsync(memory, stream));
  stream.wait();
}

TEST_CASE("a pool may be destroyed before what it gave is freed") {  // cudaMemPoolDestroy
  Stream stream;
  void* memory = nullptr;
  {
    Pool pool;
    good(cudaMallocFromPoolAsync(&memory, sizeof(int), pool, stream));
  }
  good(cudaMemsetAsync(memory, 3, sizeof(int), stream));
  stream.wait();
  CHECK(read(static_cast<int*>(memory), 1)[0] == 0x03030303);
  CHECK(cudaFreeAsync(memory, stream) == cudaSuccess);
  stream.wait();
}

TEST_CASE("the default pool is nobody's to destroy") {  // cudaMemPoolDestroy: cudaErrorInvalidValue
  cudaMemPool_t first = nullptr;
  good(cudaDeviceGetDefaultMemPool(&first, current_device()));
  CHECK(cudaMemPoolDestroy(first) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("the default pool keeps to its threshold too") {  // cudaMemPoolSetAttribute
  cudaMemPool_t pool = nullptr;
  good(cudaDeviceGetDefaultMemPool(&pool, current_device()));
  std::uint64_t before = 0, now = 1 << 20, found = 0;
  good(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &before));
  good(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &now));
  good(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &found));
  CHECK(found == now);
  good(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &before));
}
