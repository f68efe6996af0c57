// Arrays of device memory by name at random: under a budget, in processes that are killed.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <emulation/emulation.hpp>
#include <ipc/process.hpp>
#include <support/random.hpp>
#include <tessera/ipc/cuda.cuh>
#include <tessera/ipc/names.hpp>
#include <tessera/ipc/shared_arrays.hpp>
#include <tessera/memory/launch.cuh>

using namespace tessera;

namespace ipc_device_eviction_tests {

constexpr std::uint64_t elements = 1000, size = 4 * elements, most = 5, names = 9;

struct Fill {
  std::uint32_t* data;
  std::uint32_t number;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { data[i] = number; }
};

// Arrays of a number each, which is their name; no more than `most` of them at a time.
TEST_CASE("child: server of names on a device" * doctest::skip()) {
  auto const tell = test::Process::mine();
  ipc::IpcResource resource;
  Queue<space::Device> on{Queue<space::Host>{}, DeviceResources{.device = resource}};
  ipc::Producer producer;
  ipc::SharedArrays shared{most * size, [&](std::string_view name) {
                             auto const number = static_cast<std::uint32_t>(std::stoul(std::string{name}));
                             return ipc::Source{size, [&, number] {
                                                  OwnedArray<std::uint32_t, 1, DeviceBuffer> array{{elements}, on};
                                                  launch(on, elements, Fill{array.data(), number});
                                                  return ipc::publish(producer, std::move(array), on);
                                                }};
                           }};
  std::atomic<std::size_t> largest{0};
  ipc::NameServer const server{[&](std::string_view name) {
    auto array = shared.get(name);
    largest = std::max(largest.load(), producer.allocations());
    return array;
  }};
  tell.put(server.address());
  for (;;) {
    auto const asked = tell.get();
    if (asked == "unheld") tell.put(test::comes_true([&] { return producer.leases() == 0; }) ? "yes" : "no");
    if (asked == "largest") tell.put(std::to_string(largest));
    if (asked == "end") break;
  }
}

// Asks, attaches, slices, reads and detaches at random. Ends well if the server is killed.
void use_at_random(std::string const& address, std::uint64_t seed, std::uint64_t steps) {
  test::Random random{seed};
  struct Held {
    std::uint64_t number;
    ipc::Attached<space::Device> array;
  };
  Queue<space::Device> on{Queue<space::Host>{}};
  ipc::Consumer consumer;
  std::vector<Held> held;
  std::vector<std::uint32_t> found(elements);
  std::uint64_t served = 0;
  for (std::uint64_t step = 0; step < steps; ++step) try {
      auto const number = random(1, names);
      auto const array = ipc::ask_for(std::to_string(number), address);
      for (auto const& other : held)
        if (other.number == number && other.array.descriptor().memory.number != array.memory.number)
          throw std::runtime_error{"an array that is held was evicted"};
      auto const first = random(0, elements - 1);
      auto part = ipc::attach(consumer, array.slice({{first, elements}}), on);
      auto const view = part.view<std::uint32_t const, 1>();
      if (cudaMemcpyAsync(found.data(), view.data, 4 * view.shape[0], cudaMemcpyDeviceToHost, on.stream()) !=
          cudaSuccess)
        throw std::runtime_error{"a copy failed"};
      on.wait();
      if (!std::all_of(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(view.shape[0]),
                       [&](auto one) { return one == number; }))
        throw std::runtime_error{"another element"};
      ++served;
      if (random.one_in(2)) held.push_back({number, std::move(part)});
      if (held.size() > 1) held.erase(held.begin());
    } catch (ipc::ProducerGone const&) {
      throw;
    } catch (ipc::IpcError const&) {  // evicted before it was attached; or no room beside what is held
      held.clear();
    }
  if (served < steps / 4) throw std::runtime_error{"hardly anything was served"};
}

TEST_CASE("child: asks for names on a device at random" * doctest::skip()) {
  auto const tell = test::Process::mine();
  auto const address = tell.get();
  auto const seed = std::stoull(tell.get()), steps = std::stoull(tell.get());
  auto const files = test::open_files();
  tell.put("here");
  try {
    use_at_random(address, seed, steps);
  } catch (ipc::ProducerGone const&) {
  } catch (DeviceError const&) {  // of a server that is going: the kernel takes its files before it tells of its end
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
  CHECK(emulation::alive().allocations == 0);
  CHECK(emulation::alive().events == 0);
  CHECK(test::open_files() == files);
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
  CHECK(answer("largest") == std::to_string(most));
  server->put("end");
  CHECK(server.wait());  // by the emulation's word it freed all that it made
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
