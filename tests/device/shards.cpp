// Sharded arrays in device memory: read and written as on the host, chunk by chunk at the bottom of the shards, whose
// indexes stay on the host.
#include <algorithm>
#include <string>
#include <vector>

#include <device/agreement.hpp>
#include <support/brain.hpp>
#include <support/refused.hpp>
#include <support/sharded.hpp>
#include <tessera/any_spaces.hpp>

namespace shards_tests {

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::Random, test::Subject, test::TemporaryFolder, test::under_seeds;

namespace {

using OnDevice = Pipeline<space::Device, codec::Sharding<test::OnDevice>>;
using Compressed = Pipeline<space::Device, codec::Sharding<test::Compressed>>;
/// Whatever codecs of the device the file has.
using Elements = AnyPipeline<space::Device, space::Device, Codecs<codec::Transpose, codec::Bytes>>;

// A random document, and some of its elements written by the host: some shards, and chunks in them, are missing.
test::OnHost written(Random& random, test::ArrayContent& content, std::string const& leaf,
                     std::string const& behind = "") {
  MemoryStore<HostBuffer> const store;
  auto codecs = test::random_sharding(random, content.chunk_shape, leaf, static_cast<int>(random(1, 3)));
  codecs.insert(codecs.size() - 1, behind);
  auto const metadata = test::array_metadata(content.document(codecs).text());
  for (std::size_t i = 0; i < content.elements.size(); ++i)
    content.elements[i] = metadata.fill[i % metadata.fill.size()];
  test::OnHost host{store, create_any<AllCodecs>(store, "a", metadata, {}, HostQueue{random(1, 3)})};
  for (int i = 0; i < 2; ++i) {
    auto const region = Box{test::random_slices(random, content.shape)}.resolve(content.shape);
    auto values = random.noise(test::size_of(region.count) * content.type.size);
    if (content.type.kind == DataKind::boolean)
      for (auto& b : values) b &= std::byte{1};
    host.array.write(region, {values.data(), Layout::c_order(region.count, content.type.size).strides});
    test::put_elements(content, region, values);
  }
  return host;
}

constexpr std::uint64_t budget = std::uint64_t{8} << 20;

}  // namespace

TEST_CASE(
    "random shards of nothing but elements: host, device and the slow way agree, in every store (CODEC-SHARD-20)") {
  TemporaryFolder const folder;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    test::order_streams(random);
    {
      DeviceQueue on{HostQueue{random(1, 3)}};
      auto content = test::random_content(random);
      auto host = written(random, content, test::json_list(test::random_codec<codec::Bytes>(random, 0)));
      auto const& from = host.store;
      auto const memory = test::in_device_memory();
      auto const files = test::files_of_the_device(folder / std::to_string(seed));
      test::check_agreement(
          budget, random, content, host,
          Subject<Elements, std::remove_const_t<decltype(memory)>>{test::filled_from(from, memory, on), on},
          Subject<Elements, std::remove_const_t<decltype(files)>>{test::filled_from(from, files, on), on},
          Subject<test::Known, MemoryStore<HostBuffer>>{test::filled_from(from, MemoryStore<HostBuffer>{}, on), on});
    }
    test::expect_nothing_left();
  }
}

TEST_CASE("random shards behind the host's codecs: host, device and the slow way agree") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    test::order_streams(random);
    {
      DeviceQueue on{HostQueue{random(1, 3)}};
      auto content = test::random_content(random);
      auto host = written(random, content,
                          test::json_list(test::random_codec<codec::Transpose>(random, content.shape.rank()),
                                          test::random_codec<codec::Bytes>(random, 0),
                                          test::random_codec<codec::Zstd>(random, 0), codec::Crc32c{}));
      test::check_agreement(budget, random, content, host,
                            Subject<test::Known, MemoryStore<HostBuffer>>{
                                test::filled_from(host.store, MemoryStore<HostBuffer>{}, on), on});
    }
    test::expect_nothing_left();
  }
}

TEST_CASE("random shards that the host's codecs stand behind: host, device and the slow way agree (CODEC-SHARD-22)") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    test::order_streams(random);
    {
      DeviceQueue on{HostQueue{random(1, 3)}};
      auto content = test::random_content(random);
      auto const leaf =
          random.one_in(2) ? test::json_list(codec::Bytes{}) : test::json_list(codec::Bytes{}, codec::Zstd{});
      auto host = written(random, content, leaf, ", " + test::json(codec::Gzip{}) + ", " + test::json(codec::Crc32c{}));
      test::check_agreement(budget, random, content, host,
                            Subject<test::Known, MemoryStore<HostBuffer>>{
                                test::filled_from(host.store, MemoryStore<HostBuffer>{}, on), on});
    }
    test::expect_nothing_left();
  }
}

