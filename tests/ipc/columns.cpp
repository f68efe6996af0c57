// Columns of tables between processes: types, masks, slices, strings, lists and structs.
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <ipc/process.hpp>
#include <ipc/published.hpp>
#include <ipc/schema.hpp>
#include <support/refused.hpp>
#include <tessera/ipc/attached_column.hpp>
#include <tessera/ipc/parted_table.hpp>
#include <tessera/ipc/producer.hpp>
#include <tessera/ipc/published_column.hpp>

using namespace tessera;
using ipc::PublishedColumn;
using test::published;

namespace columns_tests {

using Bytes = std::vector<std::uint8_t>;

PublishedColumn table(ipc::Producer& producer) {
  std::vector<PublishedColumn> fields;
  fields.push_back(PublishedColumn::values(published<float>(producer, {1, 2, 3, 4}))
                       .masked(published<std::uint8_t>(producer, {0b1101}), ipc::Mask::Kind::bits, 1)
                       .named("weight"));
  std::string const text = "onetwothree";
  fields.push_back(PublishedColumn::strings(published<std::int32_t>(producer, {0, 3, 6, 6, 11}),
                                            published<std::uint8_t>(producer, Bytes(text.begin(), text.end())))
                       .masked(published<std::uint8_t>(producer, {1, 1, 0, 1}), ipc::Mask::Kind::bytes, 1)
                       .named("word"));
  fields.push_back(
      PublishedColumn::times(published<std::int64_t>(producer, {10, 20, 30, 40}), "datetime64", "ns").named("when"));
  fields.push_back(PublishedColumn::lists(published<std::int64_t>(producer, {0, 2, 2, 3, 5}),
                                          PublishedColumn::values(published<std::int16_t>(producer, {7, 8, 9, 10, 11})))
                       .named("parts"));
  return PublishedColumn::structure(std::move(fields)).named("row");
}

TEST_CASE("child: table of columns" * doctest::skip()) {
  auto const tell = test::Process::mine();
  ipc::Producer producer;
  auto const column = table(producer);
  tell.put(column.json());
  tell.get();
}

TEST_CASE("a table of columns of another process, with nulls, strings, times and lists") {
  auto producer = test::Process::running("child: table of columns");
  auto const row = ipc::parse_column_descriptor(producer->get());
  CHECK(ipc::parse_column_descriptor(ipc::to_json(row, ipc::Octets::list)) == row);
  ipc::Consumer consumer;
  auto const attached = ipc::attach(consumer, row);
  auto const& fields = attached.children();
  REQUIRE(fields.size() == 4);
  CHECK(attached.size() == 4);
  CHECK(fields[0].values<float>()(2) == 3);
  CHECK((fields[0].is_valid(0) && !fields[0].is_valid(1) && fields[0].is_valid(3)));
  CHECK(fields[1].string(1) == "two");
  CHECK(fields[1].string(3) == "three");
  CHECK(!fields[1].is_valid(2));
  CHECK(fields[2].descriptor().schema == "tsn:");
  CHECK(fields[2].descriptor().logical == "datetime64[ns]");
  CHECK(fields[2].values<std::int64_t>()(3) == 40);
  CHECK(fields[3].range(3) == std::pair<std::uint64_t, std::uint64_t>{3, 5});
  CHECK(fields[3].children()[0].values<std::int16_t>()(4) == 11);

  // A slice has the whole mask, and its offset in it.
  auto const part = row.children[0].slice(1, 2);
  CHECK(part.mask == row.children[0].mask);
  CHECK((part.offset == 1 && part.length == 2 && part.null_count == -1));
  auto const sliced = ipc::attach(consumer, part);
  CHECK(sliced.values<float>()(0) == 2);
  CHECK((!sliced.is_valid(0) && sliced.is_valid(1)));
  CHECK(ipc::attach(consumer, row.children[1].slice(3, 1)).string(0) == "three");
  CHECK_THROWS_AS((void)part.slice(1, 2), SelectionError);
  CHECK_THROWS_AS((void)sliced.is_valid(2), SelectionError);
}

TEST_CASE("a table in parts of two producers: JSON, slices, attached part by part") {
  ipc::Producer first, second;
  auto const one = table(first), two = table(second);
  ipc::PartedTable const whole{{one.descriptor(), two.descriptor().slice(1, 3), one.descriptor().slice(0, 0)}};
  CHECK(whole.length() == 7);
  CHECK(whole.device(1).empty());
  for (auto octets : {ipc::Octets::base64, ipc::Octets::list})
    CHECK(ipc::parse_parted_table(ipc::to_json(whole, octets)) == whole);
  auto const schema = test::ipc_schema();
  CHECK(test::fits(ipc::to_value(whole), schema, schema));

  auto const middle = whole.slice(3, 2);  // the last row of the first part, and the first of the second
  REQUIRE(middle.parts.size() == 2);
  CHECK((middle.parts[0].offset == 3 && middle.parts[1].offset == 1 && middle.length() == 2));
  CHECK(whole.slice(7, 0).parts.empty());
  CHECK(whole.slice(0, 7).parts.size() == 2);  // the part without rows is left out
  CHECK_THROWS_AS((void)whole.slice(6, 2), SelectionError);
  CHECK_THROWS_AS((void)whole.slice(8, 0), SelectionError);

  ipc::Consumer consumer;
  std::vector<std::size_t> asked;
  auto const attached = ipc::attach_parts<space::Host>(whole, [&](ipc::Descriptor const& buffer, std::size_t part) {
    if (asked.empty() || asked.back() != part) asked.push_back(part);
    return consumer.attach(buffer);
  });
  REQUIRE(attached.size() == 3);
  CHECK(asked == std::vector<std::size_t>{0, 1, 2});
  CHECK(attached[0].children()[1].string(3) == "three");
  CHECK(attached[1].size() == 3);
}

TEST_CASE("parts of a table that do not fit together are refused") {
  ipc::Producer producer;
  auto const column = table(producer);
  auto const refused = [&](auto change) {
    ipc::PartedTable parted{{column.descriptor(), column.descriptor()}};
    change(parted.parts[1]);
    return test::error_of([&] { (void)ipc::parse_parted_table(ipc::to_json(parted)); });
  };
  using Row = ipc::ColumnDescriptor&;
  CHECK(refused([](Row) {}) == "nothing was thrown");
  auto const differs = "part 1 of the table has other names or types than part 0";
  CHECK(refused([](Row row) { row.name = "line"; }) == differs);
  CHECK(refused([](Row row) { row.children[0].name = "mass"; }) == differs);
  CHECK(refused([](Row row) { row.children.pop_back(); }) == differs);
  CHECK(refused([](Row row) { row.children[2].data->memory.device = "GPU-1"; }) ==
        "part 1 of the table has memory of \"\" and of \"GPU-1\", expected one device for each part");
  CHECK(refused([](Row row) { row.children[0].data.reset(); }).find("does not match its schema") != std::string::npos);
  ipc::PartedTable endless;
  endless.parts.assign(2, {.schema = "n", .length = ~std::uint64_t{0} >> 1});
  CHECK(endless.length() == ~std::uint64_t{0} - 1);
  endless.parts.push_back(endless.parts[0]);
  CHECK_THROWS_AS((void)endless.length(), ipc::IpcError);
}

TEST_CASE("descriptors are what the schema of docs/ipc.md says") {
  auto const schema = test::ipc_schema();
  ipc::Producer producer;
  auto const row = table(producer);
  auto array = *row.descriptor().children[0].data;
  array.memory.kind = "cuda-ipc", array.memory.device = "GPU-0";
  array.memory.handle = array.memory.event = std::vector<std::byte>(64, std::byte{7});
  for (auto octets : {ipc::Octets::base64, ipc::Octets::list}) {
    CHECK(test::fits(ipc::to_value(row.descriptor(), octets), schema, schema));
    auto const value = ipc::to_value(array, octets);
    CHECK(test::fits(value, schema, schema));
    // The schema requires the members that the reader needs, and forbids those that it does not know.
    auto const both_refuse = [&](Value const& changed) {
      CHECK(!test::fits(changed, schema, schema));
      CHECK_THROWS_AS(ipc::read_descriptor(changed), Error);
    };
    for (auto const& member : *value.get_if<Members>()) {
      auto less = *value.get_if<Members>();
      std::erase_if(less, [&](auto const& one) { return one.name == member.name; });
      both_refuse(less);
      auto other = value;
      other[member.name] = true;
      both_refuse(other);
    }
    auto more = value;
    more["more"] = 1;
    both_refuse(more);
  }
}

TEST_CASE("every number, bool and time has its schema of Arrow's") {
  ipc::Producer producer;
  ipc::Consumer consumer;
  auto const schema = [&]<class T>(T) {
    auto const column = PublishedColumn::values(published<T>(producer, {T{}, T{}}));
    CHECK(ipc::attach(consumer, column.descriptor()).template values<T>().shape[0] == 2);
    return column.descriptor().schema;
  };
  CHECK(schema(std::int8_t{}) == "c");
  CHECK(schema(std::uint8_t{}) == "C");
  CHECK(schema(std::int16_t{}) == "s");
  CHECK(schema(std::uint16_t{}) == "S");
  CHECK(schema(std::int32_t{}) == "i");
  CHECK(schema(std::uint32_t{}) == "I");
  CHECK(schema(std::int64_t{}) == "l");
  CHECK(schema(std::uint64_t{}) == "L");
  CHECK(schema(float16_bits{}) == "e");
  CHECK(schema(float{}) == "f");
  CHECK(schema(double{}) == "g");
  CHECK(schema(std::array<std::byte, 12>{}) == "w:12");
  auto halves = producer.publish(SharedBuffer{8}, {DataKind::floating, 2, NumberFormat::bfloat16}, {4});
  CHECK_THROWS_WITH_AS(PublishedColumn::values(std::move(halves)), "Arrow has no schema for values of bfloat16",
                       ipc::IpcError);
  bool const yes[] = {true, false};
  auto const bools = PublishedColumn::values(producer.publish(ArrayView<bool const, 1>::c_order(yes, {2})));
  CHECK(bools.descriptor().schema == "b");
  CHECK(ipc::attach(consumer, bools.descriptor()).values<bool>()(0));
  auto packed = bools.descriptor();
  auto const byte = published<std::uint8_t>(producer, {0b01});
  packed.data = byte.descriptor();
  auto const bits = ipc::attach(consumer, packed);
  CHECK(bits.data()->view<std::uint8_t const, 1>()(0) == 1);
  CHECK_THROWS_WITH_AS(bits.values<std::uint8_t>(),
                       "column \"\" of schema \"b\": its values are bits, eight to a byte of data()", ipc::IpcError);
  auto const times = [&](char const* kind, char const* unit) {
    return PublishedColumn::times(published<std::int64_t>(producer, {1}), kind, unit).descriptor();
  };
  CHECK(times("datetime64", "s").schema == "tss:");
  CHECK(times("timedelta64", "us").schema == "tDu");
  CHECK((times("datetime64", "D").schema == "l" && times("datetime64", "D").logical == "datetime64[D]"));
}

TEST_CASE("a kind of time that NumPy does not have is refused") {
  ipc::Producer producer;
  CHECK(test::error_of([&] {
          (void)PublishedColumn::times(published<std::int64_t>(producer, {1}), "datetime", "ns");
        }) == "\"datetime\" is not a kind of time, expected datetime64 or timedelta64");
}

TEST_CASE("columns that contradict themselves are refused") {
  ipc::Producer producer;
  ipc::Consumer consumer;
  auto const column = table(producer);
  auto const refused = [&](auto change) {
    auto row = column.descriptor();
    change(row);
    return test::error_of([&] {
      auto const read = ipc::parse_column_descriptor(ipc::to_json(row));
      (void)ipc::attach(consumer, read).children()[1].string(3);
    });
  };
  using Row = ipc::ColumnDescriptor&;
  auto const numbers = std::string{"column \"weight\" of schema \"f\": "};
  CHECK(refused([](Row) {}) == "nothing was thrown");
  CHECK(refused([](Row row) { row.children[0].length = 5; }) == numbers + "it has 4 values, expected 5");
  CHECK(refused([](Row row) { row.children[0].offset = ~std::uint64_t{0}; }) ==
        numbers + "its length exceeds the address space");
  CHECK(refused([](Row row) { row.children[0].data.reset(); }) == numbers + "its data does not match its schema");
  CHECK(refused([](Row row) { row.children[0].mask.reset(); }) == numbers + "it has nulls but no mask");
  CHECK(refused([](Row row) { row.children[0].null_count = 5; }) == numbers + "its null count is invalid");
  CHECK(refused([](Row row) { row.children[0].mask->buffer.shape[0] = 0; }) ==
        numbers + "it has 0 bytes of a mask, expected 1");
  CHECK(refused([](Row row) { row.children[0].schema = "g"; }) ==
        "column \"weight\" of schema \"g\": its values are float32");
  CHECK(refused([](Row row) { row.children[0].schema = "q"; }) ==
        "column \"weight\" of schema \"q\": the schema is unknown");
  CHECK(refused([](Row row) { row.children[3].children.clear(); }) ==
        "column \"parts\" of schema \"+L\": a list must have exactly one child column");
  CHECK(refused([](Row row) { row.length = 5; }) == numbers + "it is shorter than the struct around it");
  CHECK(refused([](Row row) {
          for (int i = 0; i < 20; ++i) row.children = {row};
        }).find("columns nested in at most 16 levels") != std::string::npos);
  CHECK(refused([](Row row) { row.children.assign(5000, row.children[2]); }) ==
        "column \"when\" of schema \"tsn:\": there are more than 4096 columns");
  CHECK(refused([](Row row) { row.children[1].data->shape[0] = 9; }) ==
        "column \"word\" of schema \"u\": its offsets of element 3 are not a range within 0 to 9");
  CHECK(refused([](Row row) { row.children[1].data->strides[0] = 0; }) ==
        "column \"word\" of schema \"u\": its characters are not contiguous in one dimension");
}

// A consumer reads elements offset to offset + length - 1 of another process's buffers: each must be that long.
TEST_CASE("what belongs to a slice's last element is checked, not what belongs to its length") {
  ipc::Producer producer;
  ipc::Consumer consumer;
  auto const masked = [&](ipc::Mask::Kind kind, std::vector<std::uint8_t> const& mask) {
    return PublishedColumn::values(published<float>(producer, std::vector<float>(12)))
        .masked(published(producer, mask), kind, 0)
        .named("slice");
  };
  auto const refused = [&](ipc::ColumnDescriptor column, std::uint64_t offset, std::uint64_t length) {
    column.offset = offset, column.length = length;
    return test::error_of([&] { (void)ipc::attach(consumer, column); });
  };
  auto const slice = std::string{"column \"slice\" of schema \"f\": "};

  auto const in_bits = masked(ipc::Mask::Kind::bits, {0xff, 0xff});
  auto bits = in_bits.descriptor();
  CHECK(refused(bits, 9, 4) == slice + "it has 12 values, expected 13");
  CHECK(refused(bits, 8, 4) == "nothing was thrown");
  bits.mask->buffer.shape[0] = 1;  // of elements 0 to 7
  CHECK(refused(bits, 4, 4) == "nothing was thrown");
  CHECK(refused(bits, 4, 5) == slice + "it has 1 bytes of a mask, expected 2");
  CHECK(refused(bits, 8, 4) == slice + "it has 1 bytes of a mask, expected 2");

  auto const in_bytes = masked(ipc::Mask::Kind::bytes, std::vector<std::uint8_t>(12, 1));
  auto bytes = in_bytes.descriptor();
  bytes.mask->buffer.shape[0] = 6;
  CHECK(refused(bytes, 2, 4) == "nothing was thrown");
  CHECK(refused(bytes, 3, 4) == slice + "it has 6 bytes of a mask, expected 7");

  auto const row = table(producer);  // of four elements, as each column in it
  CHECK(refused(row.descriptor(), 1, 3) == "nothing was thrown");
  CHECK(refused(row.descriptor(), 1, 4) ==
        "column \"weight\" of schema \"f\": it is shorter than the struct around it");
  auto words = row.descriptor().children[1];  // of five offsets
  words.mask.reset(), words.null_count = 0;
  CHECK(refused(words, 1, 3) == "nothing was thrown");
  CHECK(refused(words, 1, 4) == "column \"word\" of schema \"u\": it has 5 offsets, expected 6");
}

TEST_CASE("an element beyond a slice has no range and no text, though the buffers go on") {
  ipc::Producer producer;
  ipc::Consumer consumer;
  auto const row = table(producer);
  auto const words = ipc::attach(consumer, row.descriptor().children[1]);
  CHECK(words.string(3) == "three");
  auto const column = std::string{"column \"word\" of schema \"u\": "};
  CHECK(test::error_of([&] { (void)words.range(4); }) == column + "it has no offsets for element 4");
  auto const part = ipc::attach(consumer, row.descriptor().children[1].slice(0, 2));
  CHECK(part.string(1) == "two");
  CHECK(test::error_of([&] { (void)part.range(2); }) == column + "it has no offsets for element 2");
  CHECK_THROWS_AS((void)part.string(3), ipc::IpcError);
  auto const numbers = ipc::attach(consumer, row.descriptor().children[0]);
  CHECK_THROWS_AS((void)numbers.range(0), ipc::IpcError);
}

}  // namespace columns_tests
