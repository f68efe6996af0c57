// The cost of reading and writing arrays in device memory for the device: counted per mini-batch, for any number of
// chunks. One launch that places and one copy of the data; no wait for the stream, and from the second mini-batch on no
// allocation.
#include <device/arrays.hpp>

namespace array_counts_tests {

#if defined(TESSERA_CUDA_EMULATION)

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::TemporaryFolder, test::under_seeds;

namespace {

constexpr std::uint64_t rows = 3, columns = 10;  // of a chunk; the last one is not whole

// An array of that many chunks, all of them one mini-batch.
template <class S, class P>
class Counted {
 public:
  Counted(S const& store, std::uint64_t chunks, DeviceQueue const& on)
      : chunks_{chunks},
        on_{on},
        store_{store},
        shape_{chunks * rows - 1, columns},
        elements_{test::numbers_from(1.f, shape_[0] * shape_[1])},
        array_{create_array<float, 2>(store, "a", {.shape = shape_, .chunks = {rows, columns}, .overwrite = true},
                                      P{}, on)},
        memory_{test::on_device<float, 2>(elements_, shape_, on_)} {
    array_.write(all, memory_, WriteOptions{.mini_batch = every_chunk}).wait();
  }

  void check_read(std::size_t most_copies) {
    ReadOptions const options{.mini_batch = every_chunk, .in_flight = 1};
    auto const read = [&] { array_.read(all, memory_, options).wait(); };
    read();
    {
      emulation::Watch const watch;
      read();
      check(watch, 1, most_copies);
      // The queue's stream, for each copy: the number of events does not depend on the number of chunks.
      if (most_copies > 0) CHECK(watch.count("cudaStreamWaitEvent") == most_copies);
      if (most_copies > 0) CHECK(watch.count("cudaEventRecord") <= 5);
    }
    CHECK(test::on_host(memory_, on_) == elements_);
    // Missing chunks are filled by the same launch.
    auto& queue = queue_in<space_of<S>>(on_);
    for (std::uint64_t chunk = 0; chunk < chunks_; chunk += 3)
      chunks_of(store_).erase({"a/c/" + std::to_string(chunk) + "/0"}, queue);
    read();  // values in the store's own memory, now released
    {
      emulation::Watch const watch;
      read();
      check(watch, 1, most_copies);
    }
    auto expected = elements_;
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (i / columns / rows % 3 == 0) expected[i] = 0;
    CHECK(test::on_host(memory_, on_) == expected);
  }

  // A store of device buffers makes and fills a buffer for each value: `values` more copies and allocations.
  void check_write(std::size_t most_copies, std::uint64_t values = 0) {
    WriteOptions const options{.mini_batch = every_chunk, .in_flight = 1};
    auto const memory = test::on_device<float, 2>(elements_, shape_, on_);
    array_.write(all, memory, options).wait();
    emulation::Watch const watch;
    array_.write(all, memory, options).wait();
    // The fill test is a launch too.
    check(watch, 2, most_copies + values, values);
    CHECK(watch.copies(cudaMemcpyDeviceToDevice) == values);
  }

  auto const& array() const { return array_; }

 private:
  void check(emulation::Watch const& watch, std::size_t launches, std::size_t most_copies,
             std::size_t allocated = 0) const {
    CHECK(watch.launches() == launches);
    CHECK(test::copies(watch) <= most_copies);
    CHECK(watch.synchronisations() == 0);
    CHECK(watch.spins() == 0);
    CHECK(test::allocations(watch) <= 2 * allocated);  // each is freed when it is replaced
  }

