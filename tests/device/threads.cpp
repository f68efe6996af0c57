// Eight threads with queues of their own on shared stores.
#include <atomic>
#include <thread>

#include <device/device.hpp>

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::put, test::under_seeds, test::value;

namespace {

// Writers of whole values and readers; and a sum that is read, raised and written back under the key's lock.
template <class S>
void share(S const& store) {
  std::string const values[] = {test::long_text(30'000, 1), test::long_text(50'000, 2), test::long_text(1, 3)};
  {
    DeviceQueue on{test::HostQueue{}};
    put(store, "value", values[0], on);
    put(store, "sum", "0", on);
  }
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      try {
        DeviceQueue on{test::HostQueue{}};
        auto const name = "own/" + std::to_string(t);
        for (std::size_t i = 0; i < 6; ++i) {
          auto const now = value(store, "value", on);
          wrong += now != values[0] && now != values[1] && now != values[2];
          if (t % 4 == 0) put(store, "value", values[(t / 4 + i) % 3], on);
          put(store, name, values[i % 3], on);
          wrong += value(store, name, on) != values[i % 3];
          auto const held = store.lock({"sum"});
          put(store, "sum", std::to_string(std::stoi(value(store, "sum", on)) + 1), on);
        }
      } catch (std::exception const& error) {
        ++wrong;
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
  DeviceQueue on{test::HostQueue{}};
  CHECK(value(store, "sum", on) == "48");
}

}  // namespace

TEST_CASE_TEMPLATE("stores are shared by threads with queues of their own", B, DeviceBuffer, PinnedBuffer,
                   ManagedBuffer) {
  test::TemporaryFolder folder;
  int made = 0;
  under_seeds(8, [&] {
    share(MemoryStore<B>{});
    share(LocalStore<B>{folder / std::to_string(made++)});
    share(CastStore<B, MemoryStore<HostBuffer>>{{}});
  });
}
