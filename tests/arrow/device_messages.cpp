// Messages of Arrow's IPC format with bodies in device memory, on the emulated runtime.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/compressed_message.hpp>
#include <device/arrays.hpp>
#include <support/refused.hpp>
#include <tessera/with/arrow/device.cuh>
#include <tessera/with/arrow/lz4.hpp>
#include <tessera/with/arrow/zstd.hpp>

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::under_seeds;

namespace arrow_device_message_tests {

using Table = arrow_c::Column<space::Device>;

template <class T>
Table column(char const* format, std::uint64_t length, std::vector<T> const& elements, DeviceQueue& on) {
  auto const memory = std::make_shared<DeviceBuffer>(elements.size() * sizeof(T), on);
  cudaMemcpyAsync(memory->span().data, elements.data(), elements.size() * sizeof(T), cudaMemcpyHostToDevice,
                  on.stream());
  on.wait();
  return {.format = format, .length = length, .buffers = {nullptr, memory->view().data}, .owner = memory};
}
Table numbers(DeviceQueue& on) {
  Table table{.format = "+s", .length = 16, .buffers = {nullptr}};
  table.children.push_back(column("i", 16, test::numbers_from(1, 16), on));
  table.children.push_back(column("b", 16, std::vector<std::uint8_t>{0b10, 0b1}, on));
  return table;
}
Table words(DeviceQueue& on) {
  auto made = column("u", 3, std::vector<std::int32_t>{0, 1, 1, 4}, on);
  auto const text = column("C", 6, std::vector<char>{'a', 'b', 'c', 'd', 'e', 'f'}, on);
  made.buffers.push_back(text.buffers[1]);
  made.owner = std::make_shared<std::pair<std::shared_ptr<void const>, std::shared_ptr<void const>>>(made.owner,
                                                                                                      text.owner);
  Table table{.format = "+s", .length = 3, .buffers = {nullptr}};
  table.children = {made};
  return table;
}

// What a reader finds in bodies that were put into device memory.
Table sent(Table const& table, DeviceQueue& on) {
  arrow_c::MessageReader<space::Device> reader;
  auto const schema = arrow_c::schema_message(table);
  (void)reader.read({schema.header.data(), schema.header.size()}, {}, nullptr);
  std::optional<Table> found;
  for (auto const& message : arrow_c::batch_messages(table, on)) {
    auto const body = std::make_shared<DeviceBuffer>(static_cast<std::size_t>(message.body_size), on);
    arrow_c::put_body(message, body->span(), on);
    found = reader.read({message.header.data(), message.header.size()}, body->view(), body);
  }
  return std::move(found).value();
}
template <class T>
std::vector<T> seen(void const* from, std::size_t count, DeviceQueue& on) {
  std::vector<T> elements(count);
  cudaMemcpyAsync(elements.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost, on.stream());
  on.wait();
  return elements;
}

TEST_CASE("Arrow: messages of a table in device memory have its own memory as bodies, and are read on the device") {
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{}};
    auto const table = numbers(on);
    {
      emulation::Watch const watch;
      auto const messages = arrow_c::batch_messages(table, on);
      CHECK(test::copies(watch) + watch.launches() + watch.count("cudaEventSynchronize") == 0);
      CHECK(messages.at(0).body.at(0).bytes.data == table.children[0].buffers[1]);
    }
    auto found = sent(table, on);
    CHECK(seen<std::int32_t>(found.children[0].buffers[1], 16, on) == test::numbers_from(1, 16));
    CHECK(seen<std::uint8_t>(found.children[1].buffers[1], 2, on) == std::vector<std::uint8_t>{0b10, 0b1});
    auto part = table;
    part.offset = 8, part.length = 8;
    found = sent(part, on);
    CHECK(seen<std::int32_t>(found.children[0].buffers[1], 8, on) == test::numbers_from(9, 8));
    CHECK(seen<std::uint8_t>(found.children[1].buffers[1], 1, on)[0] == 1);
    part.offset = 3;
    CHECK(test::error_of([&] { (void)arrow_c::batch_messages(part, on); }) ==
          "array \"\" of format \"b\": its bits begin with element 3 in a device's memory, expected a multiple of 8");
    auto const text = words(on);
    emulation::Watch const watch;
    auto const messages = arrow_c::batch_messages(text, on);
    CHECK(test::copies(watch) == 1);  // of the last offset
    CHECK(messages.at(0).body.at(1).bytes.size == 4);
    CHECK(seen<char>(sent(text, on).children[0].buffers[2], 4, on) == std::vector<char>{'a', 'b', 'c', 'd'});
  });
  test::check_nothing_left();
}