TEST_CASE("codecs behind shards are refused by name where the store's bytes are the device's (CODEC-SHARD-22)") {
  Random random{1};
  DeviceQueue on{test::HostQueue{}};
  auto content = test::random_content(random);
  auto const host = written(random, content, test::json_list(codec::Bytes{}), R"(, {"name": "crc32c"})");
  auto const store = test::filled_from(host.store, test::in_device_memory(), on);
  test::check_refused<MetadataError>(
      [&] { open_any<Elements>(store, "a", on); },
      {"key \"a/zarr.json\": ", "\"crc32c\" after sharding_indexed runs on the host only", "a store of host bytes"});
}

namespace {

constexpr std::uint64_t shards = 6, rows = 3, columns = 10;  // of a chunk; a shard has 4 x 2 of them
Extents const shape{shards * 4 * rows - 1, 2 * columns};

// Array<float, 2> of these shards, written from device memory by one mini-batch for each shard.
template <class P, class S>
auto made(S const& store, DeviceQueue const& on) {
  P pipeline;
  if constexpr (std::same_as<P, OnDevice>)
    pipeline = P{codec::Sharding<test::OnDevice>{{rows, columns}}};
  else
    pipeline = P{codec::Sharding<test::Compressed>{{rows, columns}}};
  return create_array<float, 2>(store, "a", {.shape = shape, .chunks = {4 * rows, 2 * columns}}, pipeline, on);
}

std::vector<float> const elements = test::numbers_from(1.f, shape[0] * shape[1]);

// Reads the array through a pipeline that the program knows, whole and in part, into memory of every kind.
template <class P, class Make>
void check_arrays(Make&& make) {
  under_seeds(16, [&] {
    DeviceQueue on{HostQueue{2}};
    auto const store = make();
    auto const array = made<P>(store, on);
    array.write(all, test::on_device<float, 2>(elements, shape, on)).wait();
    CHECK(test::on_host(array.read(all), on) == elements);
    Box const part{{2, 50, 5}, {7, 14}};
    Extents const part_shape{10, 7};
    std::vector<float> expected;
    for (std::size_t i = 2; i < 50; i += 5)
      expected.insert(expected.end(), elements.begin() + static_cast<std::ptrdiff_t>(i * 20 + 7),
                      elements.begin() + static_cast<std::ptrdiff_t>(i * 20 + 14));
    auto const pinned = array.template read<PinnedBuffer>(part);
    CHECK(std::ranges::equal(pinned.elements(), expected));
    auto const managed = array.template read<ManagedBuffer>(part);
    CHECK(test::on_host(managed, on) == expected);
    // Written in part, from values that are released at once.
    auto changed = elements;
    for (std::size_t i = 2; i < 50; i += 5)
      for (std::size_t j = 7; j < 14; ++j) changed[i * 20 + j] = -7;
    array.write(part, test::on_device<float, 2>(std::vector<float>(70, -7.f), part_shape, on)).wait();
    CHECK(test::on_host(array.read(all), on) == changed);
    array.fill(Box{{24, 36}, all}, 0.f).wait();  // the third shard: it is empty now
    std::fill(changed.begin() + 24 * 20, changed.begin() + 36 * 20, 0.f);
    CHECK(test::value(chunks_of(store), "a/c/2/0", on) == "(missing)");
    CHECK(test::on_host(array.read(all), on) == changed);
  });
}

}  // namespace

TEST_CASE("shards of compressed chunks, in device memory") {
  check_arrays<Compressed>([] { return MemoryStore<HostBuffer>{}; });
}
TEST_CASE("shards in a store of device memory") {
  check_arrays<OnDevice>([] { return test::in_device_memory(); });
}
TEST_CASE("shards in the device's files") {
  TemporaryFolder const folder;
  int number = 0;
  check_arrays<OnDevice>([&] { return test::files_of_the_device(folder / std::to_string(number++)); });
}

