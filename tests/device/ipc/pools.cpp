// Device memory of pools between processes, and copies in memory that can be exported.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <device/ipc/emulated.hpp>
#include <device/ipc/floats.hpp>
#include <device/ipc/pool.hpp>
#include <ipc/process.hpp>
#include <support/refused.hpp>
#include <tessera/ipc/cuda.cuh>

using namespace tessera;
using test::error_of;

namespace ipc_pool_tests {

using test::counted;

// The first elements, in C order.
std::vector<float> elements(ArrayView<float const, 2, space::Device> view, Queue<space::Device>& on) {
  std::vector<float> result(view.shape[0] * view.shape[1]);
  for (std::uint64_t i = 0; i < result.size(); ++i) {
    auto const* const at = view.data + static_cast<std::int64_t>(i / view.shape[1]) * view.strides[0] +
                           static_cast<std::int64_t>(i % view.shape[1]) * view.strides[1];
    REQUIRE(cudaMemcpyAsync(&result[i], at, sizeof(float), cudaMemcpyDeviceToHost, on.stream()) == cudaSuccess);
  }
  on.wait();
  return result;
}
template <class L>
std::vector<float> elements(ipc::Attached<space::Device, L> const& array, Queue<space::Device>& on) {
  return elements(array.template view<float const, 2>(), on);
}

// Publishes two arrays of one pool and one of a pool of its own.
TEST_CASE("child: publisher of pools" * doctest::skip()) {
  auto const tell = test::Process::mine();
  test::run_late();
  test::OpenFiles const files;
  ipc::IpcPool pool;
  test::Pool own{cudaMemHandleTypePosixFileDescriptor};
  {
    Queue<space::Device> on{Queue<space::Host>{}, DeviceResources{.device = pool}};
    Queue<space::Device> other{Queue<space::Host>{}, DeviceResources{.device = own}};
    ipc::Producer producer;
    std::vector<ipc::Published> published;
    published.push_back(ipc::publish(producer, counted(6, on), on));
    test::OpenFiles const with_a_pool;
    published.push_back(ipc::publish(producer, counted(10, on), on));
    with_a_pool.check_more(0);
    published.push_back(ipc::publish(producer, counted(3, other), other));
    with_a_pool.check_more(1);
    for (auto const& array : published) tell.put(array.json());
    for (;;) {
      auto const asked = tell.get();
      if (asked == "own") {  // in the producer's own process nothing is opened
        ipc::Consumer consumer;
        test::RuntimeCalls const calls;
        auto const attached = ipc::attach(consumer, published[0].descriptor(), on);
        calls.check("cudaMemPoolImportFromShareableHandle", 0);
        calls.check("cudaMemPoolImportPointer", 0);
        tell.put(std::to_string(static_cast<int>(elements(attached, on)[23])));
      }
      if (asked == "withdraw") {
        published.clear();
        tell.put(std::to_string(producer.allocations()));
      }
      if (asked == "gone") {
        REQUIRE(test::comes_true([&] { return producer.allocations() == 0; }));
        tell.put("gone");
      }
      if (asked == "end") break;
    }
  }
  files.check_more(0, 1);  // cached by the runtime
}

TEST_CASE("arrays of another process's pools are used where they are, and a pool is opened once") {
  auto producer = test::Process::running("child: publisher of pools");
  std::vector<ipc::Descriptor> arrays;
  for (int i = 0; i < 3; ++i) arrays.push_back(ipc::parse_descriptor(producer->get()));
  CHECK(arrays[0].memory.kind == "cuda-pool");
  CHECK(arrays[0].memory.pool == arrays[1].memory.pool);
  CHECK(arrays[0].memory.pool != arrays[2].memory.pool);
  test::OpenFiles const files;
  {
    Queue<space::Device> on{Queue<space::Host>{}};
    ipc::Consumer consumer;
    test::RuntimeCalls const calls;
    auto const first = ipc::attach(consumer, arrays[0], on);
    auto const second = ipc::attach(consumer, arrays[1], on);
    auto const third = ipc::attach(consumer, arrays[2], on);
    calls.check("cudaMemPoolImportFromShareableHandle", 2);
    CHECK(elements(first, on)[23] == 23);  // in the producer's order
    CHECK(elements(second, on)[39] == 39);
    CHECK(elements(third, on)[11] == 11);
    {
      test::RuntimeCalls const of_slice;
      auto const part = ipc::attach(consumer, arrays[1].slice({{8, 10}, {1, 3}}), on);
      of_slice.check_none();
      CHECK(elements(part, on) == std::vector<float>{33, 34, 37, 38});
    }
    files.check_more(1, 2);  // the connection, and the process
  }
  {
    Queue<space::Device> on{Queue<space::Host>{}};
    ipc::Consumer consumer;
    auto const writing = ipc::attach_to_write(consumer, arrays[0].slice({{4, 6}, all}), on);
    launch(on, 8, test::AddTen{writing.view<float, 2>()});
  }
  test::check_nothing_open();
  producer->put("own");
  CHECK(producer->get() == "33");
  producer->put("end");
  CHECK(producer.wait());
}

TEST_CASE("memory of a pool outlasts what is withdrawn, for as long as it is held, and no longer") {
  auto producer = test::Process::running("child: publisher of pools");
  auto const array = ipc::parse_descriptor(producer->get());
  producer->get(), producer->get();
  Queue<space::Device> on{Queue<space::Host>{}};
  ipc::Consumer consumer;
  auto attached = ipc::attach(consumer, array, on);
  producer->put("withdraw");
  CHECK(producer->get() == "2");  // the array and its pool
  CHECK(elements(attached, on)[23] == 23);
  attached.close();
  producer->put("gone");
  CHECK(producer->get() == "gone");
  producer->put("end");
  CHECK(producer.wait());
}

TEST_CASE("descriptors of pools are not believed") {
  auto producer = test::Process::running("child: publisher of pools");
  std::vector<ipc::Descriptor> arrays;
  for (int i = 0; i < 3; ++i) arrays.push_back(ipc::parse_descriptor(producer->get()));
  Queue<space::Device> on{Queue<space::Host>{}};
  ipc::Consumer consumer;
  auto const changed = [&](auto change) {
    auto array = arrays[0];
    change(array);
    return error_of([&] { (void)ipc::attach(consumer, array, on); });
  };
  CHECK(changed([](auto&) {}) == "nothing was thrown");
  CHECK(changed([&](auto& a) { a.memory.pool = arrays[2].memory.pool; }).find("cudaMemPoolImportPointer") !=
        std::string::npos);
  CHECK(changed([&](auto& a) { a.memory.pool = a.memory.number; }) ==
        "the producer has no pool " + std::to_string(arrays[0].memory.number));
  auto const gone = changed([](auto& a) { a.memory.pool = 77; });
  CHECK(gone.find("allocation 77 is not or no longer published") != std::string::npos);
  // The lease would be for one array, and the memory from another.
  CHECK(changed([&](auto& a) { a.memory.handle = arrays[2].memory.handle; })
            .starts_with("the handle does not belong to allocation"));
  CHECK(changed([&](auto& a) { a.memory.number = arrays[1].memory.number; })
            .starts_with("the handle does not belong to allocation"));
  CHECK(changed([](auto& a) { a.shape[0] = 7, a.memory.size = 4096; }).find("does not lie in its allocation") !=
        std::string::npos);
  CHECK(changed([](auto& a) { a.memory.kind = "cuda-ipc"; }).find("cudaIpcOpenMemHandle") != std::string::npos);
  auto text = ipc::to_json(arrays[0]);
  auto const at = text.find("\"pool\"");
  REQUIRE(at != text.npos);
  CHECK(error_of([&] { (void)ipc::parse_descriptor(text.replace(at, 6, "\"pond\"")); }) ==
        "member memory.pool is missing");
  test::check_nothing_open();
  producer->put("end");
  CHECK(producer.wait());
}

TEST_CASE("a pool that cannot be exported is refused with the reason and the cure, and a copy is published by choice") {
  test::Pool own{cudaMemHandleTypeNone};
  Queue<space::Device> on{Queue<space::Host>{}, DeviceResources{.device = own}};
  ipc::Producer producer;
  auto const array = counted(100, on);
  CHECK(error_of([&] { (void)ipc::publish(producer, counted(6, on), on); }) ==
        "this device memory is from a pool that was made for this process only (handleTypes is not "
        "cudaMemHandleTypePosixFileDescriptor): read on a queue with an IpcResource or an IpcPool, "
        "Queue<space::Device>{host, {.device = resource}}; or publish a copy, ipc::publish(producer, array.view(), "
        "queue), from tessera/ipc/cuda.cuh");
  CHECK(producer.allocations() == 0);
  auto const before = test::bytes_in_use();
  {
    auto const published = ipc::publish(producer, array.sub({{3, 90, 40}, {1, 3}}), on);
    CHECK(published.descriptor().memory.kind == "cuda-ipc");
    CHECK(published.descriptor().memory.size == std::size_t{2} << 20);  // not the array's, nor the pool's
    ipc::Consumer consumer;
    auto const attached = ipc::attach(consumer, published.descriptor(), on);
    CHECK(attached.shape() == Extents{3, 2});
    CHECK(elements(attached, on) == std::vector<float>{13, 14, 173, 174, 333, 334});
  }
  CHECK(error_of([&] {
          (void)ipc::publish(producer, array.sub({{3, 3}, all}), on);
        }) == "an array without elements has no device memory to publish");
  // The producer's thread frees the memory once it has forgotten the allocation.
  REQUIRE(test::comes_true([&] { return producer.allocations() == 0 && test::bytes_in_use() == before; }));
}

struct Managed {
  void* allocate(cudaStream_t, std::size_t size, std::size_t) {
    void* data = nullptr;
    REQUIRE(cudaMallocManaged(&data, size, cudaMemAttachGlobal) == cudaSuccess);
    return data;
  }
  void deallocate(cudaStream_t stream, void* data, std::size_t, std::size_t) noexcept {
    cudaStreamSynchronize(stream);
    cudaFree(data);
  }
};
TEST_CASE("managed memory that a resource gives for device memory is refused with the reason and the cure") {
  Managed managed;
  Queue<space::Device> on{Queue<space::Host>{}, DeviceResources{.device = managed}};
  ipc::Producer producer;
  CHECK(error_of([&] { (void)ipc::publish(producer, counted(6, on), on); }) ==
        "this device memory is neither from cudaMalloc nor from a pool and cannot be exported: read on a queue with an "
        "IpcResource, Queue<space::Device>{host, {.device = resource}}");
  CHECK(producer.allocations() == 0);
}

}  // namespace ipc_pool_tests
