// Misuse of cuFile's stand-in: calls that cuFile serves slowly and silently, or not at all.
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include <cufile.h>

#include "mistake.hpp"

namespace wrong {
namespace {

void expect(CUfileError_t result) {
  if (result.err != CU_FILE_SUCCESS) good(cudaErrorUnknown);
}

// Two pages, open as long as this lives, and without a name.
struct File {
  explicit File(int flags) {
    std::string name = "/tmp/tessera-cufile-XXXXXX";
    int const made = ::mkstemp(name.data());
    std::string const bytes(8192, 'x');
    if (made < 0 || ::write(made, bytes.data(), bytes.size()) != 8192) std::abort();
    number = ::open(name.c_str(), O_RDWR | flags);
    ::unlink(name.c_str());
    ::close(made);
    if (number < 0) std::abort();
  }
  ~File() { ::close(number); }
  int number;
};

struct Steps {
  bool calls_cuda = true, registers = true, deregisters_file = true, frees_last = true;
  int flags = O_DIRECT;
  off_t offset = 4096, place = 0;
  std::size_t size = 4096;
};

bool reads(Steps const& steps) {
  File const file{steps.flags};
  if (steps.calls_cuda) good(cudaFree(nullptr));
  expect(cuFileDriverOpen());
  void* memory = nullptr;
  good(cudaMalloc(&memory, 8192));
  if (steps.registers) expect(cuFileBufRegister(memory, 8192, 0));
  CUfileDescr_t description{};
  description.type = CU_FILE_HANDLE_TYPE_OPAQUE_FD;
  description.handle.fd = file.number;
  CUfileHandle_t handle = nullptr;
  expect(cuFileHandleRegister(&handle, &description));
  CUfileBatchHandle_t batch = nullptr;
  expect(cuFileBatchIOSetUp(&batch, 1));
  CUfileIOParams_t request{};
  request.mode = CUFILE_BATCH;
  request.u.batch.devPtr_base = memory;
  request.u.batch.devPtr_offset = steps.place;
  request.u.batch.file_offset = steps.offset;
  request.u.batch.size = steps.size;
  request.fh = handle;
  request.opcode = CUFILE_READ;
  expect(cuFileBatchIOSubmit(batch, 1, &request, 0));
  unsigned count = 1;
  CUfileIOEvents_t event{};
  expect(cuFileBatchIOGetStatus(batch, 1, &count, &event, nullptr));
  cuFileBatchIODestroy(batch);
  auto const found = read(static_cast<char*>(memory) + steps.place, 1);
  if (steps.deregisters_file) cuFileHandleDeregister(handle);
  if (!steps.frees_last) good(cudaFree(memory));
  if (steps.registers) expect(cuFileBufDeregister(memory));
  if (steps.frees_last) good(cudaFree(memory));
  expect(cuFileDriverClose());
  return event.status == CUFILE_COMPLETE && event.ret == steps.size && found[0] == 'x';
}

bool unregistered(bool cured) { return reads({.registers = cured}); }
Mistake const of_unregistered{"cufile: memory that is not registered", Caught::always, "the buffer is not registered",
                              unregistered};

bool half_a_page(bool cured) { return reads({.offset = cured ? 4096 : 2048}); }
Mistake const of_half_a_page{"cufile: from the middle of a page", Caught::always, "not multiples of 4096", half_a_page};

bool beyond(bool cured) { return reads({.place = cured ? 4096 : 8192}); }
Mistake const of_beyond{"cufile: beyond the memory that is registered", Caught::always,
                        "beyond the end of the buffer that was registered", beyond};

bool cached(bool cured) { return reads({.flags = cured ? O_DIRECT : 0}); }
Mistake const of_cached{"cufile: a file without O_DIRECT", Caught::always, "the file is not open with O_DIRECT",
                        cached};

bool left(bool cured) { return reads({.deregisters_file = cured}); }
Mistake const of_left{"cufile: a file is left when the driver closes", Caught::always, "1 files, 0 buffers", left};

bool freed(bool cured) { return reads({.frees_last = cured}); }
Mistake const of_freed{"cufile: memory is freed while it is registered", Caught::always, "the memory was freed before",
                       freed};

bool first(bool cured) { return reads({.calls_cuda = cured}); }
Mistake const of_first{"cufile: the driver is opened before any call of CUDA's", Caught::always,
                       "no call of CUDA's came before", first};

}  // namespace
}  // namespace wrong
