// hand_over to a consumer on another GPU: a peer copy, in the order of both queues.
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <device/two_devices.hpp>
#include <tessera/with/dlpack.cuh>

using namespace tessera;
using test::DeviceQueue, test::with_two_devices;

namespace {

constexpr DLDevice second_gpu{kDLCUDA, 1};

std::string text_of(dlpack::Tensor const& tensor, DeviceQueue& on) {
  return test::text(ByteView<space::Device>{static_cast<std::byte const*>(tensor.get().data), 6}, on);
}

}  // namespace

TEST_CASE("DLPack: a consumer on another GPU gets a peer copy of device, pinned, managed and transposed elements") {
  auto const check = []<class B>(std::type_identity<B>) {
    with_two_devices(1, [](DeviceQueue& first, DeviceQueue& second) {
      for (bool is_transposed : {false, true}) {
        CAPTURE(is_transposed);
        auto source = dlpack::share(test::made<B>("abcdef", first));
        source.layout = is_transposed ? Layout{{3, 2}, {1, 3}, 1, 1} : Layout::c_order({2, 3}, 1);
        std::weak_ptr<void const> const owner = source.owner;
        emulation::Watch const watch;
        auto const tensor = dlpack::hand_over(source, first, second, {.device = second_gpu, .stream = -1});
        source.owner.reset();
        CHECK(watch.count("cudaMemcpyPeerAsync") == 1);
        bool const is_placed_by_host = is_transposed && !std::same_as<B, DeviceBuffer>;
        CHECK(watch.count("cudaStreamSynchronize") + watch.count("cudaEventSynchronize") + watch.spins() ==
              is_placed_by_host);
        CHECK(tensor.is_copied());
        CHECK(tensor.get().device.device_id == 1);
        cudaPointerAttributes where{};
        REQUIRE(cudaPointerGetAttributes(&where, tensor.get().data) == cudaSuccess);
        CHECK(where.device == 1);
        CHECK(text_of(tensor, second) == (is_transposed ? "adbecf" : "abcdef"));
        first.wait();
        CHECK(owner.expired());
      }
    });
  };
  check(std::type_identity<DeviceBuffer>{});
  check(std::type_identity<PinnedBuffer>{});
  check(std::type_identity<ManagedBuffer>{});
}

TEST_CASE("DLPack: a queue of another GPU changes nothing for consumers on this one") {
  with_two_devices(1, [](DeviceQueue& first, DeviceQueue& second) {
    auto const source = dlpack::share(test::made<DeviceBuffer>("abcdef", first));
    CHECK(dlpack::hand_over(source, first, second).get().data == source.data);
    CHECK(dlpack::hand_over(source, first, second, {.device = DLDevice{kDLCUDA, 0}}).get().data == source.data);
    CHECK_THROWS_AS((void)dlpack::hand_over(source, first, second, {.device = DLDevice{kDLCUDA, 2}}), ExchangeError);
    CHECK_THROWS_AS(
        (void)dlpack::hand_over(source, first, second, {.device = second_gpu, .copy = dlpack::Copying::never}),
        ExchangeError);
    CHECK_THROWS_AS((void)dlpack::hand_over(source, first, {.device = second_gpu}), ExchangeError);
    CHECK_THROWS_AS((void)dlpack::hand_over(source, first, second, {.device = second_gpu, .stream = 0}), ExchangeError);
  });
}

TEST_CASE("DLPack: the memory of a peer copy's source is used again only after the copy") {
  with_two_devices(1, [](DeviceQueue& first, DeviceQueue& second) {
    auto source = dlpack::share(test::made<DeviceBuffer>("abcdef", first));
    auto const tensor = dlpack::hand_over(source, first, second, {.device = second_gpu, .stream = -1});
    source.owner.reset();
    for (int i = 0; i < 4; ++i) (void)test::made<DeviceBuffer>("XXXXXX", first);
    CHECK(text_of(tensor, second) == "abcdef");
  });
}

TEST_CASE("DLPack: the k-th call of a peer copy fails: nothing is left") {
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    bool failed = false;
    with_two_devices(1, [&](DeviceQueue& first, DeviceQueue& second) {
      auto const source = dlpack::share(test::made<DeviceBuffer>("abcdef", first));
      first.wait();
      emulation::fail(k);
      try {
        (void)dlpack::hand_over(source, first, second, {.device = second_gpu, .stream = -1});
      } catch (Error const&) {
        CHECK(emulation::has_failed());
      }
      failed = emulation::has_failed();
      emulation::fail_nothing();
    });
    if (!failed) {
      CHECK(k > 3);
      break;
    }
  }
}
