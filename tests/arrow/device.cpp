// Columns of device memory by Arrow's C device data interface, on the emulated runtime.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <device/arrays.hpp>
#include <device/capturing.hpp>
#include <device/ipc/published.hpp>
#include <ipc/process.hpp>
#include <support/refused.hpp>
#include <tessera/ipc/cuda.cuh>
#include <tessera/with/arrow/columns.hpp>
#include <tessera/with/arrow/device.cuh>

using namespace tessera;
using ipc::PublishedColumn;
using test::DeviceQueue, test::HostQueue, test::published, test::under_seeds;

namespace arrow_device_tests {

// A stream of another library, and 100 bytes that it copies to.
class Consumer {
 public:
  Consumer() {
    REQUIRE(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&seen_), size) == cudaSuccess);
  }
  Consumer(Consumer const&) = delete;
  Consumer& operator=(Consumer const&) = delete;
  ~Consumer() {
    CHECK(cudaFreeHost(seen_) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream_) == cudaSuccess);
  }
  void wait_for(ArrowDeviceArray const& array) {
    REQUIRE(cudaStreamWaitEvent(stream_, *static_cast<cudaEvent_t*>(array.sync_event), 0) == cudaSuccess);
  }
  void copy(void const* from) { copy(from, stream_); }
  void copy(void const* from, cudaStream_t in) { cudaMemcpyAsync(seen_, from, size, cudaMemcpyDeviceToHost, in); }
  std::string seen() const { return {reinterpret_cast<char const*>(seen_), size}; }

 private:
  static constexpr std::size_t size = 100;
  cudaStream_t stream_ = nullptr;
  std::byte* seen_ = nullptr;
};

// Memory of an array that was released during a capture stays until the device is waited for.
void check_kept(std::weak_ptr<DeviceBuffer> const& memory, DeviceQueue& of_memory, DeviceQueue& on,
                Consumer const& consumer) {
  auto const next = test::made<DeviceBuffer>(std::string(100, 'b'), of_memory);
  of_memory.wait();
  CHECK(!memory.expired());
  on.trim();
  CHECK(memory.expired());
  CHECK(consumer.seen() == std::string(100, 'a'));
}

// The elements as a consumer sees them, whose stream waits for the event.
template <class T>
std::vector<T> seen(ArrowDeviceArray const& array, void const* from, std::size_t count) {
  std::vector<T> elements(count);
  cudaStream_t own = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaStreamWaitEvent(own, *static_cast<cudaEvent_t*>(array.sync_event), 0) == cudaSuccess);
  cudaMemcpyAsync(elements.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost, own);
  REQUIRE(cudaStreamSynchronize(own) == cudaSuccess);
  REQUIRE(cudaStreamDestroy(own) == cudaSuccess);
  return elements;
}

TEST_CASE("Arrow: an array in device memory is handed over in place, with an event after its queue's work") {
  under_seeds(16, [] {
    DeviceQueue on{HostQueue{}};
    auto array = test::on_device<float, 2>(test::numbers_from(1.f, 12), {3, 4}, on);
    auto const* const data = array.data();
    auto column = arrow_c::share(std::move(array));
    emulation::Watch const watch;
    auto exported = arrow_c::hand_over(std::move(column), on);
    CHECK(test::copies(watch) + watch.launches() == 0);
    auto const& device = exported.array.get();
    CHECK((device.device_type == ARROW_DEVICE_CUDA && device.device_id == 0 && device.sync_event));
    CHECK((exported.schema.get().format == std::string{"+w:4"} && device.array.length == 3));
    auto const& values = *device.array.children[0];
    CHECK(values.buffers[1] == data);
    CHECK(seen<float>(device, values.buffers[1], 12) == test::numbers_from(1.f, 12));
  });
  test::check_nothing_left();
}

