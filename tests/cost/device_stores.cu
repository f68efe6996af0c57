// Values read into device memory from three stores, changed by a kernel and cast back: stores and casts without arrays.
#include <cstddef>
#include <cstdlib>

#include <tessera/cast/detail/host_device.cuh>
#include <tessera/memory/launch.cuh>
#include <tessera/store/cast_store.hpp>
#include <tessera/store/detail/local_store.cuh>
#include <tessera/store/get.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;

struct Increment {
  std::byte* data;
  TESSERA_HOST_DEVICE void operator()(std::size_t i) const {
    data[i] = static_cast<std::byte>(static_cast<unsigned char>(data[i]) + 1);
  }
};

template <Store<DeviceBuffer> S>
std::size_t changed(S const& store, Key const& key, Queue<space::Device>& on) {
  auto value = get_value(store, key, on);
  if (!value) return 0;
  launch(on, value->view().size, Increment{value->span().data});
  store.write(key, value->view(), on);
  auto const here = copy_to<PinnedBuffer>(std::move(*value), on);
  on.wait();
  return here.view().size;
}

int main(int, char** arguments) {
  Queue<space::Device> on;
  LocalStore<DeviceBuffer> const local{arguments[1]};
  MemoryStore<DeviceBuffer> const memory;
  CastStore<DeviceBuffer, MemoryStore<HostBuffer>> const crossing{MemoryStore<HostBuffer>{}};
  return changed(local, {"a"}, on) + changed(memory, {"a"}, on) + changed(crossing, {"a"}, on) == 0 ? EXIT_FAILURE
                                                                                                    : EXIT_SUCCESS;
}
