// One process decodes an array into device memory, and kernels of four others work on slices of it, compared with four
// that each read alone.
//
//   share_device [PICTURE.svg]
//
// Each worker is a new process of this program: share_device DESCRIPTOR|- NUMBER prints the sum of its slices and its
// device memory. With nvcc this runs on a GPU; the tests run it on an emulated CUDA runtime.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>

#include <tessera/buffer/device_buffer.cuh>
#include <tessera/ipc/cuda.cuh>
#include <tessera/tessera.cuh>
#include <tessera/with/zstd.hpp>

#include "workers.hpp"

using namespace tessera;

namespace {

// Elements on the device, zstd on the host: every chunk crosses between them.
using Stored = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>, codec::Zstd>;

auto t1(Queue<space::Device>& on) {
  return open_array<std::uint8_t, 3, Stored>(LocalStore<HostBuffer>{"examples/data/brain.zarr"}, "t1", on);
}

// Memory that other processes can open, and its peak.
class Counted {
 public:
  void* allocate(std::size_t size, std::size_t alignment) {
    auto* const data = from_.allocate(size, alignment);
    held_ += size;
    if (held_ > most_) most_ = held_;
    return data;
  }
  void deallocate(void* data, std::size_t size, std::size_t alignment) noexcept {
    from_.deallocate(data, size, alignment);
    held_ -= size;
  }
  double mebibytes() const { return static_cast<double>(most_) / (1 << 20); }

 private:
  ipc::IpcResource from_;
  std::size_t held_ = 0, most_ = 0;
};

// The sum of the i-th row.
struct SumRow {
  ArrayView<std::uint8_t const, 3, space::Device> volume;
  std::uint64_t* sums;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    std::uint64_t sum = 0;
    for (std::uint64_t z = 0; z < volume.shape[2]; ++z)
      sum += volume.in_kernel(i / volume.shape[1], i % volume.shape[1], z);
    sums[i] = sum;
  }
};

double sum(ArrayView<std::uint8_t const, 3, space::Device> volume, Queue<space::Device>& on) {
  auto const rows = volume.shape[0] * volume.shape[1];
  PinnedBuffer memory(rows * sizeof(std::uint64_t), on);  // both sides see it
  auto* const sums = reinterpret_cast<std::uint64_t*>(memory.span().data);
  launch(on, rows, SumRow{volume, sums});
  on.wait();
  return static_cast<double>(std::accumulate(sums, sums + rows, std::uint64_t{0}));
}

Result work(std::string const& descriptor, int worker) {
  Counted memory;
  Queue<space::Device> on{Queue<space::Host>{}, {.device = memory}};
  if (descriptor == "-") {
    auto const own = t1(on).read<DeviceBuffer>(all);
    return {sum(own.sub(slices_of(worker, own.shape()[0])), on), memory.mebibytes()};
  }
  ipc::Consumer consumer;
  auto const whole = ipc::parse_descriptor(descriptor);
  auto const mine = ipc::attach(consumer, whole.slice(slices_of(worker, whole.shape[0])), on);
  return {sum(mine.view<std::uint8_t const, 3>(), on), memory.mebibytes()};
}

}  // namespace

int main(int argc, char** argv) {
  return compare(argc, argv, work, [](auto&& run) {
    ipc::IpcResource memory;
    Queue<space::Device> on{Queue<space::Host>{}, {.device = memory}};
    ipc::Producer producer;
    auto const published = ipc::publish(producer, t1(on).read<DeviceBuffer>(all), on);
    return run(published.json());
  });
}
