// Arrays of device memory by name at random: under a budget, in processes that are killed.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <device/ipc/emulated.hpp>
#include <ipc/numbers_by_name.hpp>
#include <tessera/ipc/cuda.cuh>
#include <tessera/memory/launch.cuh>

using namespace tessera;

namespace ipc_device_eviction_tests {

struct Fill {
  std::uint32_t* data;
  std::uint32_t number;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { data[i] = number; }
};

TEST_CASE("child: server of names on a device" * doctest::skip()) {
  auto const tell = test::Process::mine();
  ipc::IpcResource resource;
  Queue<space::Device> on{Queue<space::Host>{}, DeviceResources{.device = resource}};
  ipc::Producer producer;
  test::serve_numbers<std::uint32_t>(tell, producer, [&](std::uint32_t number) {
    OwnedArray<std::uint32_t, 1, DeviceBuffer> array{{test::numbers_in_array}, on};
    launch(on, test::numbers_in_array, Fill{array.data(), number});
    return ipc::publish(producer, std::move(array), on);
  });
}

void use_at_random(std::string const& address, std::uint64_t seed, std::uint64_t steps) {
  Queue<space::Device> on{Queue<space::Host>{}};
  ipc::Consumer consumer;
  test::ask_for_numbers(
      address, seed, steps, [&](ipc::Descriptor const& array) { return ipc::attach(consumer, array, on); },
      [&](auto const& part) {
        auto const view = part.template view<std::uint32_t const, 1>();
        std::vector<std::uint32_t> found(view.shape[0]);
        if (cudaMemcpyAsync(found.data(), view.data, 4 * found.size(), cudaMemcpyDeviceToHost, on.stream()) !=
            cudaSuccess)
          throw std::runtime_error{"a copy failed"};
        on.wait();
        return found;
      });
}

TEST_CASE("child: asks for names on a device at random" * doctest::skip()) {
  auto const tell = test::Process::mine();
  auto const address = tell.get();
  auto const seed = std::stoull(tell.get()), steps = std::stoull(tell.get());
  test::OpenFiles const files;
  tell.put("here");
  try {
    use_at_random(address, seed, steps);
  } catch (ipc::ProducerGone const&) {
  } catch (DeviceError const&) {  // of an ending server: the kernel closes its files before it reports its end
    CHECK(test::comes_true([&] {
      try {
        (void)ipc::ask_for("1", address);
      } catch (ipc::ProducerGone const&) {
        return true;
      } catch (Error const&) {
      }
      return false;
    }));
  }
  test::check_nothing_open();
  test::check_no_events();
  files.check_more(0);
}

TEST_CASE("device memory by name at random, under a budget: nothing held goes, and any process may be killed") {
  auto const seed = test::wanted("TESSERA_IPC_SEED", 26), steps = test::wanted("TESSERA_IPC_STEPS", 2500);
  CAPTURE(seed);
  test::Random random{seed};
  std::uint64_t next = seed;
  auto server = test::Process::running("child: server of names on a device");
  auto const address = server->get();
  auto const consuming = [&] {
    auto consumer = test::Process::running("child: asks for names on a device at random");
    consumer->put(address);
    consumer->put(std::to_string(++next));
    consumer->put(std::to_string(steps));
    return consumer;
  };
  std::vector<test::Process> consumers;
  for (int i = 0; i < 4; ++i) consumers.push_back(consuming());
  for (auto kills = steps / 250; kills > 0; --kills) {
    auto const which = random(0, 3);
    consumers[which]->get();
    ::usleep(static_cast<unsigned>(random(0, 20000)));  // anywhere in its work
    consumers[which].kill();
    consumers[which] = consuming();
  }
  for (auto& consumer : consumers) CHECK(consumer.wait());
  auto const answer = [&](char const* question) {
    server->put(question);
    return server->get();
  };
  CHECK(answer("unheld") == "yes");
  CHECK(answer("largest") == std::to_string(test::most_arrays));
  server->put("end");
  CHECK(server.wait());  // the emulation's answer: it freed all its memory
  server = test::Process::running("child: server of names on a device");
  auto const second = server->get();
  for (auto& consumer : consumers) {
    consumer = test::Process::running("child: asks for names on a device at random");
    consumer->put(second);
    consumer->put(std::to_string(++next));
    consumer->put(std::to_string(1u << 30));
  }
  for (auto& consumer : consumers) consumer->get();
  ::usleep(static_cast<unsigned>(random(0, 20000)));
  server.kill();
  for (auto& consumer : consumers) CHECK(consumer.wait());
}

}  // namespace ipc_device_eviction_tests
