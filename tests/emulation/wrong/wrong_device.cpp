// A machine of two devices, and the program uses the wrong one.
#include <emulation/emulation.hpp>

#include "mistake.hpp"

namespace wrong {
namespace {

struct Copy {
  int const* from;
  int* to;
  TESSERA_HOST_DEVICE void operator()(std::size_t i) const { to[i] = from[i]; }
};

bool launched(bool cured) {
  emulation::set({.devices = 2});
  good(cudaSetDevice(1));
  Stream stream;
  Device<int> there{count};
  if (!cured) good(cudaSetDevice(0));
  launch(stream, count, Store{there.data(), 7});
  stream.wait();
  good(cudaSetDevice(0));
  return all_are(7, read(there.data(), count));
}
Mistake const of_launched{"wrong_device: a kernel is launched in a stream of a device that is not current",
                          Caught::always, "cudaErrorInvalidResourceHandle", launched};

bool allocated(bool cured) {
  emulation::set({.devices = 2});
  Device<int> from{count};
  fill(from, 7);
  good(cudaSetDevice(1));
  Device<int> to{count}, copy{count};
  good(cudaMemcpy(copy.data(), from.data(), from.bytes(), cudaMemcpyDefault));
  good(cudaDeviceSynchronize());  // between devices, cudaMemcpy does not wait
  Stream stream;
  launch(stream, count, Copy{cured ? copy.data() : from.data(), to.data()});
  stream.wait();
  good(cudaSetDevice(0));
  return all_are(7, read(to.data(), count));
}
Mistake const of_allocated{"wrong_device: a kernel reads memory of another device, which is no peer", Caught::by_memory,
                           "cudaErrorIllegalAddress", allocated};

bool not_enabled(bool cured) {
  emulation::set({.devices = 2, .peers = true});
  Device<int> from{count};
  fill(from, 7);
  good(cudaSetDevice(1));
  if (cured) good(cudaDeviceEnablePeerAccess(0, 0));
  Device<int> to{count};
  Stream stream;
  launch(stream, count, Copy{from.data(), to.data()});
  stream.wait();
  if (cured) good(cudaDeviceDisablePeerAccess(0));
  good(cudaSetDevice(0));
  return all_are(7, read(to.data(), count));
}
Mistake const of_not_enabled{"wrong_device: a kernel reads a peer's memory without having been granted access",
                             Caught::by_memory, "cudaErrorIllegalAddress", not_enabled};

bool recorded(bool cured) {
  emulation::set({.devices = 2});
  Stream stream;
  if (!cured) good(cudaSetDevice(1));
  Event event;
  good(cudaSetDevice(0));
  good(cudaEventRecord(event, stream));
  stream.wait();
  return true;
}
Mistake const of_recorded{"wrong_device: an event is recorded in a stream of another device", Caught::always,
                          "cudaErrorInvalidResourceHandle", recorded};

bool peer_copy(bool cured) {
  emulation::set({.devices = 2});
  Device<int> from{count};
  fill(from, 7);
  good(cudaSetDevice(1));
  Device<int> to{count};
  Stream stream;
  good(cudaMemcpyPeerAsync(to.data(), cured ? 1 : 0, from.data(), 0, to.bytes(), stream));
  stream.wait();
  good(cudaSetDevice(0));
  return all_are(7, read(to.data(), count));
}
Mistake const of_peer_copy{"wrong_device: a copy between devices names the wrong one", Caught::always,
                           "wrong device|cudaErrorInvalidValue", peer_copy};

bool in_another_thread(bool cured) {
  emulation::set({.devices = 2});
  good(cudaSetDevice(1));
  Stream stream;
  Device<int> there{count};
  std::thread{[&] {
    if (cured) good(cudaSetDevice(1));
    launch(stream, count, Store{there.data(), 7});
  }}.join();
  stream.wait();
  good(cudaSetDevice(0));
  return all_are(7, read(there.data(), count));
}
Mistake const of_in_another_thread{"wrong_device: a thread takes for granted that the current device is its maker's",
                                   Caught::always, "cudaErrorInvalidResourceHandle", in_another_thread};

}  // namespace
}  // namespace wrong
