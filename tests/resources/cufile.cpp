// tessera's use of cuFile, against cuFile's own header, whose types and numbers the stand-in has; and the library
// itself without a GPU: it reports why it does nothing, and values pass through page-locked memory.
//
//   cufile LIBRARY FOLDER
#include <cstdint>

#include <cuda_runtime_api.h>

#define TESSERA_CUDA_EMULATION 1  // as in the emulation's own header
extern "C" cudaError_t emulatedLaunch(void (*run)(void const* function, std::uint64_t block), void const* function,
                                      std::size_t size, std::uint64_t blocks, cudaStream_t stream);

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include <tessera/tessera.cuh>
#include <tessera/with/cufile.cuh>

static_assert(sizeof(CUfileError_t) == 8 && sizeof(CUfileDescr_t) == 24 && sizeof(CUfileDrvProps_t) == 56);
static_assert(sizeof(CUfileIOParams_t) == 64 && sizeof(CUfileIOEvents_t) == 24);
static_assert(CU_FILE_DRIVER_NOT_INITIALIZED == 5001 && CU_FILE_IO_NOT_SUPPORTED == 5008 &&
              CU_FILE_INVALID_VALUE == 5022 && CU_FILE_MEMORY_ALREADY_REGISTERED == 5023 &&
              CU_FILE_MEMORY_NOT_REGISTERED == 5024 && CU_FILE_DRIVER_ALREADY_OPEN == 5026 &&
              CU_FILE_INTERNAL_ERROR == 5030 && CU_FILE_GPU_MEMORY_PINNING_FAILED == 5036);
static_assert(CUFILE_WAITING == 1 && CUFILE_COMPLETE == 16 && CUFILE_FAILED == 64 && CUFILE_WRITE == 1);
static_assert(CUFILE_PARAM_PROPERTIES_ALLOW_COMPAT_MODE == 1 && CU_FILE_ALLOW_COMPAT_MODE == 1 &&
              CU_FILE_NVME_P2P_SUPPORTED == 11);

int main(int, char** argv) {
  using namespace tessera;
  std::string const words = "what is read is what was written";
  Queue<space::Device> on;
  DirectStore<DeviceBuffer> const store{argv[2], {.least = 1, .cufile = {.library = argv[1], .modules = ""}}};
  HostBuffer bytes(words.size());
  std::copy(words.begin(), words.end(), reinterpret_cast<char*>(bytes.span().data));
  auto const value = copy_to<DeviceBuffer>(std::move(bytes), on);
  store.write({"k"}, value.view(), on);
  auto read = get_value(store, {"k"}, on);
  if (!read) return 1;
  auto const here = copy_to<HostBuffer>(std::move(*read), on);
  bool const right = words == std::string{reinterpret_cast<char const*>(here.view().data), here.view().size};
  auto const told = store.transfer_path();
  for (auto const& one : told)
    std::printf("%s: %s\n", one.path == TransferPath::direct ? "direct" : "pinned", one.why.c_str());
  return right && told.size() == 1 && told[0].path == TransferPath::pinned && !told[0].why.empty() ? 0 : 1;
}
