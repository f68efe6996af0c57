// Arrays in device memory that are read into host buffers: through the host's codecs, and nothing crosses.
#include <algorithm>
#include <concepts>
#include <functional>
#include <thread>

#include <device/arrays.hpp>
#include <support/remote_store.hpp>
#include <tessera/any_spaces.hpp>
#include <tessera/array/visit.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.cuh>

namespace array_through_tests {

using namespace tessera;
using codec::Bytes, codec::Crc32c, codec::DeviceCrc32c, codec::Transpose, codec::Zstd;
using test::DeviceQueue, test::HostQueue, test::numbers_from, test::on_device, test::on_host, test::TemporaryFolder,
    test::under_seeds;

namespace {

Extents const shape{30, 24}, chunk_shape{7, 5};

template <class S, class P>
auto written(S const& store, P const& pipeline, DeviceQueue& on) {
  auto const array =
      create_array<float, 2>(store, "a", {.shape = shape, .chunks = chunk_shape, .overwrite = true}, pipeline, on);
  array.write(all, on_device<float, 2>(numbers_from(1.f, 30 * 24), shape, on)).wait();
  return array;
}

// Reading into host memory makes no call of the runtime; `P` is the pipeline of the read.
template <class P, class A>
void check_read(A const& array, DeviceQueue& on) {
  using There = decltype(array.template through<space::Host>());
  static_assert(std::same_as<typename There::pipeline_type, P>);
  static_assert(std::same_as<space_of<typename There::store_type>, space::Host>);
#if defined(TESSERA_CUDA_EMULATION)
  emulation::Watch const watch;
#endif
  auto const whole = array.on(on).template read<HostBuffer>(all);
  CHECK(std::ranges::equal(whole.elements(), numbers_from(1.f, 30 * 24)));
  auto const part = array.template read<HostBuffer>({{6, 9}, {3, 24, 4}});
  CHECK(part(2, 1) == 8 * 24 + 7 + 1);
  CHECK(array.template read_chunk<HostBuffer>({1, 1})(0, 0) == 7 * 24 + 5 + 1);
  CHECK(visit<Types<float>>(array.untyped(), [](auto const& typed) {
          return typed.template read<HostBuffer>({{0, 1}, {23, 24}})(0, 0);
        }) == 24);
  std::vector<float> memory(24);
  array.template through<space::Host>().read({{1, 2}, all}, memory);
  CHECK(memory == numbers_from(25.f, 24));
#if defined(TESSERA_CUDA_EMULATION)
  CHECK(watch.calls().empty());
#endif
}

}  // namespace

namespace {

template <class P>
void check_parts(P const& pipeline, std::uint64_t decoded, DeviceQueue& on) {
  constexpr std::uint64_t count = 40'000;
  TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder / ""};
  auto const array = create_array<float, 1>(store, "a", {.shape = {2 * count}, .chunks = {count}}, pipeline, on);
  array.write(all, on_device<float, 1>(numbers_from(1.f, 2 * count), {2 * count}, on)).wait();
  Traffic traffic;
  auto const part = array.template read<DeviceBuffer>({{count + 5000, count + 5030}}, {.traffic = &traffic});
  CHECK(on_host(part, on) == numbers_from(static_cast<float>(count) + 5001, 30));
  CHECK(traffic.decoded == decoded);
}

}  // namespace

TEST_CASE("the host decodes the wanted block of a chunk, and the wanted elements cross to the device") {
  under_seeds(4, [] {
    DeviceQueue on{HostQueue{2}};
    codec::Blosc const blosc{"zstd", 5, "shuffle", 4, 8192};
    check_parts(Pipeline<space::Device, Bytes, CastTo<space::Host>, codec::Blosc>{{}, {}, blosc}, 8192, on);
    check_parts(AnyPipeline<space::Device, space::Host, AllCodecs>::from(
                    std::vector{specification_of(Bytes{}), specification_of(blosc)}),
                8192, on);
  });
}

