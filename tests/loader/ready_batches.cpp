// ReadyBatches: the time that its users wait.
#include <atomic>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/core/detail/function_ref.hpp>
#include <tessera/loader/detail/ready_batches.hpp>

namespace ready_batches_tests {

using namespace tessera;
using Ready = detail::ReadyBatches<int>;

TEST_CASE("time in which several threads wait counts once, also that of one that leaves by an exception") {
  Ready ready{1};
  constexpr std::size_t users = 4;
  std::atomic<std::size_t> waiting{0};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < users; ++i)
    threads.emplace_back([&, i] {
      bool has_looked = false;
      auto const look = [&] {  // while it waits
        if (!std::exchange(has_looked, true)) ++waiting, waiting.notify_all();
        if (i == 0) throw std::runtime_error{"enough"};
      };
      FunctionRef<void()> const called{look};
      if (i == 0)
        CHECK_THROWS_AS((void)ready.take(&called), std::runtime_error);
      else
        CHECK(ready.take(&called) == nullptr);
    });
  for (std::size_t n; (n = waiting.load()) < users;) waiting.wait(n);
  ready.end(nullptr);
  for (auto& thread : threads) thread.join();
  auto const [seconds, waited] = ready.times();
  CHECK(waited > 0);
  CHECK(waited <= seconds);

  ready.put(std::make_unique<int>(7));
  CHECK(*ready.take() == 7);
  auto const [later, waited_later] = ready.times();
  CHECK(later >= seconds);
  CHECK(waited_later <= later);
}

}  // namespace ready_batches_tests
