// Memory of each kind. From "Memory Management" and "Unified Addressing" of CUDA's runtime API manual.
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "contract.hpp"

using namespace contract;

namespace {

cudaPointerAttributes attributes(void const* address) {
  cudaPointerAttributes found{};
  good(cudaPointerGetAttributes(&found, address));
  return found;
}

// CUDA 12 has it as cudaMemPrefetchAsync_v2, and another function by this name.
template <class Location>
cudaError_t prefetch(void const* memory, std::size_t bytes, Location there, cudaStream_t stream) {
  if constexpr (requires { cudaMemPrefetchAsync(memory, bytes, there, 0, stream); })
    return cudaMemPrefetchAsync(memory, bytes, there, 0, stream);
  else
    return cudaMemPrefetchAsync_v2(memory, bytes, there, 0, stream);
}

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
/// Pages of the program's own.
std::unique_ptr<char, Free> pages(std::size_t bytes) {
  return std::unique_ptr<char, Free>{static_cast<char*>(std::aligned_alloc(4096, bytes))};
}

bool const unified =
    [] {  // whether a host pointer is the device's too: everywhere with CUDA 13 except Windows' old mode
      int value = 0, device = 0;
      cudaGetDevice(&device);
      return cudaDeviceGetAttribute(&value, cudaDevAttrUnifiedAddressing, device) == cudaSuccess && value != 0;
    }();

}  // namespace

TEST_CASE("device memory is aligned to 256 bytes") {  // Programming Guide, "Device Memory Accesses"
  for (auto const size : std::vector<std::size_t>{1, 3, 100, 255, 257, 4096, 5000}) {
    Device<char> memory{size};
    CHECK(reinterpret_cast<std::uintptr_t>(memory.data()) % 256 == 0);
  }
}

TEST_CASE("allocations do not overlap") {  // cudaMalloc
  Device<char> a{1000}, b{1000};
  good(cudaMemset(a.data(), 1, 1000));
  good(cudaMemset(b.data(), 2, 1000));
  good(cudaDeviceSynchronize());
  CHECK(read(a.data(), 1000) == std::vector<char>(1000, 1));
  CHECK(read(b.data(), 1000) == std::vector<char>(1000, 2));
}

TEST_CASE("freeing nothing is allowed") {  // cudaFree
  CHECK(cudaFree(nullptr) == cudaSuccess);
  CHECK(cudaFreeHost(nullptr) == cudaSuccess);
}

TEST_CASE(
    "more memory than there is is refused, and the next call succeeds") {  // cudaMalloc: cudaErrorMemoryAllocation
  std::size_t free = 0, total = 0;
  good(cudaMemGetInfo(&free, &total));
  CHECK(free <= total);
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, total + (std::size_t{1} << 30)) == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaMalloc(&memory, 100) == cudaSuccess);
  CHECK(cudaFree(memory) == cudaSuccess);
}

