// Work on, or memory of, a GPU outside the allowed contexts; and a context made by accident.
#include <emulation/emulation.hpp>

#include "mistake.hpp"

namespace wrong {
namespace {

char const* const refused = "cudaErrorInvalidResourceHandle|cudaErrorContextIsDestroyed";
char const* const not_meant = "makes a context on device 0, which the program does not mean";

template <class F>
F* driver(char const* name) {
  void* found = nullptr;
  good(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault));
  return reinterpret_cast<F*>(found);
}
void* context_of(cudaStream_t stream) {
  void* context = nullptr;
  good(static_cast<cudaError_t>(driver<int(cudaStream_t, void**)>("cuStreamGetCtx")(stream, &context)));
  return context;
}
void push(cudaStream_t stream) {
  good(static_cast<cudaError_t>(driver<int(void*)>("cuCtxPushCurrent")(context_of(stream))));
}
void pop() {
  void* before = nullptr;
  good(static_cast<cudaError_t>(driver<int(void**)>("cuCtxPopCurrent")(&before)));
}

bool in_a_pool_thread(bool cured) {
  emulation::set({.devices = 2, .meant = 2});
  good(cudaSetDevice(1));
  Stream stream;
  std::thread{[&] {
    if (cured) push(stream);
    stream.wait();
    if (cured) pop();
  }}.join();
  return true;
}
Mistake const of_in_a_pool_thread{"contexts: a thread that has no context waits for a stream of the second device",
                                  Caught::always, not_meant, in_a_pool_thread};

bool put_back(bool cured) {
  emulation::set({.devices = 2, .meant = 2});
  good(cudaSetDevice(1));
  Stream stream;
  std::thread{[&] {
    int before = 0;
    good(cudaGetDevice(&before));
    good(cudaSetDevice(1));
    stream.wait();
    if (!cured) good(cudaSetDevice(before));
  }}.join();
  return true;
}
Mistake const of_put_back{"contexts: cudaSetDevice puts back a device that was current and had no context",
                          Caught::always, not_meant, put_back};

bool on_every_device(bool cured) {
  emulation::set({.devices = 2, .meant = 2});
  int count = 0;
  good(cudaGetDeviceCount(&count));
  for (int device = 0; device < count; ++device) {
    int processors = 0;
    std::size_t left = 0, of = 0;
    if (cured) {
      good(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    } else {
      good(cudaSetDevice(device));
      good(cudaMemGetInfo(&left, &of));
    }
  }
  good(cudaSetDevice(1));
  return true;
}
Mistake const of_on_every_device{"contexts: each device is made current to be asked what it is", Caught::always,
                                 not_meant, on_every_device};

bool not_popped(bool cured) {
  emulation::set({.devices = 2});
  Device<int> there{count};
  Stream mine;
  good(cudaSetDevice(1));
  Stream other;
  good(cudaSetDevice(0));
  push(other);
  other.wait();
  if (cured) pop();
  launch(mine, count, Store{there.data(), 7});
  mine.wait();
  return all_are(7, read(there.data(), count));
}
Mistake const of_not_popped{"contexts: one is pushed and not popped, and the caller launches", Caught::always, refused,
                            not_popped};

bool popped_twice(bool cured) {
  emulation::set({.devices = 2});
  good(cudaSetDevice(1));
  Stream stream;
  std::thread{[&] {
    push(stream);  // of the caller
    push(stream);
    pop();
    if (!cured) pop();
    Device<int> there{count};
    launch(stream, count, Store{there.data(), 7});
    stream.wait();
    pop();
  }}.join();
  good(cudaSetDevice(0));
  return true;
}
Mistake const of_popped_twice{"contexts: one is popped twice, the second time its caller's", Caught::always, refused,
                              popped_twice};

bool allocated(bool cured) {
  emulation::set({.devices = 2});
  good(cudaSetDevice(1));
  Stream stream;
  bool right = true;
  std::thread{[&] {
    if (cured) push(stream);
    int* there = nullptr;
    good(cudaMalloc(reinterpret_cast<void**>(&there), count * sizeof(int)));
    if (!cured) push(stream);
    launch(stream, count, Store{there, 7});
    stream.wait();
    right = all_are(7, read(there, count));
    good(cudaFree(there));
    pop();
  }}.join();
  good(cudaSetDevice(0));
  return right;
}
Mistake const of_allocated{"contexts: memory is allocated before the context is pushed whose kernel writes it",
                           Caught::by_memory, "cudaErrorIllegalAddress", allocated};

bool recorded(bool cured) {
  emulation::set({.devices = 2});
  good(cudaSetDevice(1));
  Stream stream;
  std::thread{[&] {
    if (cured) push(stream);
    Event event;
    if (!cured) push(stream);
    good(cudaEventRecord(event, stream));
    good(cudaEventSynchronize(event));
    pop();
  }}.join();
  good(cudaSetDevice(0));
  return true;
}
Mistake const of_recorded{"contexts: an event is made before the context is pushed in whose stream it is recorded",
                          Caught::always, refused, recorded};

bool stream_of_the_former(bool cured) {
  cudaStream_t stream = nullptr;
  good(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  if (!cured) good(cudaDeviceReset());
  good(cudaStreamSynchronize(stream));
  good(cudaStreamDestroy(stream));
  return true;
}
Mistake const of_stream_of_the_former{"contexts: a stream is used whose context was destroyed by cudaDeviceReset",
                                      Caught::always, refused, stream_of_the_former};

bool memory_of_the_former(bool cured) {
  int* there = nullptr;
  good(cudaMalloc(reinterpret_cast<void**>(&there), count * sizeof(int)));
  if (!cured) good(cudaDeviceReset());
  good(cudaMemset(there, 0, count * sizeof(int)));
  good(cudaFree(there));
  return true;
}
Mistake const of_memory_of_the_former{"contexts: memory is used whose context was destroyed by cudaDeviceReset",
                                      Caught::always, "use after free", memory_of_the_former};

bool pushed_after_its_end(bool cured) {
  Stream stream;
  void* const context = context_of(stream);
  if (!cured) good(cudaDeviceReset());
  good(static_cast<cudaError_t>(driver<int(void*)>("cuCtxPushCurrent")(context)));
  pop();
  return true;
}
Mistake const of_pushed_after_its_end{"contexts: one is pushed that cudaDeviceReset has destroyed", Caught::always,
                                      refused, pushed_after_its_end};

}  // namespace
}  // namespace wrong
