// Checks of sharing in the emulated runtime. A GPU's runtime cannot be queried, and keeps files of its own: there these
// functions check nothing.
#pragma once
#include <cstddef>
#include <string_view>

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <ipc/process.hpp>

#if defined(TESSERA_CUDA_EMULATION)
#include <emulation/emulation.hpp>
#endif

namespace test {

/// From now on the work of a stream runs when a call waits for it.
inline void run_late() {
#if defined(TESSERA_CUDA_EMULATION)
  emulation::seed(15);
#endif
}

inline void check_allocations([[maybe_unused]] std::size_t count) {
#if defined(TESSERA_CUDA_EMULATION)
  CHECK(emulation::alive().allocations == count);
#endif
}
inline void check_nothing_open() {
#if defined(TESSERA_CUDA_EMULATION)
  CHECK(emulation::alive().allocations == 0);
  CHECK(emulation::alive().pools == 0);
#endif
}
inline void check_no_events() {
#if defined(TESSERA_CUDA_EMULATION)
  CHECK(emulation::alive().events == 0);
#endif
}
/// Bytes of device memory; 0 on a GPU.
inline std::size_t bytes_in_use() {
#if defined(TESSERA_CUDA_EMULATION)
  return emulation::alive().bytes;
#else
  return 0;
#endif
}

/// Calls of the runtime since it was made.
class RuntimeCalls {
 public:
  void check_none() const {
#if defined(TESSERA_CUDA_EMULATION)
    CHECK(watch_.calls().empty());
#endif
  }
  void check([[maybe_unused]] std::string_view name, [[maybe_unused]] std::size_t count) const {
#if defined(TESSERA_CUDA_EMULATION)
    CHECK(watch_.count(name) == count);
#endif
  }

#if defined(TESSERA_CUDA_EMULATION)
 private:
  emulation::Watch watch_;
#endif
};

/// Files of this process since it was made.
class OpenFiles {
 public:
  void check_more([[maybe_unused]] std::size_t least, [[maybe_unused]] std::size_t most) const {
#if defined(TESSERA_CUDA_EMULATION)
    auto const now = open_files();
    CHECK(now >= before_ + least);
    CHECK(now <= before_ + most);
#endif
  }
  void check_more(std::size_t count) const { check_more(count, count); }

 private:
  [[maybe_unused]] std::size_t before_ = open_files();
};

}  // namespace test
