// Arrays by name at random: under a budget, in processes that are killed.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <ipc/process.hpp>
#include <support/random.hpp>
#include <tessera/ipc/consumer.hpp>
#include <tessera/ipc/names.hpp>
#include <tessera/ipc/shared_arrays.hpp>

using namespace tessera;

namespace eviction_tests {

constexpr std::uint64_t elements = 1000, size = 8 * elements, most = 5, names = 9;

// Arrays of a number each, which is their name; no more than `most` of them at a time.
test::Process serving() {
  return test::Process{[](test::Channel& tell) {
    ipc::Producer producer;
    ipc::SharedArrays shared{most * size, [&](std::string_view name) {
                               auto const number = std::stoull(std::string{name});
                               return ipc::Source{size, [&producer, number] {
                                                    Queue<space::Host> on;
                                                    OwnedArray<std::uint64_t, 1, SharedBuffer> array{{elements}, on};
                                                    std::fill(array.begin(), array.end(), number);
                                                    return producer.publish(std::move(array));
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
      auto const question = tell.get();
      if (question == "unheld") tell.put(test::comes_true([&] { return producer.leases() == 0; }) ? "yes" : "no");
      if (question == "mapped") tell.put(test::shared_mappings() == producer.allocations() ? "yes" : "no");
      if (question == "largest") tell.put(std::to_string(largest));
      if (question == "end") return;
    }
  }};
}

// Asks, attaches, slices, reads and detaches at random. Ends well if the server is killed.
void use_at_random(std::string const& address, std::uint64_t seed, std::uint64_t steps) {
  test::Random random{seed};
  auto const files = test::open_files();
  struct Held {
    std::uint64_t number;
    ipc::Attached<space::Host> array;
  };
  std::uint64_t served = 0;
  try {
    ipc::Consumer consumer;
    std::vector<Held> held;
    for (std::uint64_t step = 0; step < steps; ++step) try {
        auto const number = random(1, names);
        auto const array = ipc::ask_for(std::to_string(number), address);
        for (auto const& other : held)
          if (other.number == number && other.array.descriptor().memory.number != array.memory.number)
            throw std::runtime_error{"an array that is held was evicted"};
        auto const first = random(0, elements - 1);
        auto const whole = consumer.attach(array);
        auto part = consumer.attach(array.slice({{first, elements}}));
        auto const view = part.view<std::uint64_t const, 1>();
        if (whole.view<std::uint64_t const, 1>()(0) != number) throw std::runtime_error{"another array"};
        for (std::uint64_t i = 0; i < view.shape[0]; ++i)
          if (view(i) != number) throw std::runtime_error{"another element"};
        ++served;
        if (random.one_in(2)) held.push_back({number, std::move(part)});
        if (held.size() > 1) held.erase(held.begin());
      } catch (ipc::ProducerGone const&) {
        throw;
      } catch (ipc::IpcError const&) {  // evicted before it was attached; or no room beside what is held
        held.clear();
      }
    if (served < steps / 4) throw std::runtime_error{"hardly anything was served"};
  } catch (ipc::ProducerGone const&) {
  }
  if (test::shared_mappings() != 0) throw std::runtime_error{"shared memory is left"};
  if (test::open_files() != files) throw std::runtime_error{"descriptors are left"};
}

TEST_CASE("arrays by name at random, under a budget: nothing held goes, and consumers and servers may be killed") {
  auto const seed = test::wanted("TESSERA_IPC_SEED", 26), steps = test::wanted("TESSERA_IPC_STEPS", 2500);
  CAPTURE(seed);
  test::Random random{seed};
  std::uint64_t next = seed;
  auto server = serving();
  auto address = server->get();
  auto const consuming = [&] {
    return test::Process{[&address, steps, own = ++next](test::Channel& tell) {
      tell.put("here");
      use_at_random(address, own, steps);
    }};
  };
  std::vector<test::Process> consumers;
  for (int i = 0; i < 4; ++i) consumers.push_back(consuming());
  for (auto kills = steps / 250; kills > 0; --kills) {
    auto const which = random(0, 3);
    consumers[which]->get();
    ::usleep(static_cast<unsigned>(random(0, 3000)));
    consumers[which].kill();
    consumers[which] = consuming();
  }
  for (auto& consumer : consumers) CHECK(consumer.wait());
  auto const answer = [&](char const* question) {
    server->put(question);
    return server->get();
  };
  CHECK(answer("unheld") == "yes");
  CHECK(answer("mapped") == "yes");  // what was evicted is gone
  CHECK(answer("largest") == std::to_string(most));
  for (auto& consumer : consumers) consumer = consuming();
  for (auto& consumer : consumers) consumer->get();
  ::usleep(static_cast<unsigned>(random(0, 3000)));
  server.kill();
  for (auto& consumer : consumers) CHECK(consumer.wait());
}

}  // namespace eviction_tests