TEST_CASE("Arrow: bools in device memory, which are bytes, are refused") {
  DeviceQueue on{HostQueue{}};
  OwnedArray<bool, 1, DeviceBuffer> array{{3}, on};
  CHECK(test::error_of([&] { (void)arrow_c::share(std::move(array)); }) ==
        "the bools are bytes in a device's memory, expected bits, as Arrow has them");
}

TEST_CASE("Arrow: device memory is used again only after the consumer's work before the release") {
  for (bool is_child_last : {false, true})
    under_seeds(16, [&] {
      DeviceQueue on{HostQueue{}};
      Consumer consumer;
      {
        auto memory = std::make_shared<DeviceBuffer>(test::made<DeviceBuffer>(std::string(100, 'a'), on));
        auto const* const data = memory->view().data;
        arrow_c::Column<space::Device> column{.format = "+w:2", .length = 50, .buffers = {nullptr}};
        column.children.push_back({.format = "C", .length = 100, .buffers = {nullptr, data}, .owner = memory});
        memory.reset();
        auto exported = arrow_c::hand_over(std::move(column), on);
        consumer.wait_for(exported.array.get());
        arrow_c::Owned<ArrowArray> child;
        if (is_child_last) {  // moved away, and used after the release of its parent
          child = arrow_c::Owned<ArrowArray>{exported.array.address()->array.children[0]};
          exported.array.reset();
        }
        consumer.copy(data);
      }
      auto const next = test::made<DeviceBuffer>(std::string(100, 'b'), on);
      on.wait();
      cudaDeviceSynchronize();
      CHECK(consumer.seen() == std::string(100, 'a'));
    });
}

TEST_CASE("Arrow: an array released during a capture is not destroyed until the device is waited for") {
  under_seeds(16, [] {
    DeviceQueue producer{HostQueue{}}, on{HostQueue{}};
    Consumer consumer;
    auto memory = std::make_shared<DeviceBuffer>(test::made<DeviceBuffer>(std::string(100, 'a'), producer));
    std::weak_ptr<DeviceBuffer> const kept = memory;
    arrow_c::Column<space::Device> column{.format = "C", .length = 100, .buffers = {nullptr, memory->view().data}};
    column.owner = std::move(memory);
    {
      auto exported = arrow_c::hand_over(std::move(column), producer);
      auto taken = std::make_unique<arrow_c::Column<space::Device>>(
          arrow_c::take_over(exported.schema.get(), std::move(exported.array), on));
      consumer.copy(taken->buffers[1], on.stream());
      test::Capturing capture;
      taken.reset();
      CHECK(capture.end() == cudaErrorStreamCaptureInvalidated);
    }
    check_kept(kept, producer, on, consumer);
  });
  test::check_nothing_left();
}

TEST_CASE("Arrow: memory handed over and released during a capture stays until the device is waited for") {
  under_seeds(16, [] {
    DeviceQueue on{HostQueue{}};
    Consumer consumer;
    auto memory = std::make_shared<DeviceBuffer>(test::made<DeviceBuffer>(std::string(100, 'a'), on));
    std::weak_ptr<DeviceBuffer> const kept = memory;
    arrow_c::Column<space::Device> column{.format = "C", .length = 100, .buffers = {nullptr, memory->view().data}};
    column.owner = std::move(memory);
    {
      auto exported = arrow_c::hand_over(std::move(column), on);
      consumer.wait_for(exported.array.get());
      consumer.copy(exported.array.get().array.buffers[1]);
      test::Capturing capture;
      exported.array.reset();
      CHECK(capture.end() == cudaErrorStreamCaptureInvalidated);
    }
    check_kept(kept, on, on, consumer);
  });
  test::check_nothing_left();
}

