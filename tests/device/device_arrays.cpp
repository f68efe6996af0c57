// Arrays in device memory: what they read and write is what the host's read and write, whatever the pipeline.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include <device/device.hpp>
#include <support/brain.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using codec::Bytes, codec::Transpose, codec::Zstd;
using test::DeviceQueue, test::HostQueue, test::TemporaryFolder, test::under_seeds;

namespace {

// The CPU's compressor for arrays on the device.
using Compressed = Pipeline<space::Device, Bytes, CastTo<space::Host>, Zstd>;
using Known = AnyPipeline<space::Device, space::Host, AllCodecs>;

// The elements of memory that the device works on, once the queue has come there.
template <class T, std::size_t Rank, class B>
std::vector<T> on_host(OwnedArray<T, Rank, B> const& array, DeviceQueue& on) {
  std::vector<T> result(array.size());
  ByteView<typename B::space_type> const from{reinterpret_cast<std::byte const*>(array.data()), result.size() * sizeof(T)};
  crossing<space::Host, typename B::space_type>::copy(from, {reinterpret_cast<std::byte*>(result.data()), from.size}, on);
  on.wait();
  return result;
}

// Device memory with these elements.
template <class T, std::size_t Rank>
OwnedArray<T, Rank, DeviceBuffer> on_device(std::vector<T> const& elements, Extents const& shape, DeviceQueue& on) {
  OwnedArray<T, Rank, DeviceBuffer> array{shape, on};
  std::byte* const to = reinterpret_cast<std::byte*>(array.data());
  crossing<space::Device, space::Host>::copy({reinterpret_cast<std::byte const*>(elements.data()), elements.size() * sizeof(T)},
                                             {to, elements.size() * sizeof(T)}, on);
  on.wait();
  return array;
}

}  // namespace

TEST_CASE("the brain volume is read into device memory: a pipeline of its own, and one that the file chooses") {
  std::string const path = TESSERA_TEST_DATA "/brain.zarr";
  under_seeds(4, [&] {
    DeviceQueue on{HostQueue{2}};
    LocalStore<HostBuffer> const store{path};
    auto const t1 = open_array<std::uint8_t, 3, Compressed>(store, "t1", on);
    auto const all_of_it = t1.read(all);
    CHECK(on_host(all_of_it, on) == test::t1_elements());
    auto const known = open_array<std::uint8_t, 3, Known>(store, "t1", on);
    auto const again = known.read<PinnedBuffer>(all, on);
    CHECK(std::ranges::equal(again.elements(), test::t1_elements()));
    // Transposed, big-endian, blosc.
    auto const half = open_array<float, 3, Known>(store, "t1_half", on).read(all);
    CHECK(on_host(half, on) == test::t1_half_elements());
  });
}

TEST_CASE("host and device write the same files, and each reads the other's") {
  under_seeds(16, [] {
    DeviceQueue on;
    MemoryStore<HostBuffer> const by_host, by_device;
    NewArray<float> const options{.shape = {7, 10}, .chunk_shape = {3, 4}, .fill = 9};
    std::vector<float> elements(70);
    std::iota(elements.begin(), elements.end(), 1.f);
    using OnHost = Pipeline<space::Host, Transpose, Bytes, Zstd>;
    using OnDevice = Pipeline<space::Device, Transpose, Bytes, CastTo<space::Host>, Zstd>;
    auto const host = create_array<float, 2>(by_host, "a", options, OnHost{Transpose{{1, 0}}, Bytes{std::endian::big}, Zstd{}});
    auto const device = create_array<float, 2>(
        by_device, "a", options, OnDevice{Transpose{{1, 0}}, Bytes{std::endian::big}, CastTo<space::Host>{}, Zstd{}}, on);
    host.write(all, elements);
    auto const there = on_device<float, 2>(elements, {7, 10}, on);
    device.write(all, there).wait();
    std::size_t keys = 0;
    by_host.list("", [&](Listed const& entry) {
      ++keys;
      HostQueue here;
      auto const mine = get(by_host, {std::string{entry.path}}, here), theirs = get(by_device, {std::string{entry.path}}, here);
      REQUIRE(theirs);
      CHECK(std::ranges::equal(std::span{mine->view().data, mine->view().size}, std::span{theirs->view().data, theirs->view().size}));
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
