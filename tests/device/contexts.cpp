// Contexts: a program has one on each device of its queues, and no others.
#include <thread>

#include <device/arrays.hpp>
#include <device/device.hpp>

#if defined(TESSERA_CUDA_EMULATION)  // a GPU does not tell which contexts exist

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::text, test::under_seeds;

namespace {

// A stream of the second device, made in a thread that ends, as by another library: no remaining thread has a current
// context.
struct StreamOfSecond {
  cudaStream_t handle = nullptr;
  StreamOfSecond() {
    std::thread([&] {
      cudaSetDevice(1);
      cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking);
    }).join();
  }
  StreamOfSecond(StreamOfSecond const&) = delete;
  StreamOfSecond& operator=(StreamOfSecond const&) = delete;
  ~StreamOfSecond() {
    std::thread([&] {
      cudaSetDevice(1);
      cudaStreamDestroy(handle);
    }).join();
  }
};

struct Add {
  float* data;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { data[i] += 1; }
};

// Writes an array and reads it, by the threads of the queue's pool, on the second device.
template <class P, class S>
void use(S const& store, P const& pipeline, cudaStream_t stream) {
  DeviceQueue on{stream, HostQueue{4}};
  CHECK(on.device() == 1);
  DeviceBuffer values(4096 * sizeof(float), on);
  auto* const data = reinterpret_cast<float*>(values.span().data);
  launch(on, 4096, Add{data});
  auto const array = create_array<float, 2>(store, "a", {.shape = {64, 64}, .chunks = {8, 16}}, pipeline, on);
  array.write(all, ArrayView<float const, 2, space::Device>::c_order(data, {64, 64})).wait();
  auto pending = array.read(all, ArrayView<float, 2, space::Device>::c_order(data, {64, 64}));
  pending.is_done();
  pending.wait();
  auto const pinned = copy_to<PinnedBuffer>(std::move(values), on);
  on.wait();
  on.trim();
}

void check_one_context() {
  CHECK(emulation::has_context(1));
  CHECK_FALSE(emulation::has_context(0));
  int device = -1;
  CHECK(cudaGetDevice(&device) == cudaSuccess);
  CHECK(device == 0);
}

}  // namespace

TEST_CASE("a queue of the second device makes no context on the first, in any thread") {
  test::TemporaryFolder const folder;
  int made = 0;
  under_seeds(4, [&] {
    emulation::set({.devices = 2});
    {
      StreamOfSecond const stream;
      use(test::in_device_memory(), test::OnDevice{}, stream.handle);
      check_one_context();
      use(test::files_of_the_device(folder / std::to_string(made++)), test::OnDevice{}, stream.handle);
      check_one_context();
      using Compressed = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>, codec::Zstd>;
      use(MemoryStore<HostBuffer>{}, Compressed{}, stream.handle);
      check_one_context();
    }
    check_one_context();
    emulation::set({});
  });
}

TEST_CASE("a stream's device is told by its context: older drivers have no cudaStreamGetDevice") {
  under_seeds(1, [] {
    emulation::set({.devices = 2});
    {
      StreamOfSecond const stream;
      emulation::Watch const watch;
      use(test::in_device_memory(), test::OnDevice{}, stream.handle);
      use(MemoryStore<HostBuffer>{}, test::FromHost{}, stream.handle);
      { DeviceQueue const one_of_its_own; }
      CHECK(watch.count("cudaStreamGetDevice") == 0);
      int device = -1;
      CHECK(cudaStreamGetDevice(stream.handle, &device) == cudaSuccess);
      CHECK(watch.count("cudaStreamGetDevice") == 1);  // it would have been reported
    }
    emulation::set({});
  });
}

TEST_CASE("buffers, events and leases that end in a thread that used no device make no context there") {
  under_seeds(4, [] {
    emulation::set({.devices = 2});
    {
      StreamOfSecond const stream;
      DeviceQueue on{stream.handle};
      auto buffer = test::made<DeviceBuffer>("aaaa", on);
      auto pinned = test::made<PinnedBuffer>("aaaa", on);
      auto event = on.record();
      auto pending = on.pending("key");
      std::thread([&, queue = std::move(on)]() mutable {
        { auto const gone = std::move(buffer); }
        { auto const gone = std::move(pinned); }
        { auto const gone = std::move(event); }
        { auto const lent = queue.lease<Scratch<space::Pinned>>(); }
        pending.wait();
        queue.wait();
      }).join();
      check_one_context();
    }
    emulation::set({});
  });
}

#endif