TEST_CASE("memory for nobody is refused") {  // cudaMalloc: cudaErrorInvalidValue
  CHECK(cudaMalloc(static_cast<void**>(nullptr), 4) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

#if !defined(TESSERA_CUDA_EMULATION)  // which stops the program: such a free is an error, whatever it returns
TEST_CASE("freeing what is not the device's is refused") {  // cudaFree: cudaErrorInvalidValue
  int here = 0;
  CHECK(cudaFree(&here) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFreeHost(&here) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}
#endif

TEST_CASE("an address in device memory is known as such") {  // Unified Addressing, cudaPointerGetAttributes
  int device = -1;
  good(cudaGetDevice(&device));
  Device<char> memory{100};
  for (auto const offset : std::vector<std::size_t>{0, 50, 99}) {
    auto const found = attributes(memory.data() + offset);
    CHECK(found.type == cudaMemoryTypeDevice);
    CHECK(found.device == device);
    CHECK(found.devicePointer == memory.data() + offset);
    CHECK(found.hostPointer == nullptr);
  }
}

TEST_CASE("an address in page-locked memory is known as such") {  // as above
  Pinned<char> memory{100};
  auto const found = attributes(memory.data() + 50);
  CHECK(found.type == cudaMemoryTypeHost);
  CHECK(found.hostPointer == memory.data() + 50);
  if (unified) CHECK(found.devicePointer == memory.data() + 50);
}

TEST_CASE("an address in managed memory is known as such") {  // as above
  Managed<char> memory{100};
  auto const found = attributes(memory.data() + 50);
  CHECK(found.type == cudaMemoryTypeManaged);
  CHECK(found.hostPointer == memory.data() + 50);
  CHECK(found.devicePointer == memory.data() + 50);
}

TEST_CASE("an address of the program's own memory is of no kind") {  // as above
  int here = 0;
  std::vector<char> there(10);
  CHECK(attributes(&here).type == cudaMemoryTypeUnregistered);
  CHECK(attributes(there.data()).type == cudaMemoryTypeUnregistered);
}

TEST_CASE("page-locked memory is the host's to read and write, with any flags") {  // cudaHostAlloc
  for (auto const flags :
       {cudaHostAllocDefault, cudaHostAllocPortable, cudaHostAllocMapped, cudaHostAllocWriteCombined}) {
    void* memory = nullptr;
    good(cudaHostAlloc(&memory, 1000, static_cast<unsigned>(flags)));
    std::memset(memory, 3, 1000);
    CHECK(static_cast<char*>(memory)[999] == 3);
    void* there = nullptr;
    CHECK(cudaHostGetDevicePointer(&there, memory, 0) == cudaSuccess);
    if (unified) CHECK(there == memory);
    good(cudaFreeHost(memory));
  }
}

TEST_CASE("unknown flags of page-locked memory are refused") {  // cudaHostAlloc: cudaErrorInvalidValue
  void* memory = nullptr;
  CHECK(cudaHostAlloc(&memory, 10, 0x8000) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("memory that is registered is page-locked until it is given back") {  // cudaHostRegister, cudaHostUnregister
  auto const memory = pages(8192);
  good(cudaHostRegister(memory.get(), 8192, cudaHostRegisterDefault));
  CHECK(attributes(memory.get()).type == cudaMemoryTypeHost);
  CHECK(attributes(memory.get() + 8191).type == cudaMemoryTypeHost);
  {
    Device<char> there{1};
    memory.get()[0] = 1;
    HeldStream stream;
    good(cudaMemcpyAsync(there.data(), memory.get(), 1, cudaMemcpyHostToDevice, stream));
    memory.get()[0] = 2;  // as page-locked memory, it is read when the copy runs
    stream.wait();
    CHECK(read(there.data(), 1)[0] == 2);
  }
  good(cudaHostUnregister(memory.get()));
  CHECK(attributes(memory.get()).type == cudaMemoryTypeUnregistered);
}

TEST_CASE("memory is registered once") {  // cudaHostRegister: cudaErrorHostMemoryAlreadyRegistered, and its opposite
  auto const memory = pages(4096);
  good(cudaHostRegister(memory.get(), 4096, cudaHostRegisterDefault));
  CHECK(cudaHostRegister(memory.get(), 4096, cudaHostRegisterDefault) == cudaErrorHostMemoryAlreadyRegistered);
  CHECK(cudaGetLastError() == cudaErrorHostMemoryAlreadyRegistered);
  good(cudaHostUnregister(memory.get()));
  CHECK(cudaHostUnregister(memory.get()) == cudaErrorHostMemoryNotRegistered);
  CHECK(cudaGetLastError() == cudaErrorHostMemoryNotRegistered);
}

TEST_CASE("managed memory is one memory for the host and for copies") {  // cudaMallocManaged
  Managed<int> memory{some_values.size()};
  std::copy(some_values.begin(), some_values.end(), memory.data());
  Device<int> there{some_values.size()};
  Stream stream;
  good(cudaMemcpyAsync(there.data(), memory.data(), memory.bytes(), cudaMemcpyDefault, stream));
  good(cudaMemsetAsync(memory.data(), 0, sizeof(int), stream));
  stream.wait();
  CHECK(memory[0] == 0);
  CHECK(memory[1] == some_values[1]);
  CHECK(read(there.data(), some_values.size()) == some_values);
}

TEST_CASE("managed memory may be moved ahead of its use, and holds what it held") {  // cudaMemPrefetchAsync
  int device = 0, concurrent = 0;
  good(cudaGetDevice(&device));
  good(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, device));
  if (concurrent == 0) {
    MESSAGE("not run: this device moves managed memory as a whole");
    return;
  }
  Managed<int> memory{some_values.size()};
  std::copy(some_values.begin(), some_values.end(), memory.data());
  Stream stream;
  cudaMemLocation there{}, here{};
  there.type = cudaMemLocationTypeDevice;
  there.id = device;
  here.type = cudaMemLocationTypeHost;
  good(prefetch(memory.data(), memory.bytes(), there, stream));
  good(cudaMemsetAsync(memory.data(), 0, sizeof(int), stream));
  good(prefetch(memory.data(), memory.bytes(), here, stream));
  stream.wait();
  CHECK(memory[0] == 0);
  CHECK(std::equal(some_values.begin() + 1, some_values.end(), memory.data() + 1));
}

TEST_CASE("only managed memory is moved ahead") {  // cudaMemPrefetchAsync: cudaErrorInvalidValue
  Device<int> memory{1};
  cudaMemLocation here{};
  here.type = cudaMemLocationTypeHost;
  CHECK(prefetch(memory.data(), memory.bytes(), here, cudaStreamLegacy) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("work that is queued before memory is freed is done") {  // cudaFree, with implicit synchronisation
  Pinned<int> here{1};
  here[0] = 0;
  Stream stream;
  {
    Device<int> there{1};
    write(there.data(), {3});
    good(cudaMemcpyAsync(here.data(), there.data(), sizeof(int), cudaMemcpyDeviceToHost, stream));
    stream.wait();
  }
  CHECK(here[0] == 3);
}