  std::uint64_t chunks_;
  DeviceQueue on_{test::HostQueue{}};
  S store_;
  Extents shape_;
  std::vector<float> elements_;
  Array<float, 2, S, P> array_;
  OwnedArray<float, 2, DeviceBuffer> memory_;
};

template <class P, class Make>
void check_counts(Make&& make, std::size_t data_copies, bool keeps_values = false) {
  for (std::uint64_t const chunks : {4u, 20u, 64u}) {
    CAPTURE(chunks);
    under_seeds(8, [&] {
      DeviceQueue on{test::HostQueue{}};
      auto const store = make();
      Counted<std::remove_const_t<decltype(store)>, P> counted{store, chunks, on};
      counted.check_write(data_copies, keeps_values ? chunks : 0);
      counted.check_read(data_copies);
    });
  }
}

}  // namespace

TEST_CASE("a mini-batch through the host's codecs: one copy of the data, one launch") {
  check_counts<test::Compressed>([] { return MemoryStore<HostBuffer>{}; }, 1);
}

TEST_CASE("a mini-batch through codecs that the file names: one copy of the data, one launch") {
  for (std::uint64_t const chunks : {4u, 20u, 64u}) {
    CAPTURE(chunks);
    under_seeds(8, [&] {
      DeviceQueue on{test::HostQueue{}};
      MemoryStore<HostBuffer> const store;
      Counted<MemoryStore<HostBuffer>, test::Compressed>{store, chunks, on};
      auto const array = open_array<float, 2, test::Known>(store, "a", on);
      auto memory = test::on_device<float, 2>(std::vector<float>(array.size()), array.shape(), on);
      ReadOptions const reading{.mini_batch = every_chunk, .in_flight = 1};
      WriteOptions const writing{.mini_batch = every_chunk, .in_flight = 1};
      array.read(all, memory, reading).wait();
      array.write(all, memory, writing).wait();
      emulation::Watch const watch;
      array.read(all, memory, reading).wait();
      CHECK(watch.launches() == 1);
      CHECK(test::copies(watch) == 1);
      array.write(all, memory, writing).wait();
      CHECK(watch.launches() == 1 + 2);
      CHECK(test::copies(watch) == 1 + 1);
      CHECK(watch.synchronisations() == 0);
      CHECK(test::allocations(watch) == 0);
      CHECK(test::on_host(memory, on) == test::numbers_from(1.f, array.size()));
    });
  }
}

TEST_CASE("a mini-batch of files of elements: one copy of the data, one launch") {
  TemporaryFolder const folder;
  check_counts<test::FromHost>([&] { return LocalStore<HostBuffer>{folder / "host"}; }, 1);
  check_counts<test::OnDevice>([&] { return test::files_of_the_device(folder / "device"); }, 1);
}

namespace {

// Six rows of four chunks, each of which has two or four: nothing else is fetched, and one copy moves it across.
template <class Read, class S, class Written = Read>
void check_parts(S const& store, Written const& written = {}, Extents const& chunk_shape = {32, 50}) {
  under_seeds(8, [&] {
    DeviceQueue on{test::HostQueue{}};
    Extents const shape{96, 100};
    auto const elements = test::numbers_from(1.f, 96 * 100);
    create_array<float, 2>(store, "a", {.shape = shape, .chunks = chunk_shape, .overwrite = true}, written, on)
        .write(all, test::on_device<float, 2>(elements, shape, on))
        .wait();
    auto const array = open_array<float, 2, Read>(store, "a", on);
    Box const six_rows{{30, 36}, all};
    auto memory = test::on_device<float, 2>(std::vector<float>(600), {6, 100}, on);
    Traffic traffic;
    array.read(six_rows, memory, {.mini_batch = every_chunk, .in_flight = 1, .traffic = &traffic}).wait();
    constexpr auto bytes = 6 * 100 * sizeof(float);
    CHECK(traffic.fetched == bytes);
    CHECK((traffic.decoded == 0 || traffic.decoded == bytes));
    emulation::Watch const watch;
    array.read(six_rows, memory, {.mini_batch = every_chunk, .in_flight = 1}).wait();
    CHECK(watch.launches() == 1);
    CHECK(test::copies(watch) == 1);
    CHECK(watch.copied(cudaMemcpyHostToDevice) == bytes);
    CHECK(test::allocations(watch) == 0);
    CHECK(test::on_host(memory, on) == std::vector<float>(elements.begin() + 3000, elements.begin() + 3600));
  });
}

}  // namespace

TEST_CASE("part of chunks, stored as they are: nothing else of them is fetched or crosses, in one copy") {
  TemporaryFolder const folder;
  check_parts<test::OnDevice>(test::files_of_the_device(folder / "device"));
  check_parts<test::FromHost>(LocalStore<HostBuffer>{folder / "host"});
  check_parts<test::Known>(LocalStore<HostBuffer>{folder / "known"}, test::FromHost{});
  using Sharded = Pipeline<space::Device, codec::Sharding<test::FromHost>>;
  Sharded const sharded{codec::Sharding<test::FromHost>{{32, 50}}};
  check_parts<Sharded>(LocalStore<HostBuffer>{folder / "shards"}, sharded, {32, 100});
  check_parts<test::Known>(LocalStore<HostBuffer>{folder / "known shards"}, sharded, {64, 100});
}

TEST_CASE("a mini-batch of values in device memory: no copy of the data, one launch") {
  check_counts<test::OnDevice>([] { return test::in_device_memory(); }, 0, true);
}

TEST_CASE("many mini-batches, none waited for: what is under way is bounded, and in the end nothing is allocated") {
  under_seeds(16, [] {
    DeviceQueue on{test::HostQueue{}};
    MemoryStore<HostBuffer> const store;
    Counted<MemoryStore<HostBuffer>, test::Compressed> const counted{store, 64, on};
    auto const& array = counted.array();
    auto memory = array.read(all);
    ReadOptions const options{.mini_batch = 4, .in_flight = 3};
    for (int i = 0; i < 2; ++i) array.read(all, memory, options).detach();
    emulation::Watch const watch;
    auto pending = array.read(all, memory, options);
    CHECK(watch.launches() == 16);
    CHECK(test::copies(watch) == 16);
    CHECK(watch.synchronisations() == 0);
    CHECK(test::allocations(watch) == 0);
    pending.wait();
  });
}

TEST_CASE("documents are read and written without a call of CUDA's") {
  TemporaryFolder const folder;
  DeviceQueue const on;
  emulation::Watch const watch;
  auto const check = [&](auto const& store, auto const& pipeline) {
    using P = std::remove_cvref_t<decltype(pipeline)>;
    auto const array = create_array<float, 1>(store, "g/a", {.shape = {40}, .chunks = {10}}, pipeline, on);
    auto const again = open_array<float, 1, P>(store, "g/a", on);
    CHECK(again.shape() == array.shape());
    CHECK(again.chunk_box({1}).resolve({40}).first == Extents{10});
    auto const copy = again;
    CHECK(copy.grid_shape() == Extents{4});
  };
  check(MemoryStore<HostBuffer>{}, test::Compressed{});
  check(LocalStore<HostBuffer>{folder / "host"}, test::FromHost{});
  check(test::files_of_the_device(folder / "device"), test::OnDevice{});
  check(test::in_device_memory(), test::OnDevice{});
  CHECK(watch.calls().empty());
}

#endif

}  // namespace array_counts_tests
