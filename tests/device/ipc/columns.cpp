// Columns of a device's memory between processes.
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <device/ipc/published.hpp>
#include <device/two_devices.hpp>
#include <ipc/process.hpp>
#include <tessera/ipc/attached_column.hpp>
#include <tessera/ipc/cuda.cuh>
#include <tessera/ipc/parted_table.hpp>
#include <tessera/ipc/published_column.hpp>
#include <tessera/with/arrow/columns.hpp>
#include <tessera/with/arrow/device.cuh>

using namespace tessera;
using ipc::PublishedColumn;
using test::published;

namespace ipc_device_column_tests {

template <class T>
std::vector<T> elements(ArrayView<T const, 1, space::Device> view, Queue<space::Device>& on) {
  std::vector<T> result(view.shape[0]);
  REQUIRE(cudaMemcpyAsync(result.data(), view.data, result.size() * sizeof(T), cudaMemcpyDeviceToHost, on.stream()) ==
          cudaSuccess);
  on.wait();
  return result;
}

TEST_CASE("child: table on a device" * doctest::skip()) {
  auto const tell = test::Process::mine();
  ipc::IpcPool pool;
  Queue<space::Device> on{Queue<space::Host>{}, DeviceResources{.device = pool}};
  ipc::Producer producer;
  std::string const text = "onetwothree";
  std::vector<PublishedColumn> fields;
  fields.push_back(PublishedColumn::values(published<float>(producer, {1, 2, 3, 4}, on))
                       .masked(published<std::uint8_t>(producer, {0b1101}, on), ipc::Mask::Kind::bits, 1)
                       .named("weight"));
  fields.push_back(PublishedColumn::strings(
                       published<std::int32_t>(producer, {0, 3, 6, 6, 11}, on),
                       published<std::uint8_t>(producer, std::vector<std::uint8_t>(text.begin(), text.end()), on))
                       .named("word"));
  fields.push_back(
      PublishedColumn::lists(published<std::int64_t>(producer, {0, 2, 2, 3, 5}, on),
                             PublishedColumn::values(published<std::int16_t>(producer, {7, 8, 9, 10, 11}, on)))
          .named("parts"));
  auto const row = PublishedColumn::structure(std::move(fields)).named("row");
  tell.put(row.json());
  tell.get();
}

TEST_CASE("a table of columns of another process's device memory, with nulls, strings and lists") {
  auto producer = test::Process::running("child: table on a device");
  auto const row = ipc::parse_column_descriptor(producer->get());
  CHECK(row.children[0].schema == "f");
  {
    Queue<space::Device> on{Queue<space::Host>{}};
    ipc::Consumer consumer;
    auto const attach = [&](ipc::ColumnDescriptor const& column) {
      return ipc::AttachedColumn<space::Device>{
          column, [&](ipc::Descriptor const& buffer) { return ipc::attach(consumer, buffer, on); }};
    };
    auto const attached = attach(row);
    auto const& fields = attached.children();
    CHECK(elements(fields[0].values<float>(), on) == std::vector<float>{1, 2, 3, 4});
    CHECK(elements(fields[0].mask()->view<std::uint8_t const, 1>(), on) == std::vector<std::uint8_t>{0b1101});
    CHECK(elements(fields[1].offsets()->view<std::int32_t const, 1>(), on)[4] == 11);
    CHECK(elements(fields[1].data()->view<std::uint8_t const, 1>(), on).size() == 11);
    CHECK(elements(fields[2].children()[0].values<std::int16_t>(), on)[4] == 11);
    auto const part = attach(row.children[0].slice(2, 2));
    CHECK(elements(part.values<float>(), on) == std::vector<float>{3, 4});
    CHECK(part.mask()->shape() == Extents{1});  // the whole one
    CHECK((part.descriptor().offset == 2 && part.descriptor().null_count == -1));
  }
  producer->put("end");
  CHECK(producer.wait());
}

TEST_CASE("the same table by Arrow's C device data interface, in place and in the order of its event") {
  auto producer = test::Process::running("child: table on a device");
  auto const row = ipc::parse_column_descriptor(producer->get());
  {
    Queue<space::Device> on{Queue<space::Host>{}}, consumers{Queue<space::Host>{}};
    ipc::Consumer consumer;
    auto exported = arrow_c::hand_over(
        arrow_c::share(ipc::AttachedColumn<space::Device>{
            row, [&](ipc::Descriptor const& buffer) { return ipc::attach(consumer, buffer, on); }}),
        on);
    auto const& device = exported.array.get();
    REQUIRE((device.device_type == ARROW_DEVICE_CUDA && device.device_id == on.device()));
    REQUIRE(device.array.n_children == 3);
    REQUIRE(cudaStreamWaitEvent(consumers.stream(), *static_cast<cudaEvent_t*>(device.sync_event), 0) == cudaSuccess);
    auto const seen = [&]<class T>(T, std::size_t field, std::size_t buffer, std::uint64_t count) {
      auto const* const from = static_cast<T const*>(device.array.children[field]->buffers[buffer]);
      return elements(ArrayView<T const, 1, space::Device>::c_order(from, {count}), consumers);
    };
    CHECK(seen(0.f, 0, 1, 4) == std::vector<float>{1, 2, 3, 4});
    CHECK(seen(std::uint8_t{}, 0, 0, 1) == std::vector<std::uint8_t>{0b1101});
    CHECK(seen(std::int32_t{}, 1, 1, 5) == std::vector<std::int32_t>{0, 3, 6, 6, 11});
    CHECK(seen(char{}, 1, 2, 3) == std::vector<char>{'o', 'n', 'e'});
    CHECK(seen(std::int64_t{}, 2, 1, 5)[4] == 5);
  }
  producer->put("end");
  CHECK(producer.wait());
}

#if defined(TESSERA_CUDA_EMULATION)  // needs two GPUs
TEST_CASE("a table in parts on two GPUs is attached by a queue of each") {
  test::with_two_devices(1, [](Queue<space::Device>& first, Queue<space::Device>& second) {
    std::array<Queue<space::Device>*, 2> const queues{&first, &second};
    ipc::IpcResource memory;
    std::vector<PublishedColumn> published_parts;
    ipc::Producer producer;
    ipc::PartedTable table;
    for (int device = 0; device < 2; ++device) {
      cudaSetDevice(device);
      Queue<space::Device> on{Queue<space::Host>{}, DeviceResources{.device = memory}};
      cudaSetDevice(0);
      std::vector<PublishedColumn> fields;
      fields.push_back(PublishedColumn::values(published<float>(producer, {float(device) + 1, float(device) + 2}, on)).named("x"));
      published_parts.push_back(PublishedColumn::structure(std::move(fields)));
      table.parts.push_back(published_parts.back().descriptor());
    }
    table = ipc::parse_parted_table(ipc::to_json(table));
    CHECK(table.device(0) != table.device(1));
    ipc::Consumer consumer;
    auto const attached =
        ipc::attach_parts<space::Device>(table.slice(1, 2), [&](ipc::Descriptor const& buffer, std::size_t part) {
          return ipc::attach(consumer, buffer, *queues[part]);
        });
    CHECK(elements(attached[0].children()[0].values<float>(), first) == std::vector<float>{1, 2});
    CHECK(elements(attached[1].children()[0].values<float>(), second) == std::vector<float>{2, 3});
    CHECK((attached[0].descriptor().offset == 1 && attached[0].size() == 1 && attached[1].size() == 1));
    auto const wrong = [&](ipc::Descriptor const& buffer, std::size_t) { return ipc::attach(consumer, buffer, first); };
    CHECK_THROWS_AS((void)ipc::attach_parts<space::Device>(table, wrong), ipc::IpcError);
  });
}
#endif

}  // namespace ipc_device_column_tests