// As `numbers`, in host memory.
arrow_c::Column<space::Host> numbers_here() {
  static std::vector<std::int32_t> const elements = test::numbers_from(1, 16);
  static std::uint8_t const bools[] = {0b10, 0b1};
  arrow_c::Column<space::Host> table{.format = "+s", .length = 16, .buffers = {nullptr}};
  table.children.push_back({.format = "i", .length = 16, .buffers = {nullptr, elements.data()}});
  table.children.push_back({.format = "b", .length = 16, .buffers = {nullptr, bools}});
  return table;
}
using Crossing = arrow_c::MessageReader<space::Device, arrow_c::Lz4Frame, arrow_c::Zstd>;

// What a reader finds in a body of host memory. `number`: of the compression; -1: none.
Table crossed(int number, DeviceQueue& on, Crossing reader = Crossing{}) {
  auto const table = numbers_here();
  auto const schema = arrow_c::schema_message(table);
  (void)reader.read({schema.header.data(), schema.header.size()}, {}, nullptr);
  auto one = test::squeezed(arrow_c::batch_messages(table)[0], {.number = number}, test::squeeze_by(number));
  auto found = reader.read<DeviceBuffer>(one.head(), one.view(), on);
  if (number >= 0) one.body.assign(one.body.size(), 0);  // decompressed memory is kept until it has crossed
  on.wait();
  return std::move(found).value();
}

TEST_CASE("Arrow: bodies in host memory cross to the device in one copy, behind their decompression") {
  under_seeds(8, [] {
    for (int number : {-1, 0, 1}) {
      DeviceQueue on{HostQueue{}};
      emulation::Watch const watch;
      auto const found = crossed(number, on);
      CHECK((test::copies(watch) == 1 && watch.copies(cudaMemcpyHostToDevice) == 1));
      CHECK(seen<std::int32_t>(found.children[0].buffers[1], 16, on) == test::numbers_from(1, 16));
      CHECK(seen<std::uint8_t>(found.children[1].buffers[1], 2, on) == std::vector<std::uint8_t>{0b10, 0b1});
    }
  });
  test::check_nothing_left();
}

TEST_CASE("Arrow: a compressed body in device memory is refused") {
  DeviceQueue on{HostQueue{}};
  auto const table = numbers_here();
  auto const schema = test::sent(arrow_c::schema_message(table));
  Crossing reader;
  (void)reader.read(schema.head(), {}, nullptr);
  auto const one = test::squeezed(arrow_c::batch_messages(table)[0], {.number = 1}, test::squeeze_by(1));
  auto const there = std::make_shared<DeviceBuffer>(one.view().size, on);
  CHECK(test::error_of([&] { (void)reader.read(one.head(), there->view(), there); }) ==
        "the batch is compressed by ZSTD in a device's memory, expected its body in host memory, for "
        "read<DeviceBuffer>(header, body, queue)");
  emulation::Watch const watch;
  CHECK(test::error_of([&] { (void)crossed(1, on, Crossing{64}); })
            .find("decompresses to more than 64 bytes") != std::string::npos);
  CHECK(test::copies(watch) == 0);
}

TEST_CASE("Arrow: the k-th call of a body's crossing fails, and its memory is released") {
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    emulation::seed(15);
    bool has_failed = false;
    {
      DeviceQueue on{HostQueue{}};
      emulation::fail(k);
      try {
        (void)crossed(0, on);
      } catch (Error const&) {
        CHECK(emulation::has_failed());
      }
      has_failed = emulation::has_failed();
      emulation::fail_nothing();
      on.wait();
    }
    test::check_nothing_left();
    if (!has_failed) {
      CHECK(k > 0);
      break;
    }
  }
}

// Three codes, of a dictionary of two words.
Table coded(DeviceQueue& on) {
  auto codes = column("c", 3, std::vector<std::int8_t>{1, 0, 1}, on);
  auto dictionary = words(on).children[0];
  dictionary.length = 2;
  codes.dictionary.push_back(dictionary);
  Table table{.format = "+s", .length = 3, .buffers = {nullptr}};
  table.children = {codes};
  return table;
}
using Messages = std::vector<arrow_c::Message<space::Device>>;

