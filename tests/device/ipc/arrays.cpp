// Arrays of device memory between processes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include <device/ipc/emulated.hpp>
#include <device/ipc/floats.hpp>
#include <ipc/process.hpp>
#include <support/refused.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/ipc/cuda.cuh>
#include <tessera/memory/launch.cuh>

using namespace tessera;

namespace ipc_device_array_tests {

using test::counted;

float element(ArrayView<float const, 2, space::Device> view, std::uint64_t row, std::uint64_t column,
              Queue<space::Device>& on) {
  float result = 0;
  auto const* const at = view.data + static_cast<std::int64_t>(row) * view.strides[0] +
                         static_cast<std::int64_t>(column) * view.strides[1];
  REQUIRE(cudaMemcpyAsync(&result, at, sizeof result, cudaMemcpyDeviceToHost, on.stream()) == cudaSuccess);
  on.wait();
  return result;
}

TEST_CASE("child: publisher" * doctest::skip()) {
  auto const tell = test::Process::mine();
  test::run_late();
  ipc::IpcResource resource;
  Queue<space::Device> on{Queue<space::Host>{}, DeviceResources{.device = resource}};
  ipc::Producer producer;
  auto published = ipc::publish(producer, counted(6, on), on);
  tell.put(published.json());
  for (;;) {
    auto const asked = tell.get();
    if (asked == "withdraw") published = {};
    if (asked == "allocations") tell.put(std::to_string(producer.allocations()));
    if (asked == "gone") {
      REQUIRE(test::comes_true([&] { return producer.allocations() == 0; }));
      tell.put("gone");
    }
    if (asked == "last") {  // in the producer's own process
      ipc::Consumer consumer;
      auto const own = ipc::attach(consumer, published.descriptor(), on);
      tell.put(std::to_string(static_cast<int>(element(own.view<float const, 2>(), 5, 3, on))));
    }
    if (asked == "end") break;
  }
}

TEST_CASE("an array of another process's device memory is used where it is, in the producer's order") {
  auto producer = test::Process::running("child: publisher");
  auto const array = ipc::parse_descriptor(producer->get());
  CHECK(array.memory.device.starts_with("GPU-"));
  CHECK(array.memory.size == std::size_t{2} << 20);
  {
    Queue<space::Device> on{Queue<space::Host>{}};
    ipc::Consumer consumer;
    auto const whole = ipc::attach(consumer, array, on);
    CHECK(element(whole.view<float const, 2>(), 5, 3, on) == 23);
    {
      test::RuntimeCalls const calls;
      auto const part = ipc::attach(consumer, array.slice({{2, 6, 2}, {1, 3}}), on);
      calls.check_none();  // a slice of an open array makes no CUDA call
      CHECK(element(part.view<float const, 2>(), 1, 1, on) == 18);
    }
    CHECK_THROWS_AS(ipc::attach_to_write(consumer, array, on), ipc::LeaseRefused);
  }
  {
    Queue<space::Device> on{Queue<space::Host>{}};
    ipc::Consumer consumer;
    auto const writing = ipc::attach_to_write(consumer, array.slice({{4, 6}, all}), on);
    launch(on, 8, test::AddTen{writing.view<float, 2>()});
  }  // closed when the queue is done
  producer->put("last");
  CHECK(producer->get() == "33");
  producer->put("end");
  CHECK(producer.wait());
}

TEST_CASE("device memory outlasts what is withdrawn, for as long as it is held, and no longer") {
  auto producer = test::Process::running("child: publisher");
  auto const array = ipc::parse_descriptor(producer->get());
  Queue<space::Device> on{Queue<space::Host>{}};
  ipc::Consumer consumer;
  auto attached = ipc::attach(consumer, array, on);
  producer->put("withdraw");
  producer->put("allocations");
  CHECK(producer->get() == "1");
  CHECK(element(attached.view<float const, 2>(), 5, 3, on) == 23);
  attached.close();
  producer->put("gone");
  CHECK(producer->get() == "gone");
  producer->put("end");
  CHECK(producer.wait());  // the emulation's answer: it freed all its memory
}

TEST_CASE("child: holder" * doctest::skip()) {
  auto const tell = test::Process::mine();
  Queue<space::Device> on{Queue<space::Host>{}};
  ipc::Consumer consumer;
  auto const attached = ipc::attach(consumer, ipc::parse_descriptor(tell.get()), on);
  tell.put("held");
  tell.get();
}

TEST_CASE("a producer's end waits for those who hold device memory, and for those who die with it") {
  auto producer = test::Process::running("child: publisher");
  auto const json = producer->get();
  auto holder = test::Process::running("child: holder");
  holder->put(json);
  CHECK(holder->get() == "held");
  producer->put("end");
  ipc::Consumer late;
  Queue<space::Device> on{Queue<space::Host>{}};
  holder.kill();
  CHECK(producer.wait());
  CHECK_THROWS_AS(ipc::attach(late, ipc::parse_descriptor(json), on), ipc::ProducerGone);
}

TEST_CASE("descriptors of device memory are not believed, and memory of pools is refused with the cure") {
  auto producer = test::Process::running("child: publisher");
  auto const array = ipc::parse_descriptor(producer->get());
  Queue<space::Device> on{Queue<space::Host>{}};
  ipc::Consumer consumer;
  auto const refused = [&](auto change) {
    auto changed = array;
    change(changed);
    return test::error_of([&] { (void)ipc::attach(consumer, changed, on); });
  };
  CHECK(refused([](auto& a) { a.memory.device = "GPU-0"; }).find("the queue's device is GPU-") != std::string::npos);
  auto const other_handle = "the handle does not belong to allocation 1, which the lease is for";
  CHECK(refused([](auto& a) { a.memory.handle.pop_back(); }) == other_handle);
  CHECK(refused([](auto& a) { a.memory.event.clear(); }) == "the handle of the event has 0 octets, expected 64");
  CHECK(refused([](auto& a) { a.memory.handle[0] ^= std::byte{1}; }) == other_handle);
  CHECK(refused([](auto& a) {
          a.shape[0] = 1u << 30, a.memory.size = ~std::uint64_t{0};
        }).find("does not lie in its allocation, which has 2097152 bytes") != std::string::npos);
  CHECK(refused([](auto& a) { a.memory.kind = "shared-memory"; }).find("expected cuda-ipc") != std::string::npos);
  CHECK_THROWS_AS(consumer.attach(array), ipc::IpcError);
  test::check_allocations(0);
  ipc::Producer own;
  CHECK_THROWS_WITH_AS(ipc::publish(own, counted(6, on), on),
                       "this device memory is from a pool that was made for this process only (handleTypes is not "
                       "cudaMemHandleTypePosixFileDescriptor): read on a queue with an IpcResource or an IpcPool, "
                       "Queue<space::Device>{host, {.device = resource}}; or publish a copy, ipc::publish(producer, "
                       "array.view(), queue), from tessera/ipc/cuda.cuh",
                       ipc::IpcError);
  // An allocation of this process needs no handle to be opened; host memory must not be taken for it.
  Queue<space::Host> host;
  auto const in_host_memory = own.publish(OwnedArray<float, 1, SharedBuffer>{{6}, host});
  auto changed = in_host_memory.descriptor();
  changed.memory.kind = "cuda-ipc", changed.memory.device = array.memory.device;
  auto const not_its_handle = "the handle does not belong to allocation 1, which the lease is for";
  CHECK(test::error_of([&] { (void)ipc::attach(consumer, changed, on); }) == not_its_handle);
  changed.memory.handle = array.memory.handle, changed.memory.event = array.memory.event;
  CHECK(test::error_of([&] { (void)ipc::attach(consumer, changed, on); }) == not_its_handle);
  producer->put("end");
  CHECK(producer.wait());
}

TEST_CASE("a producer of device memory that is killed gives its consumers an error at the next use") {
  auto producer = test::Process::running("child: publisher");
  auto const array = ipc::parse_descriptor(producer->get());
  Queue<space::Device> on{Queue<space::Host>{}};
  ipc::Consumer consumer;
  auto attached = ipc::attach(consumer, array, on);
  producer.kill();
  CHECK_THROWS_AS((attached.view<float const, 2>()), ipc::ProducerGone);
  CHECK_THROWS_AS(ipc::attach(consumer, array.slice({{0, 1}, all}), on), ipc::ProducerGone);
  attached.close();
  test::check_allocations(0);
}

// A resource that cuts its memory out of one allocation, like pools of other libraries.
struct Parts {
  Parts() { REQUIRE(cudaMalloc(reinterpret_cast<void**>(&whole), std::size_t{1} << 20) == cudaSuccess); }
  ~Parts() { cudaFree(whole); }
  void* allocate(cudaStream_t, std::size_t size, std::size_t) {
    used += 512;  // beside the first
    auto* const part = whole + used;
    used += (size + 255) / 256 * 256;
    return part;
  }
  void deallocate(cudaStream_t, void*, std::size_t, std::size_t) noexcept {}
  std::byte* whole = nullptr;
  std::size_t used = 0;
};
TEST_CASE("child: publisher of parts" * doctest::skip()) {
  auto const tell = test::Process::mine();
  Parts parts;
  Queue<space::Device> on{Queue<space::Host>{}, DeviceResources{.device = parts}};
  {
    ipc::Producer producer;
    auto const first = ipc::publish(producer, counted(6, on), on), second = ipc::publish(producer, counted(6, on), on);
    tell.put(first.json());
    tell.put(second.json());
    tell.get();
  }
}
TEST_CASE("an array that lies in a larger allocation is found there by its offset") {
  auto producer = test::Process::running("child: publisher of parts");
  auto const first = ipc::parse_descriptor(producer->get()), second = ipc::parse_descriptor(producer->get());
  CHECK((first.offset == 512 && first.memory.size == std::size_t{1} << 20));
  CHECK((second.offset == 1280 && second.memory.handle == first.memory.handle));
  {
    Queue<space::Device> on{Queue<space::Host>{}};
    ipc::Consumer consumer;
    auto const one = ipc::attach(consumer, first, on), other = ipc::attach(consumer, second, on);
    CHECK(element(one.view<float const, 2>(), 5, 3, on) == 23);
    CHECK(element(other.view<float const, 2>(), 5, 3, on) == 23);
    test::check_allocations(1);
  }
  producer->put("end");
  CHECK(producer.wait());
}

#if defined(TESSERA_CUDA_EMULATION)
TEST_CASE("an attach that fails to order its queue behind the producer's leaves that to the next one") {
  test::run_late();
  ipc::IpcResource resource;
  Queue<space::Device> on{Queue<space::Host>{}, DeviceResources{.device = resource}};
  Queue<space::Device> first{Queue<space::Host>{}}, second{Queue<space::Host>{}};
  ipc::Producer producer;
  auto const published = ipc::publish(producer, counted(6, on), on);
  ipc::Consumer consumer;
  auto const held = ipc::attach(consumer, published.descriptor(), first);
  emulation::fail(0);
  CHECK_THROWS_AS((void)ipc::attach(consumer, published.descriptor(), second), DeviceError);
  CHECK(emulation::failed_call() == "cudaStreamWaitEvent");
  auto const again = ipc::attach(consumer, published.descriptor(), second);
  CHECK(element(again.view<float const, 2>(), 5, 3, second) == 23);
}

TEST_CASE("whatever call of the runtime fails, publishing and attaching leave nothing behind") {
  ipc::IpcPool pool;
  Queue<space::Device> on{Queue<space::Host>{}, DeviceResources{.device = pool}};
  on.wait();
  auto const before = emulation::alive();
  for (std::size_t k = 0, done = 0; done == 0; ++k) {
    CAPTURE(k);
    ipc::Producer producer;
    auto array = counted(6, on);
    on.wait();
    emulation::fail(k);
    try {
      (void)ipc::publish(producer, std::move(array), on);
    } catch (Error const&) {
    }
    done = !emulation::has_failed();
    emulation::fail_nothing();
    on.wait();
    CHECK(producer.allocations() == 0);
    CHECK(emulation::alive().events == before.events);
    CHECK((k < 40 && (done == 0 || k > 4)));
  }
  auto producer = test::Process::running("child: publisher");
  auto const array = ipc::parse_descriptor(producer->get());
  Queue<space::Device> here{Queue<space::Host>{}};
  for (std::size_t k = 0, done = 0; done == 0; ++k) {
    CAPTURE(k);
    ipc::Consumer consumer;
    emulation::fail(k);
    try {
      (void)ipc::attach(consumer, array, here);
    } catch (Error const&) {
    }
    done = !emulation::has_failed();
    emulation::fail_nothing();
    CHECK(emulation::alive().allocations == before.allocations);
    CHECK(emulation::alive().events == before.events);
    CHECK((k < 40 && (done == 0 || k > 4)));
  }
  producer->put("end");
  CHECK(producer.wait());
}
#endif

}  // namespace ipc_device_array_tests
