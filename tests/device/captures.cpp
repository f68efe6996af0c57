// Loaders beside a thread that captures its stream into a graph, as trainers do; and devices whose managed memory the
// host must not access meanwhile.
#include <thread>

#include <device/arrays.hpp>
#include <device/device.hpp>
#include <support/refused.hpp>

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::made, test::numbers_from, test::on_device, test::on_host,
    test::under_seeds;

TEST_CASE("a capture in another thread goes on, whatever queues do meanwhile") {
  test::TemporaryFolder const folder;
  int number = 0;
  under_seeds(16, [&] {
    cudaStream_t stream = nullptr;
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    std::string failure;
    std::thread([&] {
      try {
        DeviceQueue on{HostQueue{2}};
        auto const elements = numbers_from(1.f, 120);
        auto const array = create_array<float, 2>(test::files_of_the_device(folder / std::to_string(number++)), "a",
                                                  {.shape = {10, 12}, .chunks = {4, 5}}, test::OnDevice{}, on);
        array.write(all, on_device<float, 2>(elements, {10, 12}, on)).wait();
        if (on_host(array.read(all), on) != elements) failure = "other elements";
        auto pending = on.pending();
        while (!pending.is_done()) {
        }
        auto const managed = made<ManagedBuffer>("managed", on);
        on.keep(made<PinnedBuffer>("pinned", on));
        on.trim();
      } catch (Error const& error) {
        failure = error.what();
      }
    }).join();
    CHECK(failure == "");
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
  });
}

#if defined(TESSERA_CUDA_EMULATION)  // which has such devices
TEST_CASE("managed memory of a device without concurrent access is refused in one line, and pinned memory is not") {
  emulation::set({.concurrent_managed = false});
  under_seeds(4, [] {
    DeviceQueue on;
    test::check_refused<DeviceError>([&] { ManagedBuffer(100, on); },
                                     {"device 0", "concurrent managed access", "PinnedBuffer"});
    auto const array = create_array<float, 1>(MemoryStore<HostBuffer>{}, "a", {.shape = {10}, .chunks = {4}},
                                              Pipeline<space::Host, codec::Bytes>{}, on.host());
    array.write(all, numbers_from(1.f, 10));
    CHECK(test::text(made<PinnedBuffer>("pinned", on).view(), on) == "pinned");
  });
  emulation::set({});
}
#endif
