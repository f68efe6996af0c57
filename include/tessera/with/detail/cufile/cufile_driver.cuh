// cufile::Driver: cuFile, loaded on first use, so that a program also runs without it.
#pragma once
#include <algorithm>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include <dlfcn.h>
#include <unistd.h>

#include <cufile.h>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {
namespace cufile {

/// The text of an error: the call, cuFile's words and the number.
inline std::string described(CUfileError_t error, char const* call) {
  auto const number = static_cast<int>(error.err);
  return to_text({call, ": ", cufileop_status_error(error.err), " (", number, ")"});
}

/// The library, and its driver, which is open during this object's lifetime. cuFile's compatible mode is off: in it the
/// host copies, and cuFile does not report that. The library stays loaded, because its threads may outlive the driver.
class Driver {
 public:
  /// Both as in cufile::Options.
  Driver(std::string library, std::string modules) : library_{std::move(library)}, modules_{std::move(modules)} {}
  Driver(Driver const&) = delete;
  Driver& operator=(Driver const&) = delete;
  ~Driver() {
    if (is_ours_) close_();
  }

  /// Opens the driver on the first call. Returns why that failed; empty: it is open. Requires: the queue's context is
  /// current.
  std::string const& why_not() {
    std::call_once(once_, [&] { why_not_ = open(); });
    return why_not_;
  }

  unsigned most_at_once = 0;  ///< requests of a batch
  /// The functions of the library; null before it is loaded.
  decltype(&::cuFileHandleRegister) register_file = nullptr;
  decltype(&::cuFileHandleDeregister) deregister_file = nullptr;
  decltype(&::cuFileBufRegister) register_buffer = nullptr;
  decltype(&::cuFileBufDeregister) deregister_buffer = nullptr;
  decltype(&::cuFileBatchIOSetUp) set_up = nullptr;
  decltype(&::cuFileBatchIOSubmit) submit = nullptr;
  decltype(&::cuFileBatchIOGetStatus) get_status = nullptr;
  decltype(&::cuFileBatchIOCancel) cancel = nullptr;
  decltype(&::cuFileBatchIODestroy) destroy = nullptr;

 private:
  std::string open() {
    for (auto const* const path : {&modules_, &library_})
      if (path->find('\0') != path->npos) return to_text({"found a path with a zero byte, ", *path});
    if (!modules_.empty() && ::access(modules_.c_str(), R_OK) != 0)
      return to_text({"cannot read ", modules_, ", without which cuFile does not start"});
    auto* const library = ::dlopen(library_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return to_text({"cannot load cuFile: ", ::dlerror()});
    char const* missing = nullptr;
    auto const find = [&](char const* name, auto& function) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
      if (!function) missing = name;
    };
    decltype(&::cuFileDriverOpen) open_driver = nullptr;
    decltype(&::cuFileDriverGetProperties) get_properties = nullptr;
    decltype(&::cuFileSetParameterBool) set_parameter = nullptr;
    find("cuFileSetParameterBool", set_parameter);
    find("cuFileDriverOpen", open_driver);
    find("cuFileDriverClose_v2", close_);
    find("cuFileDriverGetProperties", get_properties);
    find("cuFileHandleRegister", register_file);
    find("cuFileHandleDeregister", deregister_file);
    find("cuFileBufRegister", register_buffer);
    find("cuFileBufDeregister", deregister_buffer);
    find("cuFileBatchIOSetUp", set_up);
    find("cuFileBatchIOSubmit", submit);
    find("cuFileBatchIOGetStatus", get_status);
    find("cuFileBatchIOCancel", cancel);
    find("cuFileBatchIODestroy", destroy);
    if (missing) return to_text({"cuFile is too old: it lacks ", missing});

    set_parameter(CUFILE_PARAM_PROPERTIES_ALLOW_COMPAT_MODE, false);  // checked below, once the driver is open
    auto const opened = open_driver();
    if (opened.err != CU_FILE_SUCCESS && opened.err != CU_FILE_DRIVER_ALREADY_OPEN)
      return described(opened, "cuFileDriverOpen");
    is_ours_ = opened.err == CU_FILE_SUCCESS;
    CUfileDrvProps_t properties{};
    if (auto const got = get_properties(&properties); got.err != CU_FILE_SUCCESS)
      return described(got, "cuFileDriverGetProperties");
    auto const has = [](unsigned flags, unsigned bit) { return (flags >> bit & 1u) != 0; };
    if (has(properties.nvfs.dcontrolflags, CU_FILE_ALLOW_COMPAT_MODE))
      return "cuFile's driver is in compatibility mode, in which it may copy through host memory";
    if (properties.nvfs.major_version == 0 && !has(properties.nvfs.dstatusflags, CU_FILE_NVME_P2P_SUPPORTED))
      return "the kernel has neither nvidia-fs nor peer-to-peer transfers to GPUs";
    most_at_once = std::min(properties.max_batch_io_size, 128u);
    if (most_at_once == 0) return "cuFile does not support batches here";
    return {};
  }

  std::string library_, modules_;
  std::once_flag once_;
  std::string why_not_;
  bool is_ours_ = false;
  decltype(&::cuFileDriverClose) close_ = nullptr;
};

}  // namespace cufile
}}  // namespace tessera::v0
