// A tensor for export: <dlpack/dlpack.h> is found.
#include <tessera/with/dlpack.hpp>

DLManagedTensorVersioned* tensor_of(tessera::HostBuffer bytes);
DLManagedTensorVersioned* tensor_of(tessera::HostBuffer bytes) {
  return tessera::dlpack::hand_over(tessera::dlpack::share(std::move(bytes))).release();
}