TEST_CASE("Arrow: an attached table in device memory, with a mask and strings, and a slice of it") {
  ipc::IpcResource resource;
  Queue<space::Device> on{Queue<space::Host>{}, DeviceResources{.device = resource}};
  ipc::Producer producer;
  ipc::Consumer consumer;
  std::string const text = "onetwothree";
  std::vector<PublishedColumn> fields;
  fields.push_back(PublishedColumn::values(published<float>(producer, {1, 2, 3, 4}, on))
                       .masked(published<std::uint8_t>(producer, {0b1101}, on), ipc::Mask::Kind::bits, 1)
                       .named("weight"));
  fields.push_back(
      PublishedColumn::strings(published<std::int32_t>(producer, {0, 3, 6, 6, 11}, on),
                               published<std::uint8_t>(producer, {text.begin(), text.end()}, on))
          .named("word"));
  auto const row = PublishedColumn::structure(std::move(fields));
  auto const attach = [&](ipc::ColumnDescriptor const& column) {
    return ipc::AttachedColumn<space::Device>{
        column, [&](ipc::Descriptor const& buffer) { return ipc::attach(consumer, buffer, on); }};
  };
  {
    auto const exported = arrow_c::hand_over(arrow_c::share(attach(row.descriptor())), on);
    auto const& device = exported.array.get();
    CHECK((device.array.n_children == 2 && device.device_type == ARROW_DEVICE_CUDA));
    auto const &weights = *device.array.children[0], &words = *device.array.children[1];
    CHECK(seen<float>(device, weights.buffers[1], 4) == std::vector<float>{1, 2, 3, 4});
    CHECK(seen<std::uint8_t>(device, weights.buffers[0], 1) == std::vector<std::uint8_t>{0b1101});
    CHECK(seen<std::int32_t>(device, words.buffers[1], 5)[4] == 11);
    CHECK(seen<char>(device, words.buffers[2], 11)[10] == 'e');
    auto const part = arrow_c::hand_over(arrow_c::share(attach(row.descriptor().children[0].slice(2, 2))), on);
    CHECK((part.array.get().array.offset == 2 && part.array.get().array.length == 2));
    CHECK(producer.leases() > 0);
  }
  CHECK(test::comes_true([&] { return producer.leases() == 0; }));

  auto const bytes = PublishedColumn::values(published<float>(producer, {1, 2}, on))
                         .masked(published<std::uint8_t>(producer, {1, 0}, on), ipc::Mask::Kind::bytes)
                         .named("weight");
  CHECK(test::error_of([&] { (void)arrow_c::share(attach(bytes.descriptor())); }) ==
        "column \"weight\": its mask has bytes in a device's memory, expected bits, as Arrow has them: publish it as "
        "bits in uint8");
}

TEST_CASE("Arrow: the k-th call of an export from a device fails, and its memory is released") {
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    emulation::seed(15);
    bool has_failed = false;
    {
      DeviceQueue on{HostQueue{}};
      auto column = arrow_c::share(test::on_device<float, 1>({1, 2, 3}, {3}, on));
      std::weak_ptr<void const> const owner = column.owner;
      emulation::fail(k);
      try {
        (void)arrow_c::hand_over(std::move(column), on);
      } catch (Error const&) {
        CHECK(emulation::has_failed());
      }
      has_failed = emulation::has_failed();
      emulation::fail_nothing();
      column = {};
      CHECK(owner.expired());
    }
    test::check_nothing_left();
    if (!has_failed) {
      CHECK(k > 1);
      break;
    }
  }
}

// What a producer hands over, whose release is counted.
struct Counting {
  arrow_c::Owned<ArrowSchema> schema{};
  arrow_c::Owned<ArrowDeviceArray> array{};
  std::shared_ptr<int> releases = std::make_shared<int>(0);
};
Counting counting(arrow_c::Column<space::Device> column, DeviceQueue& on) {
  Counting made;
  column.owner = {made.releases.get(), [held = column.owner, count = made.releases](void const*) { ++*count; }};
  auto exported = arrow_c::hand_over(std::move(column), on);
  made.schema = std::move(exported.schema), made.array = std::move(exported.array);
  return made;
}

