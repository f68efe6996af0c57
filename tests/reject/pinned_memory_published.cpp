// expect: tessera: CUDA exports neither pinned nor managed memory to other processes: read into a DeviceBuffer
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/ipc/cuda.cuh>
using namespace tessera;
#ifdef CURED
using Memory = DeviceBuffer;
#else
using Memory = PinnedBuffer;
#endif
void program(ipc::Producer& producer, OwnedArray<float, 2, Memory> array, Queue<space::Device> on) {
  auto const published = ipc::publish(producer, std::move(array), on);
  (void)published;
}
