// Device memory between processes, each of which has a thread that captures its stream into a graph.
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <device/capturing.hpp>
#include <device/ipc/emulated.hpp>
#include <device/ipc/floats.hpp>
#include <ipc/process.hpp>
#include <tessera/ipc/cuda.cuh>

using namespace tessera;
using test::counted;

namespace ipc_capture_tests {

TEST_CASE("child: publisher beside a capture" * doctest::skip()) {
  auto const tell = test::Process::mine();
  test::beside_a_capture([&] {
    ipc::IpcResource resource;
    ipc::IpcPool pool;
    Queue<space::Device> on{Queue<space::Host>{}, DeviceResources{.device = resource}};
    Queue<space::Device> of_pool{Queue<space::Host>{}, DeviceResources{.device = pool}};
    ipc::Producer producer;
    std::vector<ipc::Published> published;
    auto const array = counted(6, on);
    published.push_back(ipc::publish(producer, array.view(), on));  // a copy
    published.push_back(ipc::publish(producer, counted(6, on), on));
    published.push_back(ipc::publish(producer, counted(6, of_pool), of_pool));
    for (auto const& one : published) tell.put(one.json());
    static_cast<void>(tell.get());
    published.clear();
  });
  test::check_nothing_open();
}

TEST_CASE("a capture in another thread goes on while device memory is published and attached") {
  auto producer = test::Process::running("child: publisher beside a capture");
  std::vector<ipc::Descriptor> arrays;
  for (int i = 0; i < 3; ++i) arrays.push_back(ipc::parse_descriptor(producer->get()));
  test::beside_a_capture([&] {
    Queue<space::Device> on{Queue<space::Host>{}};
    ipc::Consumer consumer;
    for (auto const& array : arrays) {
      auto const attached = ipc::attach(consumer, array, on);
      float last = 0;
      auto const view = attached.view<float const, 2>();
      auto const* const at = view.data + (view.shape[0] * view.shape[1] - 1);
      CHECK(cudaMemcpyAsync(&last, at, sizeof last, cudaMemcpyDeviceToHost, on.stream()) == cudaSuccess);
      on.wait();
      CHECK(last == 23);
    }
  });
  producer->put("end");
  CHECK(producer.wait());
}

}  // namespace ipc_capture_tests