TEST_CASE("Arrow: a producer's array in device memory is used in place, after its event, and released once") {
  under_seeds(16, [] {
    DeviceQueue producer{HostQueue{}}, on{HostQueue{}};
    OwnedArray<std::uint32_t, 1, DeviceBuffer> array{{12}, producer};
    auto* const data = array.data();
    REQUIRE(cudaMemsetAsync(data, 0, 48, producer.stream()) == cudaSuccess);
    producer.wait();
    REQUIRE(cudaMemsetAsync(data, 1, 48, producer.stream()) == cudaSuccess);  // may not have run yet
    auto made = counting(arrow_c::share(std::move(array)), producer);
    auto const releases = made.releases;
    {
      emulation::Watch const watch;
      auto column = arrow_c::take_over(made.schema.get(), std::move(made.array), on);
      CHECK(test::copies(watch) + watch.launches() + watch.count("cudaEventSynchronize") == 0);
      made.schema.reset();
      CHECK(made.array.empty());
      CHECK((column.format == "I" && column.length == 12 && column.null_count == 0));
      CHECK(arrow_c::values<std::uint32_t>(column).data == data);
      std::vector<std::uint32_t> elements(12);
      cudaMemcpyAsync(elements.data(), data, 48, cudaMemcpyDeviceToHost, on.stream());
      on.wait();
      CHECK(elements == std::vector<std::uint32_t>(12, 0x01010101));
      auto const copy = column;
      column = {};
      CHECK(*releases == 0);
    }
    CHECK(*releases == 1);
  });
  test::check_nothing_left();
}

// A producer's memory, which its release function overwrites at once, without waiting for any stream.
struct Overwriting {
  DeviceBuffer memory;
  cudaStream_t stream;
  void const* buffers[2];
};

TEST_CASE("Arrow: a producer's array is released only after the device's work with its memory") {
  under_seeds(16, [] {
    DeviceQueue producer{HostQueue{}}, on{HostQueue{}};
    std::byte* seen = nullptr;
    REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&seen), 100) == cudaSuccess);
    Overwriting held{test::made<DeviceBuffer>(std::string(100, 'a'), producer), producer.stream(), {}};
    producer.wait();
    held.buffers[1] = held.memory.view().data;
    ArrowSchema schema{};
    schema.format = "C", schema.release = [](ArrowSchema*) {};
    ArrowDeviceArray array{};
    array.device_type = ARROW_DEVICE_CUDA;
    array.array.length = 100, array.array.n_buffers = 2, array.array.buffers = held.buffers;
    array.array.private_data = &held;
    array.array.release = [](ArrowArray* self) {
      auto& all = *static_cast<Overwriting*>(self->private_data);
      cudaMemsetAsync(all.memory.span().data, 'b', 100, all.stream);
      cudaStreamSynchronize(all.stream);
      self->release = nullptr;
    };
    {
      auto const taken = arrow_c::take_over(schema, arrow_c::Owned<ArrowDeviceArray>{&array}, on);
      cudaMemcpyAsync(seen, taken.buffers[1], 100, cudaMemcpyDeviceToHost, on.stream());
    }
    on.wait();
    CHECK(std::string(reinterpret_cast<char const*>(seen), 100) == std::string(100, 'a'));
    REQUIRE(cudaFreeHost(seen) == cudaSuccess);
  });
  test::check_nothing_left();
}

