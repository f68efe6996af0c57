// The driver, files and buffers.
#include "driver.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <utility>

#include "../runtime/regions.hpp"
#include "../runtime/world.hpp"

namespace emulation::cufile {

Driver& driver() {
  static auto* const made = new Driver;
  return *made;
}

bool begin(char const* name) {
  auto& d = driver();
  ++d.calls[name];
  if (d.until_failure == ~std::size_t{0} || d.until_failure-- > 0) return false;
  d.until_failure = ~std::size_t{0};
  d.failed = name;
  return true;
}

void set(Machine const& machine) {
  std::lock_guard const lock{driver().mutex};
  if (driver().opened != 0) mistake({"cufile: the machine was set while its driver is open"});
  driver().machine = machine;
  driver().compatible = true;
}
void fail(std::size_t k) {
  std::lock_guard const lock{driver().mutex};
  driver().until_failure = k;
  driver().failed.clear();
}
void fail_nothing() {
  std::lock_guard const lock{driver().mutex};
  driver().until_failure = ~std::size_t{0};
}
bool has_failed() {
  std::lock_guard const lock{driver().mutex};
  return !driver().failed.empty();
}
std::string failed_call() {
  std::lock_guard const lock{driver().mutex};
  return driver().failed;
}
void shorten(std::size_t k, std::size_t bytes) {
  std::lock_guard const lock{driver().mutex};
  driver().until_short = k;
  driver().short_size = bytes;
}
void shorten_nothing() { shorten(~std::size_t{0}, 0); }
void tell_fewer() {
  std::lock_guard const lock{driver().mutex};
  driver().tells_fewer = true;
}
std::size_t count(std::string_view name) {
  std::lock_guard const lock{driver().mutex};
  auto const found = driver().calls.find(name);
  return found == driver().calls.end() ? 0 : found->second;
}
void forget_calls() {
  std::lock_guard const lock{driver().mutex};
  driver().calls.clear();
}
Alive alive() {
  std::lock_guard const lock{driver().mutex};
  auto const& d = driver();
  return {d.opened, d.files.size(), d.buffers.size(), d.batches.size()};
}

}  // namespace emulation::cufile

using namespace emulation;
using emulation::cufile::begin, emulation::cufile::driver;

namespace {

CUfileError_t result(CUfileOpError error) { return {error, 0}; }

// Runs `body` as the function of that name, which requires an open driver.
template <class Body>
CUfileError_t enter(char const* name, Body&& body) {
  std::lock_guard const lock{driver().mutex};
  if (driver().opened == 0) mistake({name, ": cuFile's driver is not open: the call would open it, as it is"});
  if (begin(name)) return result(CU_FILE_INTERNAL_ERROR);
  return result(body());
}

}  // namespace

CUfileError_t cuFileDriverOpen() {
  std::lock_guard const lock{driver().mutex};
  auto& d = driver();
  if (begin("cuFileDriverOpen")) return result(CU_FILE_INTERNAL_ERROR);
  {
    Held const held;
    bool any = false;
    for (auto const& device : world().devices) any = any || device.context;
    if (!any) mistake({"cuFileDriverOpen: no call of CUDA's came before, and then it fails on some systems"});
  }
  auto const& m = d.machine;
  if (!m.nvidia_fs && !m.peer_to_peer && !m.opens_without && !d.compatible)
    return result(CU_FILE_DRIVER_NOT_INITIALIZED);
  if (m.opens_once && d.opened > 0) return result(CU_FILE_DRIVER_ALREADY_OPEN);
  ++d.opened;
  return result(CU_FILE_SUCCESS);
}
CUfileError_t cuFileDriverClose_v2() {
  return enter("cuFileDriverClose", [] {
    auto& d = driver();
    if (d.opened == 1 && !(d.files.empty() && d.buffers.empty() && d.batches.empty()))
      mistake({"cuFileDriverClose: ", d.files.size(), " files, ", d.buffers.size(), " buffers and ", d.batches.size(),
               " batches are left"});
    if (--d.opened == 0) d.compatible = true;
    return CU_FILE_SUCCESS;
  });
}
CUfileError_t cuFileDriverGetProperties(CUfileDrvProps_t* properties) {
  return enter("cuFileDriverGetProperties", [&] {
    auto const& d = driver();
    *properties = {};
    properties->nvfs.major_version = d.machine.nvidia_fs ? 2 : 0;
    properties->nvfs.dcontrolflags = d.compatible ? 1u << CU_FILE_ALLOW_COMPAT_MODE : 0;
    properties->nvfs.dstatusflags = (d.machine.nvidia_fs ? 1u << CU_FILE_NVME_SUPPORTED : 0) |
                                    (d.machine.peer_to_peer ? 1u << CU_FILE_NVME_P2P_SUPPORTED : 0);
    properties->max_batch_io_size = d.machine.most_at_once;
    return CU_FILE_SUCCESS;
  });
}
CUfileError_t cuFileSetParameterBool(CUFileBoolConfigParameter_t parameter, bool value) {
  std::lock_guard const lock{driver().mutex};
  auto& d = driver();
  if (begin("cuFileSetParameterBool") || !d.machine.has_parameters) return result(CU_FILE_INTERNAL_ERROR);
  if (d.opened != 0) return result(CU_FILE_DRIVER_ALREADY_OPEN);
  if (parameter == CUFILE_PARAM_PROPERTIES_ALLOW_COMPAT_MODE) d.compatible = value;
  return result(CU_FILE_SUCCESS);
}

