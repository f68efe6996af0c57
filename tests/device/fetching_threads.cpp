// A mini-batch that is alone in progress, or nearly, is fetched by all threads of the host.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <device/arrays.hpp>
#include <support/asked_batches.hpp>
#include <support/refused.hpp>

namespace fetching_threads_tests {

#if defined(TESSERA_CUDA_EMULATION)

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::TemporaryFolder;

namespace {

// Eight chunks of a MiB.
Extents const shape{4096, 512}, chunk_shape{512, 512};
ReadOptions const all_together{.mini_batch = every_chunk, .in_flight = 1};

std::vector<float> const& elements() {
  static auto const made = test::numbers_from(1.f, shape[0] * shape[1]);
  return made;
}

using Sharded = Pipeline<space::Device, codec::Sharding<test::Compressed>>;

template <class P, class S>
auto made_in(S const& store, P const& pipeline, std::uint64_t rows, DeviceQueue& on) {
  NewArray<float> const metadata{.shape = shape, .chunks = {rows, shape[1]}, .overwrite = true};
  auto array = create_array<float, 2>(store, "a", metadata, pipeline, on);
  auto const memory = test::on_device<float, 2>(elements(), shape, on);
  array.write(all, memory).wait();
  return array;
}

// The number of requests to the store, with that many reading threads.
template <class P>
std::size_t times_asked(std::size_t threads, P const& pipeline, std::uint64_t rows) {
  test::AskedBatches const store{MemoryStore<HostBuffer>{}};
  DeviceQueue on{HostQueue{threads}};
  auto const array = made_in(store, pipeline, rows, on);
  auto found = test::on_device<float, 2>(std::vector<float>(elements().size()), shape, on);
  array.read(all, found, all_together).wait();  // indexes, too
  store.batches();
  array.read(all, found, all_together).wait();
  CHECK(test::on_host(found, on) == elements());
  auto const batches = store.batches();
  return static_cast<std::size_t>(std::ranges::count(batches, ';')) + 1;
}

}  // namespace

TEST_CASE("each thread asks for its part of a mini-batch") {
  auto const asked = [](std::size_t threads) { return times_asked(threads, test::Compressed{}, chunk_shape[0]); };
  CHECK(asked(1) == 1);
  CHECK(asked(2) == 2);
  CHECK(asked(3) == 3);
  CHECK(asked(8) == 8);
  CHECK(asked(64) == 8);  // a MiB is the least that pays
  test::check_nothing_left();
}

TEST_CASE("a shard is one thread's") {
  auto const asked = [](std::size_t threads, std::uint64_t chunks) {
    return times_asked(threads, Sharded{codec::Sharding<test::Compressed>{chunk_shape}}, chunks * chunk_shape[0]);
  };
  CHECK(asked(8, 2) == 4);
  CHECK(asked(3, 4) == 2);
  CHECK(asked(8, 8) == 1);
  test::check_nothing_left();
}

TEST_CASE("the error of a part names its key, and the next read is right") {
  for (std::uint64_t chunk = 0; chunk < 8; ++chunk) {
    CAPTURE(chunk);
    test::AskedBatches const store{MemoryStore<HostBuffer>{}};
    DeviceQueue on{HostQueue{4}};
    auto const array = made_in(store, test::Compressed{}, chunk_shape[0], on);
    auto found = test::on_device<float, 2>(std::vector<float>(elements().size()), shape, on);
    auto const key = "a/c/" + std::to_string(chunk) + "/0";
    store.asked->fails = key;
    test::check_refused<StoreError>([&] { array.read(all, found, all_together).wait(); },
                                    {key.c_str(), "the disk is gone"});
    store.asked->fails = {};
    array.read(all, found, all_together).wait();
    CHECK(test::on_host(found, on) == elements());
  }
  test::check_nothing_left();
}

namespace {

// At that key it fails when several values are requested at once, without naming the failed one.
struct FailsTogether : WrapperStore<MemoryStore<HostBuffer>> {
  std::shared_ptr<std::string> at = std::make_shared<std::string>();

  FailsTogether() : WrapperStore{MemoryStore<HostBuffer>{}} {}
  void get_many(std::span<ReadRequest<space::Host>> requests, HostQueue& on) const {
    if (requests.size() > 1 && requests.front().key->path == *at) throw StoreError{"the network is gone"};
    for (auto& request : requests)
      request.size = source().read(*request.key, request.range, request.destination, on);
  }
};

}  // namespace

TEST_CASE("what failed in a part is not blamed on the next mini-batch's chunks") {
  FailsTogether const store;
  DeviceQueue on{HostQueue{4}};
  Sharded const pipeline{codec::Sharding<test::Compressed>{{512, 256}}};
  auto const made = [&](char const* name, std::uint64_t rows) {
    NewArray<float> const metadata{.shape = shape, .chunks = {rows, shape[1]}};
    auto array = create_array<float, 2>(store, name, metadata, pipeline, on);
    array.write(all, test::on_device<float, 2>(elements(), shape, on)).wait();
    return array;
  };
  auto const many = made("many", 512), one = made("one", shape[0]);  // shards
  auto damaged = *get_value(store.source(), {"one/c/0/0"}, on.host());
  std::memset(damaged.span().data, 0xee, 4);
  store.write({"one/c/0/0"}, damaged.view(), on.host());
  auto found = test::on_device<float, 2>(std::vector<float>(shape[0] * 256), {shape[0], 256}, on);
  auto const read = [&](auto const& array) { array.read({all, {0, 256}}, found, all_together).wait(); };
  auto const check_damaged = [&] {
    test::check_refused<CodecError>([&] { read(one); }, {"key \"one/c/0/0\": inner chunk [0, 0]: codec zstd"});
  };
  check_damaged();
  *store.at = "many/c/6/0";
  test::check_refused<StoreError>([&] { read(many); }, {"the network is gone"});
  check_damaged();
}

TEST_CASE("parts of files that the device reads by itself") {
  TemporaryFolder const folder;
  test::under_seeds(8, [&] {
    DeviceQueue on{HostQueue{4}};
    SplitStore const store{LocalStore<HostBuffer>{folder / "s"}, LocalStore<DeviceBuffer>{folder / "s"}};
    auto const array = made_in(store, Pipeline<space::Device, codec::Bytes>{}, chunk_shape[0], on);
    auto found = test::on_device<float, 2>(std::vector<float>(elements().size()), shape, on);
    array.read(all, found, all_together).wait();
    CHECK(test::on_host(found, on) == elements());
  });
}

#endif

}  // namespace fetching_threads_tests