TEST_CASE("Arrow: a table with strings, lists and a dictionary in device memory is taken over whole") {
  DeviceQueue on{HostQueue{}};
  auto const column = [&]<class T>(char const* format, std::uint64_t length, std::vector<T> const& elements) {
    auto memory = std::make_shared<DeviceBuffer>(elements.size() * sizeof(T), on);
    cudaMemcpyAsync(memory->span().data, elements.data(), elements.size() * sizeof(T), cudaMemcpyHostToDevice,
                    on.stream());
    on.wait();
    return arrow_c::Column<space::Device>{
        .format = format, .length = length, .buffers = {nullptr, memory->view().data}, .owner = memory};
  };
  auto words = column("u", 2, std::vector<std::int32_t>{0, 1, 3});
  auto const text = column("C", 3, std::vector<char>{'a', 'b', 'b'});
  words.buffers.push_back(text.buffers[1]), words.dictionary = {}, words.name = "words";
  auto codes = column("c", 3, std::vector<std::int8_t>{1, 0, 1});
  codes.name = "codes", codes.dictionary.push_back(words);
  auto lists = column("+l", 3, std::vector<std::int32_t>{0, 2, 2, 3});
  lists.name = "lists", lists.children.push_back(column("s", 3, std::vector<std::int16_t>{7, 8, 9}));
  arrow_c::Column<space::Device> table{.format = "+s", .length = 3, .buffers = {nullptr}};
  table.children = {codes, lists};
  auto exported = arrow_c::hand_over(table, on);
  auto const taken = arrow_c::take_over(exported.schema.get(), std::move(exported.array), on);
  REQUIRE((taken.children.size() == 2 && taken.children[0].dictionary.size() == 1));
  CHECK((taken.children[0].name == "codes" && taken.children[0].dictionary[0].format == "u"));
  CHECK(taken.children[0].dictionary[0].buffers == words.buffers);
  CHECK(taken.children[1].buffers == lists.buffers);
  CHECK(arrow_c::values<std::int16_t>(taken.children[1].children[0]).shape[0] == 3);
}

TEST_CASE("Arrow: columns without elements are taken over, wherever their buffers are") {
  DeviceQueue on{HostQueue{}};
  float const here = 1;
  std::int32_t const offset = 0;
  arrow_c::Column<space::Device> const numbers{.format = "f", .name = "numbers", .buffers = {nullptr, &here}};
  auto words = numbers, lists = numbers, codes = numbers;
  words.format = "u", words.buffers = {&here, &offset, &here};
  lists.format = "+l", lists.buffers = {nullptr, &offset}, lists.children = {numbers};
  codes.format = "i", codes.dictionary = {words};
  arrow_c::Column<space::Device> table{.format = "+s", .buffers = {nullptr}};
  table.children = {numbers, words, lists, codes};
  for (bool is_null : {false, true}) {
    if (is_null) table.children[0].buffers[1] = table.children[1].buffers[1] = nullptr;
    auto made = counting(arrow_c::Column<space::Device>{table}, on);
    {
      auto const column = arrow_c::take_over(made.schema.get(), std::move(made.array), on);
      CHECK((column.children.size() == 4 && column.children[0].length == 0));
      auto const expect_none = [](auto const& self, arrow_c::Column<space::Device> const& of) -> void {
        for (auto const* buffer : of.buffers) CHECK(buffer == nullptr);
        for (auto const& child : of.children) self(self, child);
        for (auto const& dictionary : of.dictionary) self(self, dictionary);
      };
      expect_none(expect_none, column);
      CHECK(arrow_c::values<float>(column.children[0]).shape[0] == 0);
    }
    CHECK(*made.releases == 1);
  }
  // A buffer of the device stays, and so does the check of a column with elements below one without.
  auto owned = arrow_c::share(test::on_device<float, 1>({1, 2}, {2}, on));
  auto part = owned;
  part.length = 0;
  auto made = counting(std::move(part), on);
  CHECK(arrow_c::take_over(made.schema.get(), std::move(made.array), on).buffers[1] == owned.buffers[1]);
  table.children[2].children[0].length = 1, table.children[2].children[0].buffers[1] = &here;
  made = counting(std::move(table), on);
  CHECK(test::error_of([&] { (void)arrow_c::take_over(made.schema.get(), std::move(made.array), on); }) ==
        "array \"numbers\" of format \"f\": the array says that it is in the memory of device 0, but the CUDA runtime "
        "says that a buffer is not");
}