TEST_CASE("the host's shards in stores of pinned and managed memory") {
  under_seeds(16, [] {
    DeviceQueue on{HostQueue{2}};
    auto const check = [&]<class B>(MemoryStore<B> const& chunks) {
      using Crossing = Pipeline<space::Host, codec::Bytes, codec::Zstd, CastTo<typename B::space_type>>;
      using Sharded = Pipeline<space::Host, codec::Sharding<Crossing>>;
      SplitStore const store{MemoryStore<HostBuffer>{}, chunks};
      auto const array = create_array<float, 2>(store, "a", {.shape = shape, .chunks = {4 * rows, 2 * columns}},
                                                Sharded{codec::Sharding<Crossing>{{rows, columns}}}, on);
      array.write(all, elements);
      array.fill(Box{{5, 9}, {3, 4}}, -1.f);
      auto changed = elements;
      for (std::size_t i = 5; i < 9; ++i) changed[i * 20 + 3] = -1;
      auto const found = array.read(all);
      CHECK(std::ranges::equal(found.elements(), changed));
    };
    check(MemoryStore<PinnedBuffer>{});
    check(MemoryStore<ManagedBuffer>{});
    check(MemoryStore<DeviceBuffer>{});
  });
}

namespace {

// Parts of shards are appended, and the garbage is removed.
template <class P, class Make>
void check_appended(Make&& make) {
  under_seeds(16, [&] {
    DeviceQueue on{HostQueue{2}};
    auto const store = make();
    auto const array = made<P>(store, on);
    array.write(all, test::on_device<float, 2>(elements, shape, on)).wait();
    auto const before = test::value(chunks_of(store), "a/c/3/0", on);
    auto changed = elements;
    // In the fourth shard: a whole chunk and parts of its neighbours, from values that are released at once.
    for (std::size_t i = 36; i < 41; ++i)
      for (std::size_t j = 0; j < 20; ++j) changed[i * 20 + j] = -7;
    array
        .write(Box{{36, 41}, all}, test::on_device<float, 2>(std::vector<float>(100, -7.f), {5, 20}, on),
               {.append_to_shards = true})
        .wait();
    CHECK(test::value(chunks_of(store), "a/c/3/0", on).starts_with(before));
    CHECK(test::on_host(array.read(all), on) == changed);
    array.fill(Box{{36, 41}, {0, 10}}, 0.f, {.append_to_shards = true}).wait();
    for (std::size_t i = 36; i < 41; ++i) std::fill_n(changed.begin() + static_cast<std::ptrdiff_t>(i * 20), 10, 0.f);
    CHECK(test::on_host(array.read(all), on) == changed);
    CHECK(array.compact() > 0);
    CHECK(test::on_host(array.read(all), on) == changed);
    CHECK(array.compact() == 0);
    array
        .write(Box{{36, 41}, all},
               test::on_device<float, 2>(std::vector<float>(elements.begin() + 36 * 20, elements.begin() + 41 * 20),
                                         {5, 20}, on),
               {.append_to_shards = true})
        .wait();
    CHECK(array.compact() > 0);
    CHECK(test::value(chunks_of(store), "a/c/3/0", on) == before);
  });
}

}  // namespace

TEST_CASE("shards that are appended to, in device memory, and compacted") {
  check_appended<Compressed>([] { return MemoryStore<HostBuffer>{}; });
  check_appended<OnDevice>([] { return test::in_device_memory(); });
  TemporaryFolder const folder;
  int number = 0;
  check_appended<OnDevice>([&] { return test::files_of_the_device(folder / std::to_string(number++)); });
}

TEST_CASE("t1_sharded in device memory is t1") {
  under_seeds(4, [] {
    DeviceQueue on{HostQueue{2}};
    auto const there = open_array<std::uint8_t, 3, test::Known>(test::brain_store(), "t1_sharded", on);
    CHECK(test::on_host(there.read(all), on) == test::t1_elements());
    auto const known = open_array<std::uint8_t, 3, Compressed>(test::brain_store(), "t1_sharded", on);
    CHECK(test::on_host(known.read(all), on) == test::t1_elements());
  });
}

