// Arrays over stores of device memory: documents stay on the host, values pass through the device.
#include <algorithm>
#include <numeric>

#include <device/device.hpp>
#include <support/brain.hpp>
#include <tessera/any_spaces.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;
using codec::Bytes, codec::Zstd;
using test::DeviceQueue, test::HostQueue, test::TemporaryFolder, test::under_seeds;

using OverDevice = Pipeline<space::Host, Bytes, Zstd, CastTo<space::Device>>;
static_assert(OverDevice::crossings == 1 && std::same_as<OverDevice::bytes_space, space::Device>);

TEST_CASE("documents never touch the device, values come through it") {
  std::string const path = TESSERA_TEST_DATA "/brain.zarr";
  under_seeds(4, [&] {
    DeviceQueue on{HostQueue{2}};
    SplitStore const store{LocalStore<HostBuffer>{path}, LocalStore<DeviceBuffer>{path}};
#if defined(TESSERA_CUDA_EMULATION)
    emulation::Watch const watch;
#endif
    auto const t1 = open_array<std::uint8_t, 3, OverDevice>(store, "t1", on);
#if defined(TESSERA_CUDA_EMULATION)
    CHECK(watch.calls().empty());  // no CUDA call at all
#endif
    auto const read = t1.read(all);
    CHECK(std::ranges::equal(read.elements(), test::t1_elements()));
#if defined(TESSERA_CUDA_EMULATION)
    CHECK(watch.copies(cudaMemcpyHostToDevice) > 0);
    // Neighbours cross to the device together with the bytes between them, and back without.
    auto const up = watch.copied(cudaMemcpyHostToDevice), down = watch.copied(cudaMemcpyDeviceToHost);
    std::size_t chunks = 0;
    store.metadata_store().list("t1/c", [&](Listed const&) { ++chunks; });
    CHECK(up >= down);
    CHECK(up - down < 256 * chunks);
    CHECK(watch.copies(cudaMemcpyDeviceToDevice) == 0);
#endif
  });
}

TEST_CASE("arrays are made and written in device memory's stores") {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    SplitStore const store{MemoryStore<HostBuffer>{}, MemoryStore<DeviceBuffer>{}};
    using P = Pipeline<space::Host, Bytes, CastTo<space::Device>>;
    auto const array = create_array<float, 2>(store, "a", {.shape = {5, 7}, .chunks = {2, 3}}, P{}, on);
    std::vector<float> elements(35);
    std::iota(elements.begin(), elements.end(), 1.f);
    array.write(all, elements);
    std::vector<float> read(35);
    open_array<float, 2, P>(store, "a", on).read(all, read);
    CHECK(read == elements);
    Box const part{{1, 4}, {2, 7}};
    std::vector<float> const ones(15, 1.f);
    array.write(part, ones);
    std::vector<float> again(15);
    array.read(part, again);
    CHECK(again == ones);
    // The host's view of the same chunks is read by a host pipeline.
    auto const host = host_side(store, on);
    std::vector<float> by_host(15);
    open_array<float, 2, Pipeline<space::Host, Bytes>>(host, "a").read(part, by_host);
    CHECK(by_host == ones);
  });
}

TEST_CASE_TEMPLATE("arrays in memory that both sides reach", B, PinnedBuffer, ManagedBuffer) {
  using Space = typename B::space_type;
  using P = Pipeline<Space, codec::Transpose, Bytes, Zstd>;
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    SplitStore const store{MemoryStore<HostBuffer>{}, MemoryStore<B>{}};
    P const pipeline{codec::Transpose{{1, 0}}, Bytes{}, Zstd{}};
    auto const array =
        create_array<float, 2>(store, "a", {.shape = {5, 7}, .chunks = {2, 3}, .fill = 9}, pipeline, on);
    auto const untouched = array.read(all);
    CHECK(std::ranges::count(untouched.elements(), 9.f) == 35);
    OwnedArray<float, 2, B> elements{{5, 7}, on};
    std::iota(elements.elements().begin(), elements.elements().end(), 1.f);
    array.write(all, elements.view()).wait();
    auto const read = open_array<float, 2, P>(store, "a", on).read(all);
    CHECK(std::ranges::equal(read.elements(), elements.elements()));
    // Work that another queue has not finished yet is waited for before the host decodes it.
    DeviceQueue reader{test::HostQueue{}};
    std::ranges::reverse(elements.elements());
    auto const writing = array.write(all, elements.view());
    auto const seen = open_array<float, 2, P>(store, "a", reader).read(all);
    CHECK(std::ranges::equal(seen.elements(), elements.elements()));
  });
}

TEST_CASE_TEMPLATE("elements are placed when their chunks are there", B, PinnedBuffer, ManagedBuffer) {
  using P = Pipeline<typename B::space_type, Bytes>;  // no codec that would wait for them
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    SplitStore const store{MemoryStore<HostBuffer>{}, MemoryStore<B>{}};
    auto const array = create_array<float, 2>(store, "a", {.shape = {5, 7}, .chunks = {2, 3}}, P{}, on);
    OwnedArray<float, 2, B> elements{{5, 7}, on};
    std::iota(elements.elements().begin(), elements.elements().end(), 1.f);
    array.write(all, elements.view()).wait();
    std::ranges::fill(elements.elements(), 100.f);
    Box const part{{1, 4}, {2, 6}};
    OwnedArray<float, 2, B> inner{{3, 4}, on};
    std::ranges::fill(inner.elements(), 0.f);
    array.write(part, inner.view()).wait();
    auto const read = open_array<float, 2, P>(store, "a", on).read(all);
    for (std::size_t i = 0; i < 35; ++i) {
      auto const row = i / 7, column = i % 7;
      bool const is_inner = row >= 1 && row < 4 && column >= 2 && column < 6;
      CHECK(read.elements()[i] == (is_inner ? 0.f : static_cast<float>(i + 1)));
    }
  });
}

TEST_CASE("values in pinned and managed memory") {
  std::string const path = TESSERA_TEST_DATA "/brain.zarr";
  under_seeds(2, [&] {
    DeviceQueue on{test::HostQueue{}};
    SplitStore const pinned{LocalStore<HostBuffer>{path}, LocalStore<PinnedBuffer>{path}};
    auto const first =
        open_array<std::uint8_t, 3, Pipeline<space::Host, Bytes, CastTo<space::Pinned>, Zstd>>(pinned, "t1", on);
    auto const of_pinned = first.read(all);
    CHECK(std::ranges::equal(of_pinned.elements(), test::t1_elements()));
    SplitStore const managed{LocalStore<HostBuffer>{path}, LocalStore<ManagedBuffer>{path}};
    auto const second =
        open_array<std::uint8_t, 3, Pipeline<space::Host, Bytes, CastTo<space::Managed>, Zstd>>(managed, "t1", on);
    auto const of_managed = second.read(all);
    CHECK(std::ranges::equal(of_managed.elements(), test::t1_elements()));
  });
}
