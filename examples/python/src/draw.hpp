// Draw: where a Loader takes its boxes from, which may be code of Python.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include <nanobind/nanobind.h>

#include <tessera/array/read_boxes.hpp>

namespace nb = nanobind;

namespace python {

/// What a sampler in Python raised, on its way to the thread that asks for the batch.
struct SamplerFailed {
  std::shared_ptr<nb::python_error> raised;
};

/// The calls of a sampler in Python, which may take any time.
class SamplerCalls {
 public:
  /// False: the loader was closed.
  bool begin() {
    std::lock_guard const lock{mutex_};
    return is_in_call_ = !is_closed_;
  }
  void end() {
    std::lock_guard const lock{mutex_};
    is_in_call_ = false;
  }
  /// No call begins any more. Returns whether one goes on.
  bool close() {
    std::lock_guard const lock{mutex_};
    is_closed_ = true;
    return is_in_call_;
  }

 private:
  std::mutex mutex_{};
  bool is_in_call_ = false, is_closed_ = false;
};

/// Where a Loader takes its boxes from: a sampler of the library's, or a callable of Python's, which the loader's
/// thread calls with the interpreter's lock.
struct Draw {
  std::function<std::optional<tessera::OrientedBox>()> next{};
  std::shared_ptr<SamplerCalls> calls = std::make_shared<SamplerCalls>();
};

/// Samplers and Draw.
void add_samplers(nb::module_& module);

}  // namespace python
