// The part of cuFile 1.15's interface that its stand-in on the emulated CUDA runtime has: names, types, values and
// meaning are cuFile's, the text is not. Found before cuFile's own header of the same name, if a program is built for
// the emulation.
#pragma once
#define TESSERA_CUFILE_EMULATION 1

#include <sys/types.h>

#include <cstddef>
#include <ctime>

enum CUfileOpError {
  CU_FILE_SUCCESS = 0,
  CU_FILE_DRIVER_NOT_INITIALIZED = 5001,
  CU_FILE_IO_NOT_SUPPORTED = 5008,
  CU_FILE_INVALID_VALUE = 5022,
  CU_FILE_MEMORY_ALREADY_REGISTERED = 5023,
  CU_FILE_MEMORY_NOT_REGISTERED = 5024,
  CU_FILE_DRIVER_ALREADY_OPEN = 5026,
  CU_FILE_INTERNAL_ERROR = 5030,
  CU_FILE_GPU_MEMORY_PINNING_FAILED = 5036,
};
inline char const* cufileop_status_error(CUfileOpError) { return "an error of the emulation"; }

struct CUfileError_t {
  CUfileOpError err;
  int cu_err;
};

enum CUfileDriverStatusFlags_t { CU_FILE_NVME_SUPPORTED = 4, CU_FILE_NVME_P2P_SUPPORTED = 11 };
enum CUfileDriverControlFlags_t { CU_FILE_USE_POLL_MODE = 0, CU_FILE_ALLOW_COMPAT_MODE = 1 };

struct CUfileDrvProps_t {
  struct {
    unsigned major_version, minor_version;
    std::size_t poll_thresh_size, max_direct_io_size;
    unsigned dstatusflags, dcontrolflags;
  } nvfs;
  unsigned fflags, max_device_cache_size, per_buffer_cache_size, max_device_pinned_mem_size, max_batch_io_size,
      max_batch_io_timeout_msecs;
};

enum CUfileFileHandleType { CU_FILE_HANDLE_TYPE_OPAQUE_FD = 1 };
struct CUfileDescr_t {
  CUfileFileHandleType type;
  union {
    int fd;
    void* handle;
  } handle;
  void const* fs_ops;
};
using CUfileHandle_t = void*;
using CUfileBatchHandle_t = void*;

enum CUfileOpcode_t { CUFILE_READ = 0, CUFILE_WRITE };
enum CUfileStatus_t {
  CUFILE_WAITING = 1,
  CUFILE_PENDING = 2,
  CUFILE_INVALID = 4,
  CUFILE_CANCELED = 8,
  CUFILE_COMPLETE = 16,
  CUFILE_TIMEOUT = 32,
  CUFILE_FAILED = 64,
};
enum CUfileBatchMode_t { CUFILE_BATCH = 1 };
struct CUfileIOParams_t {
  CUfileBatchMode_t mode;
  union {
    struct {
      void* devPtr_base;
      off_t file_offset, devPtr_offset;
      std::size_t size;
    } batch;
  } u;
  CUfileHandle_t fh;
  CUfileOpcode_t opcode;
  void* cookie;
};
struct CUfileIOEvents_t {
  void* cookie;
  CUfileStatus_t status;
  std::size_t ret;
};
enum CUFileBoolConfigParameter_t { CUFILE_PARAM_PROPERTIES_ALLOW_COMPAT_MODE = 1 };

extern "C" {
CUfileError_t cuFileDriverOpen(void);
CUfileError_t cuFileDriverClose_v2(void);
#define cuFileDriverClose cuFileDriverClose_v2
CUfileError_t cuFileDriverGetProperties(CUfileDrvProps_t* props);
CUfileError_t cuFileSetParameterBool(CUFileBoolConfigParameter_t param, bool value);
CUfileError_t cuFileHandleRegister(CUfileHandle_t* fh, CUfileDescr_t* descr);
void cuFileHandleDeregister(CUfileHandle_t fh);
CUfileError_t cuFileBufRegister(void const* base, std::size_t length, int flags);
CUfileError_t cuFileBufDeregister(void const* base);
CUfileError_t cuFileBatchIOSetUp(CUfileBatchHandle_t* batch, unsigned nr);
CUfileError_t cuFileBatchIOSubmit(CUfileBatchHandle_t batch, unsigned nr, CUfileIOParams_t* params, unsigned flags);
CUfileError_t cuFileBatchIOGetStatus(CUfileBatchHandle_t batch, unsigned min_nr, unsigned* nr, CUfileIOEvents_t* events,
                                     std::timespec* timeout);
CUfileError_t cuFileBatchIOCancel(CUfileBatchHandle_t batch);
void cuFileBatchIODestroy(CUfileBatchHandle_t batch);
}
