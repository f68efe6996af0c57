// Dictionaries in device memory that grow by deltas, on the emulated runtime: they become what the reader of host
// memory makes of the same messages.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/compressed_message.hpp>
#include <arrow/flip_bits.hpp>
#include <arrow/host_columns.hpp>
#include <device/arrays.hpp>
#include <support/random.hpp>
#include <support/refused.hpp>
#include <tessera/with/arrow/device.cuh>
#include <tessera/with/arrow/lz4.hpp>
#include <tessera/with/arrow/zstd.hpp>

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::SentMessage, test::under_seeds;

namespace arrow_device_delta_tests {

using test::HostTable, test::column, test::table_of, test::with_nulls, test::words;
using DeviceTable = arrow_c::Column<space::Device>;
using HostReader = arrow_c::MessageReader<space::Host, arrow_c::Lz4Frame, arrow_c::Zstd>;
using DeviceReader = arrow_c::MessageReader<space::Device, arrow_c::Lz4Frame, arrow_c::Zstd>;
using Stream = std::vector<SentMessage>;

enum class Body { in_host_memory, on_device };

std::optional<DeviceTable> given(DeviceReader& reader, SentMessage const& one, Body where, DeviceQueue& on) {
  if (where == Body::in_host_memory) return reader.read<DeviceBuffer>(one.head(), one.view(), on);
  auto const there = std::make_shared<DeviceBuffer>(one.view().size, on);
  crossing<space::Device, space::Host>::copy(one.view(), there->span(), on);
  return reader.read<DeviceBuffer>(one.head(), there->view(), there, on);
}
DeviceTable read(Stream const& stream, Body where, DeviceQueue& on, DeviceReader reader = DeviceReader{}) {
  std::optional<DeviceTable> table;
  for (auto const& one : stream) table = given(reader, one, where, on);
  return std::move(table).value();
}
HostTable read(Stream const& stream, HostReader reader = HostReader{}) {
  std::optional<HostTable> table;
  for (auto const& one : stream) table = reader.read(one.head(), one.view(), nullptr);
  return std::move(table).value();
}
using Content = std::vector<std::vector<std::byte>>;  // headers, and buffers

Content content(HostTable const& table) {
  Content all;
  for (auto const& message : arrow_c::batch_messages(table)) {
    all.push_back(message.header);
    for (auto const& part : message.body) all.emplace_back(part.bytes.data, part.bytes.data + part.bytes.size);
  }
  return all;
}
Content content(DeviceTable const& table, DeviceQueue& on) {
  Content all;
  for (auto const& message : arrow_c::batch_messages(table, on)) {
    all.push_back(message.header);
    for (auto const& part : message.body) {
      std::vector<std::byte> bytes(part.bytes.size);
      crossing<space::Host, space::Device>::copy(part.bytes, {bytes.data(), bytes.size()}, on);
      on.wait();
      all.push_back(std::move(bytes));
    }
  }
  return all;
}

// A stream whose only dictionary comes in parts, and then a row with its last element. `number`: of the compression of
// the dictionaries; -1: none.
Stream stream_of(std::vector<HostTable> const& parts, int number = -1) {
  Stream stream{test::sent(arrow_c::schema_message(test::coded(parts[0], 1)))};
  std::uint64_t length = 0;
  for (auto const& part : parts) {
    auto const messages = arrow_c::batch_messages(test::coded(part, 1));
    stream.push_back(test::squeezed(messages[messages.size() - 2], {.number = number, .is_delta = length != 0},
                                    number < 0 ? test::SqueezeBuffer{} : test::squeeze_by(number)));
    length += part.length;
  }
  stream.push_back(test::sent(arrow_c::batch_messages(test::coded(parts[0], length)).back()));
  return stream;
}
HostTable bytes(std::vector<std::uint8_t> const& all) { return column("", "C", all.size(), all); }
HostTable lists(std::vector<std::int32_t> const& offsets, HostTable const& child) {
  auto made = column("", "+l", offsets.size() - 1, offsets);
  made.children.push_back(child);
  return made;
}
HostTable bools(std::uint64_t length, std::uint8_t bits) {
  return column("", "b", length, std::vector<std::uint8_t>{bits, 0});
}
std::vector<HostTable> three_words() {
  return {words("", {0, 1, 3}, "abb"), with_nulls(words("", {2, 2, 5}, "xxcde"), {0b10}, 1), words("", {0, 4}, "ffff")};
}

TEST_CASE("Arrow: deltas add to a dictionary in device memory, as in host memory") {
  auto const some = with_nulls(bytes({7, 0, 9}), {0b101}, 1);
  std::vector<std::vector<HostTable>> const all{
      {bytes({1, 2}), bytes({3}), bytes({}), bytes({4})},
      {bytes({1, 2}), some, some},
      {some, bytes(std::vector<std::uint8_t>(30, 8)), some},
      {bytes({}), bytes({5})},
      {bools(3, 0b101), with_nulls(bools(4, 0b0110), {0b0111}, 1), bools(7, 0b1010101)},
      three_words(),
      {words<std::int64_t>("", {0, 2}, "ab"), words<std::int64_t>("", {0, 1, 4}, "cdef")},
      {lists({0, 2}, words("", {0, 1, 2, 9}, "abignored")), lists({1, 2, 3}, words("", {0, 1, 3, 4}, "xccd"))},
      {with_nulls(table_of({some, words("", {0, 1, 1, 2}, "ab")}), {0b011}, 1),
       table_of({bytes({1, 2}), words("", {0, 0, 3}, "cde")})},
      {column("", "n", 3, std::vector<int>{}), column("", "n", 4, std::vector<int>{})}};
  under_seeds(2, [&] {
    for (std::size_t i = 0; i < all.size(); ++i)
      for (auto const where : {Body::in_host_memory, Body::on_device})
        for (int number : {-1, 0, 1}) {
          if (number >= 0 && where == Body::on_device) continue;
          CAPTURE(i);
          CAPTURE(number);
          DeviceQueue on{HostQueue{}};
          auto const stream = stream_of(all[i], number);
          CHECK(content(read(stream, where, on), on) == content(read(stream)));
        }
  });
  test::check_nothing_left();
}

TEST_CASE("Arrow: with a queue, deltas are joined in host memory as without one, and all elements are there") {
  for (int const number : {-1, 0, 1}) {
    CAPTURE(number);
    auto const stream = stream_of(three_words(), number);
    HostQueue on;
    HostReader reader;
    std::optional<HostTable> table;
    for (auto const& one : stream) table = reader.read<HostBuffer>(one.head(), one.view(), on);
    CHECK(content(table.value()) == content(read(stream)));
  }
  // Whole bytes of a mask, and the bits before and after them.
  auto const some = with_nulls(bytes({7, 0, 9}), {0b101}, 1);
  auto const whole = read(stream_of({some, bytes(std::vector<std::uint8_t>(30, 8)), some}));
  auto const& mask = whole.children.front().dictionary.front();
  REQUIRE(mask.length == 36);
  CHECK(mask.null_count == 2);
  for (std::uint64_t i = 0; i < mask.length; ++i) {
    auto const byte = static_cast<std::uint8_t const*>(mask.buffers[0])[i / 8];
    CHECK(((byte >> (i % 8)) & 1) == (i != 1 && i != 34));
  }
}

TEST_CASE("Arrow: a delta crosses once to the device; to the host, only what the reader does not have there") {
  auto const stream = stream_of(three_words());
  under_seeds(8, [&] {
    for (auto const where : {Body::in_host_memory, Body::on_device}) {
      DeviceQueue on{HostQueue{}};
      DeviceReader reader;
      (void)given(reader, stream[0], where, on);
      std::size_t const bodies = where == Body::on_device;
      for (std::size_t i = 1; i <= 3; ++i) {  // a whole dictionary and two deltas
        CAPTURE(i);
        std::size_t const staged = i > 1 ? bodies : 0, earlier = i == 2;
        emulation::Watch const watch;
        (void)given(reader, stream[i], where, on);
        CHECK(watch.copies(cudaMemcpyHostToDevice) == 1 + staged);
        CHECK(watch.copies(cudaMemcpyDeviceToHost) == earlier + staged);
        CHECK(test::copies(watch) == 1 + earlier + 2 * staged);
        CHECK(watch.launches() == 0);
      }
      on.wait();
    }
  });
  test::check_nothing_left();
}

TEST_CASE("Arrow: on a device, tables that were read before a delta or another dictionary keep theirs") {
  auto const parts = three_words();
  under_seeds(8, [&] {
    for (auto const where : {Body::in_host_memory, Body::on_device}) {
      DeviceQueue on{HostQueue{}};
      auto const stream = stream_of(parts), early = stream_of({parts[0]}), late = stream_of({parts[1], parts[2]});
      DeviceReader reader;
      (void)given(reader, stream[0], where, on);
      (void)given(reader, stream[1], where, on);
      auto const before = given(reader, early[2], where, on).value();
      (void)given(reader, stream[2], where, on);
      (void)given(reader, stream[3], where, on);
      auto const after = given(reader, stream[4], where, on).value();
      (void)given(reader, late[1], where, on);  // whole, and then a delta to it
      (void)given(reader, late[2], where, on);
      auto const other = given(reader, late[3], where, on).value();
      CHECK(content(before, on) == content(read(early)));
      CHECK(content(after, on) == content(read(stream)));
      CHECK(content(other, on) == content(read(late)));
    }
  });
  test::check_nothing_left();
}

TEST_CASE("Arrow: on a device, a delta is refused without a queue, above the limit, or if its offsets are wrong") {
  DeviceQueue on{HostQueue{}};
  auto const refused = [&](std::vector<HostTable> const& parts, std::uint64_t most, Body where) {
    return test::error_of([&] { (void)read(stream_of(parts), where, on, DeviceReader{most}); });
  };
  auto const many = [](std::size_t count) { return bytes(std::vector<std::uint8_t>(count, 1)); };
  for (auto const where : {Body::in_host_memory, Body::on_device}) {
    CHECK(refused({many(60), many(4)}, 64, where) == "nothing was thrown");
    CHECK(refused({many(60), many(5)}, 64, where) ==
          "a dictionary with its delta needs more than 64 bytes, the limit of its MessageReader");
    auto const good = words("", {0, 1}, "a"), bad = words("", {0, 100, 3}, "abc");
    auto const stream = stream_of({good, bad});
    CHECK(test::error_of([&] { (void)read(stream, where, on); }) ==
          "array \"\" of format \"u\": its offset 1 is 100, expected 0 to 3");
    auto const of_bad = stream_of({bad, good});  // which only the delta finds
    CHECK(test::error_of([&] { (void)read(of_bad, where, on); }).find("its offset 1 is 100") != std::string::npos);
    DeviceReader reader;
    (void)given(reader, stream[0], where, on);
    CHECK(test::error_of([&] { (void)given(reader, stream[2], where, on); }) ==
          "dictionary 0 has a delta, but no message before it");
  }
  auto const stream = stream_of(three_words()), compressed = stream_of(three_words(), 1);
  DeviceReader reader;
  (void)given(reader, stream[0], Body::on_device, on);
  (void)given(reader, stream[1], Body::on_device, on);
  auto const there = std::make_shared<DeviceBuffer>(stream[2].view().size, on);
  crossing<space::Device, space::Host>::copy(stream[2].view(), there->span(), on);
  CHECK(test::error_of([&] { (void)reader.read(stream[2].head(), there->view(), there); }) ==
        "dictionary 0 has a delta, which needs a queue of the device: expected read<DeviceBuffer>(header, body, owner, "
        "queue)");
  CHECK(test::error_of([&] { (void)given(reader, compressed[2], Body::on_device, on); })
            .starts_with("the batch is compressed by ZSTD in a device's memory"));
  // Refused messages change nothing.
  (void)given(reader, stream[2], Body::on_device, on);
  (void)given(reader, stream[3], Body::on_device, on);
  CHECK(content(given(reader, stream[4], Body::on_device, on).value(), on) == content(read(stream)));
}

TEST_CASE("Arrow: on a device, dictionaries of lists of codes grow while that of the codes stays") {
  auto const inner = words("", {0, 1, 3}, "abb");
  auto const outer = [&](std::vector<std::int8_t> const& indices, HostTable const& of) {  // each in a list of its own
    auto codes = column("", "c", indices.size(), indices);
    codes.dictionary.push_back(of);
    return indices.size() == 1 ? lists({0, 1}, codes) : lists({0, 1, 2}, codes);
  };
  // The messages of `outer` are its inner dictionary, itself, and the row.
  auto const first = arrow_c::batch_messages(test::coded(outer({1, 0}, inner), 3));
  auto const second = arrow_c::batch_messages(test::coded(outer({1}, inner), 1));
  auto const out_of_range = arrow_c::batch_messages(test::coded(outer({2}, inner), 1));
  auto const schema = test::sent(arrow_c::schema_message(test::coded(outer({1, 0}, inner), 1)));
  auto const whole = [](auto const& message) { return test::squeezed(message, {}, nullptr); };
  auto const delta = [](auto const& message) { return test::squeezed(message, {.is_delta = true}, nullptr); };
  Stream const good{schema, whole(first[0]), whole(first[1]), delta(second[1]), whole(first[2])};
  Stream const bad{schema, whole(first[0]), whole(first[1]), delta(out_of_range[1]), whole(first[2])};
  Stream const changed{schema, whole(first[0]), whole(first[1]), delta(first[0]), delta(second[1]), whole(first[2])};
  DeviceQueue on{HostQueue{}};
  for (auto const where : {Body::in_host_memory, Body::on_device}) {
    CHECK(content(read(good, where, on), on) == content(read(good)));
    auto const check = [&](Stream const& stream, char const* message) {
      auto const on_device = test::error_of([&] { (void)read(stream, where, on); });
      CHECK(on_device.find(message) != std::string::npos);
      CHECK(on_device == test::error_of([&] { (void)read(stream); }));
    };
    check(bad, "an index into a dictionary of 2");
    check(changed, "its own dictionary changed before the delta of the one around it");
  }
}

TEST_CASE("Arrow: the k-th call of reading deltas on a device fails, and their memory is released") {
  auto const stream = stream_of(three_words());
  for (auto const where : {Body::in_host_memory, Body::on_device})
    for (std::size_t k = 0;; ++k) {
      CAPTURE(k);
      emulation::seed(15);
      bool has_failed = false;
      {
        DeviceQueue on{HostQueue{}};
        DeviceReader reader;
        emulation::fail(k);
        try {
          for (auto const& one : stream) (void)given(reader, one, where, on);
        } catch (Error const&) {
          CHECK(emulation::has_failed());
        }
        has_failed = emulation::has_failed();
        emulation::fail_nothing();
        on.wait();
        // From the whole dictionary on, the reader goes on as if nothing had failed.
        std::optional<DeviceTable> table;
        for (std::size_t i = 1; i < stream.size(); ++i) table = given(reader, stream[i], where, on);
        CHECK(content(table.value(), on) == content(read(stream)));
      }
      test::check_nothing_left();
      if (!has_failed) {
        CHECK(k > 8);
        break;
      }
    }
}

TEST_CASE("Arrow: on a device, damaged messages with deltas are errors, or tables") {
  std::uint64_t const seed = 2711;
  CAPTURE(seed);
  test::Random random{seed};
  auto const sound = stream_of(three_words());
  int errors = 0, tables = 0;
  {
    DeviceQueue on{HostQueue{}};
    for (int round = 0; round < 600; ++round) {
      auto stream = sound;
      auto& one = stream[random(1, 3)];  // a dictionary
      if (round % 2 == 0)
        test::flip_bits(reinterpret_cast<std::byte*>(one.body.data()), 8 * one.body.size(), random);
      else
        test::flip_bits(one.header.data(), one.header.size(), random);
      auto const where = round % 4 < 2 ? Body::in_host_memory : Body::on_device;
      try {
        DeviceReader reader{1 << 20};
        for (auto const& message : stream) (void)given(reader, message, where, on);
        ++tables;
      } catch (ExchangeError const&) {
        ++errors;
      }
      on.wait();
    }
  }
  CHECK(errors + tables == 600);
  CHECK((errors > 100 && tables > 100));
  test::check_nothing_left();
}

}  // namespace arrow_device_delta_tests