TEST_CASE("a damaged index in a store of device memory: the shard's key, and the next read is right") {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const store = test::in_device_memory();
    auto const array = made<OnDevice>(store, on);
    array.write(all, test::on_device<float, 2>(elements, shape, on)).wait();
    auto const sound = test::value(chunks_of(store), "a/c/3/0", on);
    auto damaged = sound;
    damaged.back() = static_cast<char>(~damaged.back());
    test::put(chunks_of(store), "a/c/3/0", damaged, on);
    test::check_refused<CodecError>([&] { array.read(all); }, {"key \"a/c/3/0\"", "the shard's index"});
    test::check_refused<CodecError>([&] { array.fill(Box{{40, 41}, all}, 1.f).wait(); }, {"key \"a/c/3/0\"", "crc32c"});
    test::put(chunks_of(store), "a/c/3/0", sound, on);
    CHECK(test::on_host(array.read(all), on) == elements);
  });
}

#if defined(TESSERA_CUDA_EMULATION)

namespace {

// The cost of a read of `batches` mini-batches, besides the indexes: `index_copies` for each shard, which the host
// waits for.
template <class P, class S>
void check_counts(S const& store, std::size_t index_copies, std::size_t data_copies) {
  DeviceQueue on{test::HostQueue{}};
  auto const array = made<P>(store, on);
  auto memory = test::on_device<float, 2>(elements, shape, on);
  array.write(all, memory).wait();
  ReadOptions options{.mini_batch = every_chunk, .in_flight = 1};
  array.read(all, memory, options).wait();
  for (std::size_t const batch : {std::size_t{every_chunk}, std::size_t{12}}) {
    CAPTURE(batch);
    options.mini_batch = batch;
    std::size_t const batches = batch == every_chunk ? 1 : shards * 8 / 12;
    emulation::Watch const watch;
    array.read(all, memory, options).wait();
    CHECK(watch.launches() == batches);
    CHECK(watch.copies(cudaMemcpyDeviceToHost) == index_copies * shards);
    CHECK(watch.copies(cudaMemcpyHostToDevice) <= data_copies * batches);
    CHECK(watch.copies(cudaMemcpyDeviceToDevice) == 0);
    CHECK(watch.count("cudaEventSynchronize") <= index_copies * shards + batches + 1);
    CHECK(watch.synchronisations() == 0);
    CHECK(test::on_host(memory, on) == elements);
  }
}

}  // namespace

TEST_CASE("chunks of several shards: one launch for each mini-batch") {
  TemporaryFolder const folder;
  int number = 0;
  under_seeds(16, [&] {
    check_counts<Compressed>(MemoryStore<HostBuffer>{}, 0, 1);
    check_counts<OnDevice>(test::files_of_the_device(folder / std::to_string(number++)), 0, 1);
    check_counts<OnDevice>(test::in_device_memory(), 1, 0);
  });
}

TEST_CASE("indexes that are kept do not come to the host again, but of a shard that was written") {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const array = made<OnDevice>(test::in_device_memory(), on);
    auto memory = test::on_device<float, 2>(elements, shape, on);
    array.write(all, memory).wait();
    array.keep_shard_indexes(1 << 20);
    auto const index_reads = [&] {
      emulation::Watch const watch;
      array.read(all, memory).wait();
      return watch.copies(cudaMemcpyDeviceToHost);
    };
    CHECK(index_reads() == shards);
    CHECK(index_reads() == 0);
    array.fill(Box{{24, 36}, all}, 1.f).wait();  // the third
    auto const again = index_reads();            // others may be included in the count
    CHECK(again >= 1);
    CHECK(again < shards);
    CHECK(index_reads() == 0);
    auto changed = elements;
    std::fill(changed.begin() + 24 * 20, changed.begin() + 36 * 20, 1.f);
    CHECK(test::on_host(memory, on) == changed);
  });
}

#endif

TEST_CASE("NewArray::shards puts the chunks of a pipeline of the device into shards") {
  std::vector<float> elements(16 * 12);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i);
  under_seeds(16, [&] {
    DeviceQueue on{HostQueue{2}};
    using Crossing = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>, codec::Crc32c>;
    MemoryStore<HostBuffer> const store;
    auto const array = create_array<float, 2>(
        store, "a", {.shape = {16, 12}, .shards = {8, 12}, .chunks = {4, 3}}, Crossing{}, on);
    array.write(all, test::on_device<float, 2>(elements, {16, 12}, on)).wait();
    CHECK(array.untyped().inner_chunk_shape() == Extents{4, 3});
    CHECK(test::on_host(open_array<float, 2, Crossing>(store, "a", on).read(all), on) == elements);
    std::vector<float> found(elements.size());
    open_array<float, 2>(store, "a").read(all, found);
    CHECK(found == elements);
  });
  test::expect_nothing_left();
}

}  // namespace shards_tests
