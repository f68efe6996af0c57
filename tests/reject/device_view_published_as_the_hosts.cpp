// expect: tessera: this view's elements are not in host memory: include <tessera/ipc/cuda.cuh> and publish an array in a buffer that can be exported
#include <tessera/ipc/cuda.cuh>
using namespace tessera;
void program(ipc::Producer& producer, OwnedArray<float, 2, DeviceBuffer> array, Queue<space::Device> on) {
#ifdef CURED
  auto const published = ipc::publish(producer, std::move(array), on);
#else
  (void)on;
  auto const published = producer.publish(array.view());
#endif
  (void)published;
}
