// expect: tessera: metadata is read by the host: open the array over a store of host buffers, or over SplitStore{
#include "stub_device.hpp"
using namespace tessera;
using DevicePipeline = Pipeline<space::Device, codec::Bytes>;
void program(LocalStore<HostBuffer> host, DeviceStore device) {
#ifdef CURED
  (void)open_array<float, 3, DevicePipeline>(SplitStore{host, device}, "a");
#else
  (void)host;
  (void)open_array<float, 3, DevicePipeline>(device, "a");
#endif
}