// A failed call leaves an invalid handle.
CUfileError_t cuFileHandleRegister(CUfileHandle_t* file, CUfileDescr_t* description) {
  *file = file;
  return enter("cuFileHandleRegister", [&] {
    auto& d = driver();
    int const number = description->handle.fd;
    int const flags = ::fcntl(number, F_GETFL);
    if (description->type != CU_FILE_HANDLE_TYPE_OPAQUE_FD || flags < 0) return CU_FILE_INVALID_VALUE;
    if ((flags & O_DIRECT) == 0) mistake({"cuFileHandleRegister: the file is not open with O_DIRECT"});
    if (!d.machine.direct_files && !d.compatible) return CU_FILE_IO_NOT_SUPPORTED;
    *file = reinterpret_cast<CUfileHandle_t>(d.next_file += 16);
    d.files[*file] = number;
    return CU_FILE_SUCCESS;
  });
}
void cuFileHandleDeregister(CUfileHandle_t file) {
  std::lock_guard const lock{driver().mutex};
  ++driver().calls["cuFileHandleDeregister"];
  auto const found = driver().files.find(file);
  if (found == driver().files.end()) mistake({"cuFileHandleDeregister: there is no such file"});
  if (::fcntl(found->second, F_GETFL) < 0) mistake({"cuFileHandleDeregister: the file was closed before"});
  driver().files.erase(found);
}

CUfileError_t cuFileBufRegister(void const* base, std::size_t size, int) {
  return enter("cuFileBufRegister", [&] {
    auto& d = driver();
    auto const* const begin = static_cast<std::byte const*>(base);
    {
      Held const held;
      auto const* const found = regions().find_allocation(begin);
      if (!found || found->kind != Kind::device || found->state != State::live || begin + size > found->end())
        mistake({"cuFileBufRegister: not device memory that is there: ", base});
      if (found->pool >= 0) return CU_FILE_GPU_MEMORY_PINNING_FAILED;  // of a pool
    }
    if (!d.machine.registers) return CU_FILE_GPU_MEMORY_PINNING_FAILED;
    if (!d.buffers.emplace(begin, size).second) return CU_FILE_MEMORY_ALREADY_REGISTERED;
    return CU_FILE_SUCCESS;
  });
}
CUfileError_t cuFileBufDeregister(void const* base) {
  std::lock_guard const lock{driver().mutex};
  auto& d = driver();
  ++d.calls["cuFileBufDeregister"];
  auto const found = d.buffers.find(static_cast<std::byte const*>(base));
  if (found == d.buffers.end()) mistake({"cuFileBufDeregister: not registered: ", base});
  {
    Held const held;
    auto const* const memory = regions().find_allocation(base);
    if (!memory || memory->state != State::live) mistake({"cuFileBufDeregister: the memory was freed before: ", base});
  }
  d.buffers.erase(found);
  return result(CU_FILE_SUCCESS);
}
