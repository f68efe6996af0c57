#include <device/stores.hpp>

TEST_CASE("every store of device buffers is a store") {
  test::TemporaryFolder folder;
  test::under_seeds(32, [&] { test::check_stores<tessera::DeviceBuffer>(folder); });
}

TEST_CASE("stores over stores of other device memory are stores") {
  using namespace tessera;
  test::under_seeds(16, [] {
    test::DeviceQueue const on;
    test::check_store([] { return CastStore<DeviceBuffer, MemoryStore<PinnedBuffer>>{{}}; }, on);
    test::check_store([] { return CastStore<PinnedBuffer, MemoryStore<DeviceBuffer>>{{}}; }, on);
    test::check_store([] { return CastStore<ManagedBuffer, MemoryStore<DeviceBuffer>>{{}}; }, on);
  });
}
