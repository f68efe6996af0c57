// The caller's own CUDA error, which a program checks after its kernels: the library leaves it unchanged.
#include <device/device.hpp>

using namespace tessera;
using test::DeviceQueue, test::made, test::text, test::under_seeds;

TEST_CASE("who asks whether work is done leaves the caller's own error where it is") {
  under_seeds(16, [] {
    DeviceQueue on;
    auto const from = made<PinnedBuffer>(std::string(1 << 16, 'a'), on);
    DeviceBuffer there(1 << 16, on);
    on.wait();
    void* none = nullptr;
    auto const mine = cudaMallocHost(&none, SIZE_MAX / 2);  // refused
    CHECK(mine != cudaSuccess);
    crossing<space::Device, space::Pinned>::copy(from.view(), there.span(), on);
    auto pending = on.pending();
    pending.is_done();
    on.record().is_done();
    on.keep(0);
    { auto const lent = on.lease<Scratch<space::Pinned>>(); }
    { auto const again = on.lease<Scratch<space::Pinned>>(); }
    { auto const reused = made<PinnedBuffer>("aaaa", on); }
    { auto const reused = made<PinnedBuffer>("aaaa", on); }
    pending.wait();
    CHECK(text(there.view().sub(0, 4), on) == "aaaa");
    CHECK(cudaGetLastError() == mine);
    CHECK(cudaGetLastError() == cudaSuccess);
  });
}
