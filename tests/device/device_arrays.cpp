// Arrays in device memory read and write the same as those in host memory, through any pipeline.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <device/arrays.hpp>
#include <support/brain.hpp>

using namespace tessera;
using codec::Bytes, codec::Transpose, codec::Zstd;
using test::Compressed, test::DeviceQueue, test::HostQueue, test::Known, test::on_device, test::on_host,
    test::under_seeds;

TEST_CASE("the brain volume is read into device memory: a pipeline of its own, and one that the file chooses") {
  std::string const path = TESSERA_TEST_DATA "/brain.zarr";
  under_seeds(4, [&] {
    DeviceQueue on{HostQueue{2}};
    LocalStore<HostBuffer> const store{path};
    auto const t1 = open_array<std::uint8_t, 3, Compressed>(store, "t1", on);
    auto const all_of_it = t1.read(all);
    CHECK(on_host(all_of_it, on) == test::t1_elements());
    auto const known = open_array<std::uint8_t, 3, Known>(store, "t1", on);
    auto const again = known.on(on).read<PinnedBuffer>(all);
    CHECK(std::ranges::equal(again.elements(), test::t1_elements()));
    // Transposed, big-endian, blosc.
    auto const half = open_array<float, 3, Known>(store, "t1_half", on).read(all);
    CHECK(on_host(half, on) == test::t1_half_elements());
  });
}

TEST_CASE("host and device write the same files, and each reads the other's") {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    MemoryStore<HostBuffer> const by_host, by_device;
    NewArray<float> const options{.shape = {7, 10}, .chunks = {3, 4}, .fill = 9};
    auto const elements = test::numbers_from(1.f, 70);
    using OnHost = Pipeline<space::Host, Transpose, Bytes, Zstd>;
    using OnDevice = Pipeline<space::Device, Transpose, Bytes, CastTo<space::Host>, Zstd>;
    auto const host =
        create_array<float, 2>(by_host, "a", options, OnHost{Transpose{{1, 0}}, Bytes{std::endian::big}, Zstd{}});
    auto const device =
        create_array<float, 2>(by_device, "a", options,
                               OnDevice{Transpose{{1, 0}}, Bytes{std::endian::big}, CastTo<space::Host>{}, Zstd{}}, on);
    host.write(all, elements);
    auto const there = on_device<float, 2>(elements, {7, 10}, on);
    device.write(all, there).wait();
    std::size_t keys = 0;
    by_host.list("", [&](Listed const& entry) {
      ++keys;
      HostQueue here;
      auto const mine = get_value(by_host, {std::string{entry.path}}, here),
                 theirs = get_value(by_device, {std::string{entry.path}}, here);
      REQUIRE(theirs);
      CHECK(std::ranges::equal(std::span{mine->view().data, mine->view().size},
                               std::span{theirs->view().data, theirs->view().size}));
    });
    CHECK(keys == 11);  // two documents and nine chunks
    // A part of it, with steps, by the device; read by the host.
    Box const part{{1, 6, 2}, {2, 10}};
    std::vector<float> const ones(3 * 8, 1.f);
    device.write(part, on_device<float, 2>(ones, {3, 8}, on)).wait();
    host.write(part, ones);
    std::vector<float> both(70);
    open_array<float, 2, AllCodecs>(by_device, "a").read(all, both);
    std::vector<float> expected(70);
    host.read(all, expected);
    CHECK(both == expected);
  });
}