TEST_CASE("Arrow: arrays of other devices, of host memory or that contradict their schema are refused and released") {
  DeviceQueue on{HostQueue{}};
  auto const refused = [&](auto change) {
    auto made = counting(arrow_c::share(test::on_device<float, 1>({1, 2, 3}, {3}, on)), on);
    change(*made.schema.address(), *made.array.address());
    auto const error = test::error_of([&] { (void)arrow_c::take_over(made.schema.get(), std::move(made.array), on); });
    CHECK(*made.releases == 1);
    return error;
  };
  using S = ArrowSchema&;
  using A = ArrowDeviceArray&;
  CHECK(refused([](S, A) {}) == "nothing was thrown");
  CHECK(refused([](S, A a) { a.sync_event = nullptr; }) == "nothing was thrown");  // ready
  auto const elsewhere = std::string{"the array is in memory of Arrow's device type "};
  auto const expected = std::string{", expected type 2 (CUDA), device 0, that of the queue"};
  CHECK(refused([](S, A a) { a.device_id = 1; }) == elsewhere + "2, device 1" + expected);
  CHECK(refused([](S, A a) { a.device_type = ARROW_DEVICE_CPU, a.device_id = -1; }) ==
        elsewhere + "1, device -1" + expected);
  CHECK(refused([](S, A a) { a.device_type = ARROW_DEVICE_CUDA_MANAGED; }) == elsewhere + "13, device 0" + expected);
  float const host[] = {1, 2, 3};
  CHECK(refused([&](S, A a) { a.array.buffers[1] = host; }) ==
        "array \"\" of format \"f\": the array says that it is in the memory of device 0, but the CUDA runtime says "
        "that a buffer is not");
  auto const array = std::string{"array \"\" of format \"f\": "};
  CHECK(refused([](S, A a) { a.array.buffers[1] = nullptr; }) == array + "it has elements but no memory");
  CHECK(refused([](S, A a) { a.array.null_count = 1; }) == array + "the array has 1 nulls but no mask");
  CHECK(refused([](S, A a) { a.array.n_buffers = 1; }) ==
        array + "the array has length 3, offset 0 and 1 buffers, expected 2");
  for (auto const& one :
       {std::pair{"vu", "string_view"}, {"vz", "binary_view"}, {"+m", "map"}, {"+ud:0,1", "dense_union"},
        {"+us:0", "sparse_union"}, {"+vl", "list_view"}, {"+r", "run_end_encoded"}, {"tiM", "month_interval"}})
    CHECK(refused([&](S s, A) { s.format = one.first; }) ==
          to_text({"array \"\" of format \"", one.first, "\": the library does not have Arrow's type ", one.second}));
  CHECK(refused([](S s, A) { s.format = "?"; }) == "array \"\" of format \"?\": the format is unknown");
  CHECK(test::error_of([&] { (void)arrow_c::take_over({}, {}, on); }) ==
        "the schema or the array was released or moved");
}

TEST_CASE("Arrow: the k-th call of an import of device memory fails, and the array is released") {
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    emulation::seed(15);
    bool has_failed = false;
    {
      DeviceQueue on{HostQueue{}};
      auto made = counting(arrow_c::share(test::on_device<float, 1>({1, 2, 3}, {3}, on)), on);
      emulation::fail(k);
      try {
        (void)arrow_c::take_over(made.schema.get(), std::move(made.array), on);
      } catch (Error const&) {
        CHECK(emulation::has_failed());
      }
      has_failed = emulation::has_failed();
      emulation::fail_nothing();
      CHECK(*made.releases == 1);
    }
    test::check_nothing_left();
    if (!has_failed) {
      CHECK(k > 1);
      break;
    }
  }
}

}  // namespace arrow_device_tests