// What a reader finds in messages whose table is gone.
Table received(std::vector<std::byte> const& schema, Messages const& messages, DeviceQueue& on) {
  arrow_c::MessageReader<space::Device> reader;
  (void)reader.read({schema.data(), schema.size()}, {}, nullptr);
  std::optional<Table> found;
  for (auto const& message : messages) {
    auto const body = std::make_shared<DeviceBuffer>(static_cast<std::size_t>(message.body_size), on);
    arrow_c::put_body(message, body->span(), on);
    found = reader.read({message.header.data(), message.header.size()}, body->view(), body);
  }
  return std::move(found).value();
}

TEST_CASE("Arrow: messages keep the columns' device memory, and tables keep that of bodies and dictionaries") {
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{}};
    auto table = coded(on);
    auto const schema = arrow_c::schema_message(table).header;
    std::weak_ptr<void const> const codes = table.children[0].owner, letters = table.children[0].dictionary[0].owner;
    auto messages = arrow_c::batch_messages(table, on);
    CHECK(messages.size() == 2);
    table = {};
    CHECK((!codes.expired() && !letters.expired()));
    auto found = received(schema, messages, on);  // the queue has the copies still to do
    messages.clear();
    on.wait();
    CHECK((codes.expired() && letters.expired()));
    CHECK(seen<std::int8_t>(found.children[0].buffers[1], 3, on) == std::vector<std::int8_t>{1, 0, 1});
    auto const& dictionary = found.children[0].dictionary.at(0);
    CHECK(seen<std::int32_t>(dictionary.buffers[1], 3, on) == std::vector<std::int32_t>{0, 1, 1});
    CHECK(seen<char>(dictionary.buffers[2], 1, on) == std::vector<char>{'a'});
    std::weak_ptr<void const> const of_rows = found.children[0].owner, of_words = dictionary.owner;
    CHECK((!of_rows.expired() && !of_words.expired()));
    found = {};
    CHECK((of_rows.expired() && of_words.expired()));
  });
  test::check_nothing_left();
}

TEST_CASE("Arrow: the k-th call of putting and reading kept messages fails, and each block is released") {
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    emulation::seed(15);
    bool has_failed = false;
    {
      DeviceQueue on{HostQueue{}};
      auto table = coded(on);
      auto const schema = arrow_c::schema_message(table).header;
      std::weak_ptr<void const> const codes = table.children[0].owner, letters = table.children[0].dictionary[0].owner;
      auto messages = arrow_c::batch_messages(table, on);
      table = {};
      emulation::fail(k);
      try {
        (void)received(schema, messages, on);
      } catch (Error const&) {
        CHECK(emulation::has_failed());
      }
      has_failed = emulation::has_failed();
      emulation::fail_nothing();
      CHECK((!codes.expired() && !letters.expired()));
      CHECK(seen<std::int8_t>(messages.at(1).body.at(0).bytes.data, 3, on) == std::vector<std::int8_t>{1, 0, 1});
      messages.clear();
      on.wait();
      CHECK((codes.expired() && letters.expired()));
    }
    test::check_nothing_left();
    if (!has_failed) {
      CHECK(k > 3);
      break;
    }
  }
}

TEST_CASE("Arrow: masks in device memory are counted only where nulls are not") {
  DeviceQueue on{HostQueue{}};
  auto const mask = column("C", 2, std::vector<std::uint8_t>{0b11111101, 0b01111111}, on);
  auto table = numbers(on);
  table.children[0].buffers[0] = mask.buffers[1];
  for (auto const& [given, copies] : {std::pair{-1, 1}, {2, 0}}) {
    table.children[0].null_count = given;
    emulation::Watch const watch;
    (void)arrow_c::batch_messages(table, on);
    CHECK(test::copies(watch) == static_cast<std::size_t>(copies));
    CHECK(sent(table, on).children[0].null_count == 2);
  }
}

TEST_CASE("Arrow: the k-th call of writing messages on a device fails, and their memory is released") {
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    emulation::seed(15);
    bool has_failed = false;
    {
      DeviceQueue on{HostQueue{}};
      auto table = words(on);
      std::weak_ptr<void const> const owner = table.children[0].owner;
      emulation::fail(k);
      try {
        (void)sent(table, on);
      } catch (Error const&) {
        CHECK(emulation::has_failed());
      }
      has_failed = emulation::has_failed();
      emulation::fail_nothing();
      table = {};
      on.wait();
      CHECK(owner.expired());
    }
    test::check_nothing_left();
    if (!has_failed) {
      CHECK(k > 1);
      break;
    }
  }
}

}  // namespace arrow_device_message_tests
