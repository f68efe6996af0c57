// Encoded values that a CachedStore keeps in device memory, and in host memory after it: cached values do not cross
// again, and need the memory of its budgets.
#include <device/cache/cached.hpp>
#include <device/stores.hpp>
#include <support/asked_batches.hpp>
#include <tessera/store/cached_store.hpp>

namespace device_cached_store_tests {

#if defined(TESSERA_CUDA_EMULATION)

using namespace tessera;
using test::cached_chunk, test::DeviceQueue, test::HostQueue, test::under_seeds;

namespace {

// Values in host memory, kept there and on the device.
struct Tiers {
  using Host = CachedStore<MemoryStore<HostBuffer>>;
  using Device = CachedStore<CastStore<DeviceBuffer, Host>>;
  MemoryStore<HostBuffer> values;
  Host host;
  Device device;
  Tiers(std::uint64_t device_bytes, std::uint64_t host_bytes)
      : host{values, host_bytes}, device{CastStore<DeviceBuffer, Host>{host}, device_bytes} {}
};
template <class Device>
auto array_in(MemoryStore<HostBuffer> const& values, Device const& device, DeviceQueue const& on) {
  auto const array = create_array<std::int32_t, 2>(SplitStore{values, device}, "a",
                                                   {.shape = {64, 64}, .chunks = {16, 16}}, test::OnDevice{}, on);
  array.write(all, array.template read<DeviceBuffer>(all)).wait();
  auto const raw = open_array<std::int32_t, 2, test::FromHost>(values, "a", on);
  raw.template through<space::Host>().write(all, test::numbers_from<std::int32_t>(1, 64 * 64));
  return array;
}

}  // namespace

TEST_CASE("a CachedStore of device memory is a store, also over one of host memory") {
  under_seeds(8, [] {
    DeviceQueue const on;
    test::check_store([] { return CachedStore{MemoryStore<DeviceBuffer>{}, 100}; }, on);
    test::check_store([] { return Tiers{100, 1 << 10}.device; }, on);
  });
}

TEST_CASE("values that are kept in device memory do not cross again, on any queue") {
  under_seeds(16, [] {
    DeviceQueue on{HostQueue{}}, other{HostQueue{}};
    Tiers const tiers{16 * cached_chunk, 0};
    auto const array = array_in(tiers.values, tiers.device, on);
    auto const expected = test::numbers_from<std::int32_t>(1, 64 * 64);
    auto first = array.on(on).read<DeviceBuffer>(all);
    auto const again = array.on(other).read<DeviceBuffer>(all);  // before the first queue has reached them
    CHECK(test::on_host(again, other) == expected);
    CHECK(test::on_host(first, on) == expected);
    emulation::Watch const watch;
    array.on(on).read({{8, 40}, all}, first.view().sub({{8, 40}, all})).wait();
    CHECK(watch.copied(cudaMemcpyHostToDevice) == 0);
    CHECK(test::on_host(first, on) == expected);
    CHECK(tiers.device.statistics().misses == 16);
    CHECK(tiers.device.statistics().hits == 16 + 12);
    CHECK(tiers.device.statistics().bytes == 16 * cached_chunk);
  });
}

TEST_CASE("what a read lacks is one batch of the store behind") {
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{}};
    MemoryStore<HostBuffer> const values;
    test::AskedBatches const behind{CastStore<DeviceBuffer, MemoryStore<HostBuffer>>{values}};
    CachedStore const store{behind, 16 * cached_chunk};
    auto const array = array_in(values, store, on);
    auto memory = test::on_device<std::int32_t, 2>(std::vector<std::int32_t>(64 * 64), {64, 64}, on);
    ReadOptions const together{.mini_batch = every_chunk};
    (void)behind.batches();
    Box const second{{16, 32}, all};
    array.on(on).read(second, memory.view().sub(second), together).wait();
    CHECK(behind.batches() == "a/c/1/0, a/c/1/1, a/c/1/2, a/c/1/3");
    array.on(on).read(all, memory, together).wait();
    std::string others;
    for (auto const* row : {"0", "2", "3"})
      for (auto const* column : {"0", "1", "2", "3"})
        others += std::string{others.empty() ? "" : ", "} + "a/c/" + row + "/" + column;
    CHECK(behind.batches() == others);
    array.on(on).read(all, memory, together).wait();
    CHECK(behind.batches().empty());
    CHECK(test::on_host(memory, on) == test::numbers_from<std::int32_t>(1, 64 * 64));
  });
}

TEST_CASE("each memory has the values that its budget has room for, and no byte more") {
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{}};
    Tiers const tiers{4 * cached_chunk, 8 * cached_chunk};
    auto const array = array_in(tiers.values, tiers.device, on);
    auto memory = test::on_device<std::int32_t, 2>(std::vector<std::int32_t>(64 * 64), {64, 64}, on);
    auto const taken = [&] {
      on.wait();
      on.trim();
      return emulation::alive().bytes;
    };
    tiers.device.clear();
    auto const before = taken();
    for (int round = 0; round < 2; ++round)
      for (std::uint64_t row = 0; row < 64; row += 16) {
        array.on(on).read({{row, row + 16}, all}, memory.view().sub({{row, row + 16}, all})).wait();
        CHECK(tiers.device.statistics().bytes == 4 * cached_chunk);
        CHECK(tiers.host.statistics().bytes <= 8 * cached_chunk);
        CHECK(taken() - before == 4 * cached_chunk);
      }
    CHECK(test::on_host(memory, on) == test::numbers_from<std::int32_t>(1, 64 * 64));
    CHECK(tiers.host.statistics().bytes == 8 * cached_chunk);
  });
}

TEST_CASE("device memory is refused: what is kept goes, and the value is there") {
  emulation::Machine small;
  small.memory = 8 << 10;
  emulation::set(small);
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{}};
    MemoryStore<HostBuffer> const values;
    CachedStore const store{CastStore<DeviceBuffer, MemoryStore<HostBuffer>>{values}, 1 << 20};
    HostQueue host;
    for (int round = 0; round < 2; ++round)
      for (char name = 'a'; name < 'q'; ++name) {
        Key const key{std::string(1, name)};
        std::string const text(1024, name);
        if (round == 0) values.write(key, {reinterpret_cast<std::byte const*>(text.data()), text.size()}, host);
        auto const lent = store.lend(key, {}, on);
        REQUIRE(lent);
        std::string found(lent->bytes.size, ' ');
        ByteSpan<space::Host> const to{reinterpret_cast<std::byte*>(found.data()), found.size()};
        crossing<space::Host, space::Device>::copy(lent->bytes, to, on);
        on.wait();
        CHECK(found == text);
      }
    CHECK(store.statistics().misses == 32);
    CHECK(store.statistics().bytes <= 8 << 10);
  });
  emulation::set({});
}

#endif

}  // namespace device_cached_store_tests
