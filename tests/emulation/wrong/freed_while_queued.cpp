// Host memory is freed while a copy that needs it waits in a stream.
#include "mistake.hpp"

namespace wrong {
namespace {

bool unregistered(bool cured) {
  Device<int> there{count};
  fill(there, 7);
  std::vector<int> here(count, 0);
  good(cudaHostRegister(here.data(), there.bytes(), cudaHostRegisterDefault));
  Stream stream;
  good(cudaMemcpyAsync(here.data(), there.data(), there.bytes(), cudaMemcpyDeviceToHost, stream));
  if (cured) stream.wait();
  good(cudaHostUnregister(here.data()));
  bool const right = all_are(7, here);
  stream.wait();
  return right;
}
Mistake const of_unregistered{"freed_while_queued: memory is unregistered while a copy into it is queued",
                              Caught::by_order, "queued|wrong data|unregistered|cudaError", unregistered};

bool page_locked(bool cured) {
  Device<int> there{count};
  Stream stream;
  {
    Pinned<int> here{count};
    fill(here, 7);
    good(cudaMemcpyAsync(there.data(), here.data(), here.bytes(), cudaMemcpyHostToDevice, stream));
    if (cured) stream.wait();
  }
  stream.wait();
  return all_are(7, read(there.data(), count));
}
Mistake const of_page_locked{"freed_while_queued: page-locked memory is freed while a copy out of it is queued",
                             Caught::by_order, "queued|freed|wrong data", page_locked};

}  // namespace
}  // namespace wrong
