// Work is queued in a stream, and the program waits for another.
#include "mistake.hpp"

namespace wrong {
namespace {

bool waited_for(bool cured) {
  Device<int> there{count};
  fill(there, 7);
  Pinned<int> here{count};
  fill(here, 0);
  Stream stream, other;
  good(cudaMemcpyAsync(here.data(), there.data(), here.bytes(), cudaMemcpyDeviceToHost, stream));
  (cured ? stream : other).wait();
  bool const right = all_are(7, here.data(), count);
  stream.wait();
  return right;
}
Mistake const of_waited_for{"wrong_stream: another stream is waited for", Caught::by_order, wrong_data, waited_for};

bool queued_in(bool cured) {
  Device<int> there{count};
  fill(there, 0);
  Pinned<int> here{count};
  fill(here, 0);
  Stream stream, other;
  launch(cured ? stream : other, count, Store{there.data(), 7});
  good(cudaMemcpyAsync(here.data(), there.data(), here.bytes(), cudaMemcpyDeviceToHost, stream));
  stream.wait();
  bool const right = all_are(7, here.data(), count);
  other.wait();
  return right;
}
Mistake const of_queued_in{"wrong_stream: one of three steps is queued in another stream", Caught::by_order, wrong_data,
                           queued_in};

bool legacy(bool cured) {
  Device<int> there{count};
  fill(there, 0);
  Pinned<int> here{count};
  fill(here, 0);
  Stream stream;
  good(cudaMemsetAsync(there.data(), 1, there.bytes(), cured ? static_cast<cudaStream_t>(stream) : nullptr));
  good(cudaMemcpyAsync(here.data(), there.data(), here.bytes(), cudaMemcpyDeviceToHost, stream));
  stream.wait();
  bool const right = all_are(0x01010101, here.data(), count);
  good(cudaDeviceSynchronize());
  return right;
}
Mistake const of_legacy{"wrong_stream: a fill goes into the legacy stream, for which a non-blocking one does not wait",
                        Caught::by_order, wrong_data, legacy};

bool blocking_fill(bool cured) {
  Device<int> there{count};
  fill(there, 0);
  Pinned<int> here{count};
  fill(here, 0);
  Stream stream;
  good(cudaMemset(there.data(), 1, there.bytes()));
  if (cured) good(cudaStreamSynchronize(nullptr));
  good(cudaMemcpyAsync(here.data(), there.data(), here.bytes(), cudaMemcpyDeviceToHost, stream));
  stream.wait();
  bool const right = all_are(0x01010101, here.data(), count);
  good(cudaDeviceSynchronize());
  return right;
}
Mistake const of_blocking_fill{"wrong_stream: cudaMemset of device memory is taken for blocking", Caught::by_order,
                               wrong_data, blocking_fill};

bool blocking_copy(bool cured) {
  Device<int> from{count}, to{count};
  fill(from, 7);
  fill(to, 0);
  Pinned<int> here{count};
  Stream stream;
  good(cudaMemcpy(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice));
  if (cured) good(cudaStreamSynchronize(nullptr));
  good(cudaMemcpyAsync(here.data(), to.data(), here.bytes(), cudaMemcpyDeviceToHost, stream));
  stream.wait();
  bool const right = all_are(7, here.data(), count);
  good(cudaDeviceSynchronize());
  return right;
}
Mistake const of_blocking_copy{"wrong_stream: cudaMemcpy within the device is taken for blocking", Caught::by_order,
                               wrong_data, blocking_copy};

}  // namespace
}  // namespace wrong