TEST_CASE("an array that is decoded in host memory is read into device buffers, and crosses in one copy") {
  under_seeds(4, [] {
    DeviceQueue on{HostQueue{2}};
    MemoryStore<HostBuffer> const store;
    auto const array =
        create_array<float, 2>(store, "a", {.shape = shape, .chunks = chunk_shape, .overwrite = true},
                               Pipeline<space::Host, Bytes, Zstd>{});
    auto const numbers = numbers_from(1.f, 30 * 24);
    array.write(all, numbers);
#if defined(TESSERA_CUDA_EMULATION)
    emulation::Watch const watch;
#endif
    auto const whole = array.read<DeviceBuffer>(all, on);
#if defined(TESSERA_CUDA_EMULATION)
    CHECK(watch.copies(cudaMemcpyHostToDevice) == 1);
#endif
    CHECK(on_host(whole, on) == numbers);
    auto const part = array.read<DeviceBuffer>({{6, 9}, {3, 24, 4}}, on);
    CHECK(part.shape() == Extents{3, 6});
    CHECK(on_host(part, on)[13] == 8 * 24 + 7 + 1);
    CHECK(array.read<PinnedBuffer>({{6, 9}, {3, 24, 4}}, on)(2, 1) == 8 * 24 + 7 + 1);
    CHECK(visit<Types<float>>(array.untyped(), [&](auto const& typed) {
            return on_host(typed.template read<DeviceBuffer>({{0, 1}, {23, 24}}, on), on)[0];
          }) == 24);
    Traffic traffic;
    (void)array.read<DeviceBuffer>({{0, 7}, {0, 5}}, on, {.traffic = &traffic});
    CHECK(traffic.chunks == 1);
  });
}

TEST_CASE("an array in device memory is read into host buffers without a call of CUDA's") {
  TemporaryFolder const folder;
  under_seeds(4, [&] {
    DeviceQueue on{HostQueue{2}};
    MemoryStore<HostBuffer> const memory;
    check_read<Pipeline<space::Host, Bytes, Zstd>>(written(memory, test::Compressed{}, on), on);
    check_read<AnyPipeline<space::Host, space::Host, AllCodecs>>(open_array<float, 2, test::Known>(memory, "a", on),
                                                                 on);
    LocalStore<HostBuffer> const files{folder / "host"};
    using Turned = Pipeline<space::Device, Transpose, Bytes, DeviceCrc32c, CastTo<space::Host>>;
    check_read<Pipeline<space::Host, Transpose, Bytes, Crc32c>>(
        written(files, Turned{Transpose{{1, 0}}, Bytes{std::endian::big}, DeviceCrc32c{}, CastTo<space::Host>{}}, on),
        on);
    using Inner = Pipeline<space::Device, Bytes, CastTo<space::Host>, Zstd>;
    using OfHost = Pipeline<space::Host, Bytes, Zstd>;
    using Shard = codec::Sharding<Inner>;
    auto const sharded = create_array<float, 2>(memory, "s", {.shape = shape, .chunks = {8, 8}, .overwrite = true},
                                                Pipeline<space::Device, Shard>{Shard{{2, 4}}}, on);
    sharded.write(all, on_device<float, 2>(numbers_from(1.f, 30 * 24), shape, on)).wait();
    auto const whole = sharded.on(on).read<HostBuffer>(all);
    CHECK(std::ranges::equal(whole.elements(), numbers_from(1.f, 30 * 24)));
    static_assert(std::same_as<decltype(sharded.through<space::Host>())::pipeline_type,
                               Pipeline<space::Host, codec::Sharding<OfHost>>>);
  });
}

TEST_CASE("of files of device buffers the host reads the files") {
  TemporaryFolder const folder;
  under_seeds(4, [&] {
    DeviceQueue on{HostQueue{2}};
    auto const files = test::files_of_the_device(folder / "device");
    check_read<Pipeline<space::Host, Bytes>>(written(files, test::OnDevice{}, on), on);
    check_read<AnyPipeline<space::Host, space::Host, Codecs<Bytes, Zstd>>>(
        open_array<float, 2, Codecs<Bytes, Zstd>>(files, "a", on), on);
    SplitStore const below{LocalStore<HostBuffer>{folder / "device"},
                           ReadOnlyStore{PrefixStore{LocalStore<DeviceBuffer>{folder.path()}, "device"}}};
    check_read<Pipeline<space::Host, Bytes>>(open_array<float, 2, test::OnDevice>(below, "a", on), on);
    MemoryStore<HostBuffer> const memory;
    SplitStore const cast{memory, CastStore<DeviceBuffer, MemoryStore<HostBuffer>>{memory}};
    check_read<Pipeline<space::Host, Bytes>>(written(cast, test::OnDevice{}, on), on);
  });
}

