// Arrays by name at random: under a budget, in processes that are killed.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <ipc/numbers_by_name.hpp>

using namespace tessera;

namespace eviction_tests {

test::Process serving() {
  return test::Process{[](test::Channel& tell) {
    ipc::Producer producer;
    test::serve_numbers<std::uint64_t>(tell, producer, [&](std::uint64_t number) {
      Queue<space::Host> on;
      OwnedArray<std::uint64_t, 1, SharedBuffer> array{{test::numbers_in_array}, on};
      std::fill(array.begin(), array.end(), number);
      return producer.publish(std::move(array));
    });
  }};
}

// Ends well if the server is killed.
void use_at_random(std::string const& address, std::uint64_t seed, std::uint64_t steps) {
  auto const files = test::open_files();
  try {
    ipc::Consumer consumer;
    test::ask_for_numbers(
        address, seed, steps, [&](ipc::Descriptor const& array) { return consumer.attach(array); },
        [](auto const& part) {
          auto const view = part.template view<std::uint64_t const, 1>();
          return std::vector<std::uint64_t>(view.data, view.data + view.shape[0]);
        });
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
  CHECK(answer("mapped") == "yes");  // the evicted memory is freed
  CHECK(answer("largest") == std::to_string(test::most_arrays));
  for (auto& consumer : consumers) consumer = consuming();
  for (auto& consumer : consumers) consumer->get();
  ::usleep(static_cast<unsigned>(random(0, 3000)));
  server.kill();
  for (auto& consumer : consumers) CHECK(consumer.wait());
}

}  // namespace eviction_tests
