// The source of device memory: a pool of the queue's own, which keeps freed memory; or blocks, without pools.
#include <device/arrays.hpp>
#include <device/device.hpp>

#if defined(TESSERA_CUDA_EMULATION)  // which has devices without pools, and reports a pool's memory

using namespace tessera;
using test::DeviceQueue, test::made, test::numbers_from, test::on_device, test::on_host, test::text, test::under_seeds;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::size_t free_bytes() {
  std::size_t free = 0, total = 0;
  REQUIRE(cudaMemGetInfo(&free, &total) == cudaSuccess);
  return free;
}

}  // namespace

TEST_CASE("what is freed is kept for the next buffer, over waits, until the queue is trimmed") {
  emulation::set({});
  under_seeds(16, [] {
    auto const before = free_bytes();
    DeviceQueue on;
    { DeviceBuffer const buffer(mebibyte, on); }
    on.wait();
    CHECK(free_bytes() == before - mebibyte);
    { DeviceBuffer const buffer(mebibyte, on); }
    on.wait();
    CHECK(free_bytes() == before - mebibyte);
    DeviceBuffer const held(mebibyte / 2, on);
    on.trim();
    CHECK(free_bytes() == before - mebibyte / 2);
  });
}

TEST_CASE("of device memory no more is kept than the queue is told to keep") {
  emulation::set({});
  under_seeds(4, [] {
    auto const before = free_bytes();
    DeviceQueue on;
    on.keep_idle(mebibyte / 2);
    { DeviceBuffer const buffer(mebibyte, on); }
    on.wait();
    CHECK(free_bytes() == before - mebibyte / 2);
  });
}

TEST_CASE("what a pool keeps is not in the way of a larger buffer, and the device's own pool is as it was") {
  emulation::set({.memory = mebibyte});
  under_seeds(4, [] {
    cudaMemPool_t standard = nullptr;
    REQUIRE(cudaDeviceGetDefaultMemPool(&standard, 0) == cudaSuccess);
    std::uint64_t reserved = 0, threshold = 1;
    REQUIRE(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrReservedMemHigh, &reserved) == cudaSuccess);
    DeviceQueue on;
    { DeviceBuffer const buffer(mebibyte / 2 + 1, on); }
    on.wait();
    CHECK(text(made<DeviceBuffer>(std::string(mebibyte, 'a'), on).view().sub(0, 3), on) == "aaa");
    REQUIRE(cudaMemPoolGetAttribute(standard, cudaMemPoolAttrReservedMemHigh, &reserved) == cudaSuccess);
    REQUIRE(cudaMemPoolGetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &threshold) == cudaSuccess);
    CHECK(reserved == 0);
    CHECK(threshold == 0);
  });
  emulation::set({});
}

TEST_CASE("memory that was freed in work still to be done is not in the way of a larger buffer") {
  emulation::set({.memory = mebibyte});
  under_seeds(16, [] {
    DeviceQueue on;
    std::string const small(mebibyte / 2 + 1, 'a'), large(mebibyte, 'b');
    static_cast<void>(made<DeviceBuffer>(small, on));
    CHECK(text(made<DeviceBuffer>(large, on).view().sub(mebibyte - 3, 3), on) == "bbb");
  });
  emulation::set({});
}

TEST_CASE("a device without memory pools: blocks of cudaMalloc are lent again") {
  emulation::set({.pools = false});
  under_seeds(16, [] {
    auto const before = free_bytes();
    auto const elements = numbers_from(1.f, 120);
    DeviceQueue on{test::HostQueue{}};  // one thread: the number of blocks held at a time is known
    auto const array = create_array<float, 2>(test::in_device_memory(), "a", {.shape = {10, 12}, .chunks = {4, 5}},
                                              test::OnDevice{}, on);
    array.write(all, on_device<float, 2>(elements, {10, 12}, on)).wait();
    CHECK(on_host(array.read(all), on) == elements);
    {
      emulation::Watch const watch;
      CHECK(on_host(array.read(all), on) == elements);
      CHECK(test::allocations(watch) == 0);
    }
    array.write(all, on_device<float, 2>(elements, {10, 12}, on)).wait();
    CHECK(on_host(array.read(all), on) == elements);
    CHECK(free_bytes() < before);
  });
  emulation::set({});
}

TEST_CASE("a device without memory pools: the k-th call fails") {
  emulation::set({.pools = false});
  for (std::size_t k = 0, failed = true; failed; ++k) {
    REQUIRE(k < 200);
    {
      emulation::fail(k);
      try {
        DeviceQueue on;
        auto const buffer = made<DeviceBuffer>("abc", on);
        auto const other = made<DeviceBuffer>("def", on);
        auto const found = text(buffer.view(), on);
        CHECK(found == "abc");
      } catch (DeviceError const&) {
      }
      failed = emulation::has_failed();
      emulation::fail_nothing();
    }
    test::check_nothing_left();
  }
  emulation::set({});
}

#endif
