// Device memory between processes at random, some of which are killed.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <device/ipc/emulated.hpp>
#include <ipc/process.hpp>
#include <support/random.hpp>
#include <tessera/ipc/cuda.cuh>

using namespace tessera;

namespace ipc_random_device_tests {

using Numbers = OwnedArray<std::uint32_t, 1, DeviceBuffer>;
constexpr std::uint64_t elements = 1000, arrays = 3;
constexpr std::uint32_t unfinished = ~std::uint32_t{0};

TEST_CASE("child: publisher for a random run" * doctest::skip()) {
  auto const tell = test::Process::mine();
  ipc::IpcResource resource;
  ipc::IpcPool pool;
  Queue<space::Device> on{Queue<space::Host>{}, DeviceResources{.device = resource}};
  Queue<space::Device> pooled{Queue<space::Host>{}, DeviceResources{.device = pool}};
  ipc::Producer producer;
  std::vector<ipc::Published> published;
  for (std::uint64_t i = 0; i < arrays; ++i) {
    auto& queue = i == 0 ? on : pooled;
    Numbers array{{elements}, queue};
    REQUIRE(cudaMemsetAsync(array.data(), 0, 4 * elements, queue.stream()) == cudaSuccess);
    published.push_back(ipc::publish(producer, std::move(array), queue));
    tell.put(published.back().json());
  }
  for (;;) {
    auto const asked = tell.get();
    if (asked == "unheld") tell.put(test::comes_true([&] { return producer.leases() == 0; }) ? "yes" : "no");
    if (asked == "end") break;
  }
}

void copy(std::uint32_t* to, std::uint32_t const* from, std::uint64_t count, cudaMemcpyKind kind,
          Queue<space::Device>& on) {
  if (cudaMemcpyAsync(to, from, 4 * count, kind, on.stream()) != cudaSuccess) throw std::runtime_error{"a copy failed"};
  on.wait();
}

// Attaches, slices, reads, writes and detaches at random. All elements of an array are one number, except during a
// write: then the first one marks it, because a writer may be killed.
void use_at_random(std::vector<ipc::Descriptor> const& all, std::uint64_t seed, std::uint64_t steps) {
  test::Random random{seed};
  Queue<space::Device> on{Queue<space::Host>{}};
  ipc::Consumer consumer;
  std::vector<ipc::Attached<space::Device>> held;
  std::vector<std::uint32_t> found(elements);
  for (std::uint64_t step = 0; step < steps; ++step) try {
      auto const& array = all[random(0, arrays - 1)];
      auto const first = random(1, elements - 1);
      switch (random(0, 3)) {
        case 0:
          held.push_back(ipc::attach(consumer, array.slice({{first, elements}}), on));
          break;
        case 1:
          if (!held.empty()) held.erase(held.begin() + static_cast<std::ptrdiff_t>(random(0, held.size() - 1)));
          break;
        case 2: {
          auto const whole = ipc::attach(consumer, array, on);
          copy(found.data(), whole.view<std::uint32_t const, 1>().data, elements, cudaMemcpyDeviceToHost, on);
          if (found[0] == unfinished) break;
          if (std::any_of(found.begin(), found.end(), [&](auto one) { return one != found[0]; }))
            throw std::runtime_error{"somebody writes what is read"};
          break;
        }
        default: {
          auto const whole = ipc::attach_to_write(consumer, array, on);
          auto* const data = whole.view<std::uint32_t, 1>().data;
          copy(data, &unfinished, 1, cudaMemcpyHostToDevice, on);
          found.assign(elements, static_cast<std::uint32_t>(random(0, 1u << 30)));
          copy(data + 1, found.data() + 1, elements - 1, cudaMemcpyHostToDevice, on);
          copy(data, found.data(), 1, cudaMemcpyHostToDevice, on);
        }
      }
      if (held.size() > 6) held.clear();
    } catch (ipc::LeaseRefused const&) {
    }
}

TEST_CASE("child: consumer at random" * doctest::skip()) {
  auto const tell = test::Process::mine();
  std::vector<ipc::Descriptor> all;
  for (std::uint64_t i = 0; i < arrays; ++i) all.push_back(ipc::parse_descriptor(tell.get()));
  auto const seed = std::stoull(tell.get()), steps = std::stoull(tell.get());
  test::OpenFiles const files;
  tell.put("here");
  try {
    use_at_random(all, seed, steps);
  } catch (ipc::ProducerGone const&) {
  } catch (DeviceError const&) {  // of an ending producer: the kernel closes its files before it reports its end
    CHECK(test::comes_true([&] {
      try {
        Queue<space::Device> on{Queue<space::Host>{}};
        ipc::Consumer consumer;
        (void)ipc::attach(consumer, all[0], on);
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

TEST_CASE("four consumers of device memory at random, killed at random, and then their producer") {
  auto const seed = test::wanted("TESSERA_IPC_SEED", 26), steps = test::wanted("TESSERA_IPC_STEPS", 2500);
  CAPTURE(seed);
  test::Random random{seed};
  auto producer = test::Process::running("child: publisher for a random run");
  std::vector<std::string> published;
  for (std::uint64_t i = 0; i < arrays; ++i) published.push_back(producer->get());
  std::uint64_t next = seed;
  auto const consuming = [&](std::uint64_t how_much) {
    auto consumer = test::Process::running("child: consumer at random");
    for (auto const& json : published) consumer->put(json);
    consumer->put(std::to_string(++next));
    consumer->put(std::to_string(how_much));
    return consumer;
  };
  std::vector<test::Process> consumers;
  for (int i = 0; i < 4; ++i) consumers.push_back(consuming(steps));
  for (auto kills = steps / 100; kills > 0; --kills) {
    auto const which = random(0, 3);
    consumers[which]->get();
    ::usleep(static_cast<unsigned>(random(0, 20000)));  // anywhere in its work
    consumers[which].kill();
    consumers[which] = consuming(steps);
  }
  for (auto& consumer : consumers) CHECK(consumer.wait());
  producer->put("unheld");
  CHECK(producer->get() == "yes");
  // The producer ends in the middle of everything: its consumers are told, and no wait lasts for ever.
  for (auto& consumer : consumers) consumer = consuming(1u << 30);
  for (auto& consumer : consumers) consumer->get();
  ::usleep(static_cast<unsigned>(random(0, 20000)));
  producer.kill();
  for (auto& consumer : consumers) CHECK(consumer.wait());
  // Another producer frees all its memory.
  producer = test::Process::running("child: publisher for a random run");
  for (auto& json : published) json = producer->get();
  auto consumer = consuming(10);
  CHECK(consumer.wait());
  producer->put("end");
  CHECK(producer.wait());
}

}  // namespace ipc_random_device_tests