TEST_CASE("values in device memory come to the host where a pipeline says so") {
  under_seeds(16, [] {
    DeviceQueue on{HostQueue{2}};
    auto const array = written(test::in_device_memory(), test::OnDevice{}, on);
    auto const there = array.through<Pipeline<space::Host, Bytes, CastTo<space::Device>>>();
    auto const found = there.read(all);
    CHECK(std::ranges::equal(found.elements(), numbers_from(1.f, 30 * 24)));
    there.fill({{0, 1}, all}, 5);
    CHECK(on_host(array.read({{0, 1}, all}), on) == std::vector<float>(24, 5.f));
  });
}

TEST_CASE("the array on the device and the one on the host are one: shape, kept indexes, locks of chunks") {
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{2}};
    test::Remote const store;  // has no locks of its own
    using Shard = codec::Sharding<Pipeline<space::Device, Bytes, CastTo<space::Host>>>;
    auto const array = create_array<float, 1>(store, "a", {.shape = {16}, .chunks = {8}},
                                              Pipeline<space::Device, Shard>{Shard{{2}}}, on);
    array.write(all, on_device<float, 1>(numbers_from(1.f, 16), {16}, on)).detach();
    auto& asked = *store.asked;
    array.keep_shard_indexes(1 << 20);
    asked.take();
    CHECK(on_host(array.read({{0, 2}}), on) == numbers_from(1.f, 2));
    CHECK(asked.take().size() == 2);
    CHECK(array.read<HostBuffer>({{2, 4}})(1) == 4);
    CHECK(asked.take().size() == 1);  // of the chunk

    Traffic usual, given;
    auto const counted = array.with(ReadOptions{.traffic = &usual});
    CHECK(counted.read<HostBuffer>({{2, 4}})(1) == 4);
    CHECK(usual.fetched == 8);
    CHECK(counted.read<HostBuffer>({{2, 4}}, {.traffic = &given})(1) == 4);
    CHECK(usual.fetched == 8);
    CHECK(given.fetched == 8);

    auto const host = array.through<space::Host>();
    host.resize({20});
    CHECK(array.shape() == Extents{20});
    array.append(on_device<float, 1>({7.f}, {1}, on)).detach();
    CHECK(host.shape() == Extents{21});
    CHECK(array.read<HostBuffer>(all)(20) == 7);

    // Parts of the same chunks at the same time.
    std::thread by_host{[&] {
      for (std::uint64_t i = 0; i < 16; i += 2) host.fill({{i, i + 1}}, 30);
    }};
    auto const thirties = on_device<float, 1>({31.f}, {1}, on);
    for (std::uint64_t i = 1; i < 16; i += 2) array.write({{i, i + 1}}, thirties).wait();
    by_host.join();
    std::vector<float> expected;
    for (int i = 0; i < 16; ++i) expected.push_back(i % 2 == 0 ? 30.f : 31.f);
    auto const found = array.read<HostBuffer>({{0, 16}});
    CHECK(std::ranges::equal(found.elements(), expected));
  });
}

TEST_CASE("a chunk that does not decode for the host is an error as any other, of that array") {
  DeviceQueue on{HostQueue{2}};
  MemoryStore<HostBuffer> const store;
  auto const array = written(store, test::Compressed{}, on);
  test::put(store, "a/c/0/0", "damage", on);
  try {
    (void)array.read<HostBuffer>(all);
    FAIL_CHECK("nothing was thrown");
  } catch (CodecError const& error) {
    CHECK(error.key() == "a/c/0/0");
  }
}

}  // namespace array_through_tests
