// Tables as messages of Arrow's IPC format: in place, and refused where they are damaged. pyarrow's: tests/python.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <arrow/flip_bits.hpp>
#include <support/random.hpp>
#include <support/refused.hpp>
#include <tessera/with/arrow/messages.hpp>

using namespace tessera;

namespace arrow_message_tests {

using Host = space::Host;
using Table = arrow_c::Column<Host>;

using Bytes = std::vector<std::byte>;

template <class T>
Table column(char const* name, char const* format, std::uint64_t length, std::vector<T> const& elements) {
  auto const memory = std::make_shared<std::vector<T>>(elements);
  return {.format = format, .name = name, .length = length, .buffers = {nullptr, memory->data()}, .owner = memory};
}
Table words(char const* name, std::vector<std::int32_t> const& offsets, std::string const& text) {
  auto made = column(name, "u", offsets.size() - 1, offsets);
  auto const both = std::make_shared<std::pair<std::shared_ptr<void const>, std::string>>(made.owner, text);
  made.buffers.push_back(both->second.data()), made.owner = both;
  return made;
}
Table table_of(std::vector<Table> columns) {
  Table table{.format = "+s", .length = columns.front().length, .buffers = {nullptr}};
  table.children = std::move(columns);
  return table;
}
Table usual() {
  auto codes = column("codes", "c", 3, std::vector<std::int8_t>{1, 0, 1});
  codes.dictionary.push_back(words("", {0, 1, 3}, "abb"));
  auto lists = column("lists", "+l", 3, std::vector<std::int32_t>{0, 2, 2, 3});
  lists.children.push_back(column("item", "s", 3, std::vector<std::int16_t>{7, 8, 9}));
  return table_of({column("numbers", "l", 3, std::vector<std::int64_t>{1, 2, 3}), words("words", {0, 1, 1, 4}, "abcd"),
                   std::move(codes), std::move(lists)});
}

// A header, and a body that is aligned.
struct Sent {
  Bytes header;
  std::vector<std::uint64_t> body;
  ByteView<Host> head() const { return {header.data(), header.size()}; }
  ByteView<Host> view() const { return {reinterpret_cast<std::byte const*>(body.data()), 8 * body.size()}; }
};
Sent sent(arrow_c::Message<Host> const& message) {
  Sent result{message.header, std::vector<std::uint64_t>(message.body_size / 8)};
  arrow_c::put_body(message, {reinterpret_cast<std::byte*>(result.body.data()), 8 * result.body.size()});
  return result;
}
std::vector<Sent> stream_of(Table const& table) {
  std::vector<Sent> result{sent(arrow_c::schema_message(table))};
  for (auto const& message : arrow_c::batch_messages(table)) result.push_back(sent(message));
  return result;
}
Table read(std::vector<Sent> const& stream) {
  arrow_c::MessageReader<Host> reader;
  std::optional<Table> table;
  for (auto const& one : stream) table = reader.read(one.head(), one.view(), nullptr);
  return table.value();
}
std::string refused(Table const& table) {
  return test::error_of([&] { (void)read(stream_of(table)); });
}

// All bytes that a column's numbers, offsets and indices lead to.
std::uint64_t sum_of(Table const& from) {
  auto const shape = tessera::detail::arrow_shape(from.format).value();
  auto const end = from.offset + from.length;
  std::uint64_t sum = 0;
  auto const add = [&](void const* bytes, std::uint64_t size) {
    for (std::uint64_t i = 0; i < size; ++i) sum += static_cast<std::uint8_t const*>(bytes)[i];
  };
  if (from.buffers.size() > 0 && from.buffers[0]) add(from.buffers[0], (end + 7) / 8);
  if (shape.offsets == 0 && shape.data.size != 0)
    add(from.buffers[1], shape.is_bool ? (end + 7) / 8 : end * shape.data.size);
  if (shape.offsets == 4 && end != 0) {
    std::int32_t last = 0;
    std::memcpy(&last, static_cast<std::byte const*>(from.buffers[1]) + 4 * end, 4);
    if (shape.has_children)
      CHECK(static_cast<std::uint64_t>(last) <= from.children[0].length);
    else
      add(from.buffers[2], static_cast<std::uint64_t>(last));
  }
  for (auto const& child : from.children) sum += sum_of(child);
  for (auto const& dictionary : from.dictionary) sum += sum_of(dictionary);
  return sum;
}

TEST_CASE("Arrow: messages of a table have its own memory as bodies, and are read in place") {
  auto const table = usual();
  auto const messages = arrow_c::batch_messages(table);
  REQUIRE(messages.size() == 2);  // the dictionary and the rows
  CHECK(messages[0].body[1].bytes.data == table.children[2].dictionary[0].buffers[2]);
  CHECK(messages[1].body[0].bytes.data == table.children[0].buffers[1]);
  CHECK(messages[1].body[2].bytes.size == 4);
  auto const schema = arrow_c::schema_message(table);
  CHECK((schema.header.size() % 8 == 0 && messages[1].header.size() % 8 == 0 && messages[1].body_size % 64 == 0));
  CHECK((schema.body_size == 0 && arrow_c::body_size({schema.header.data(), schema.header.size()}) == 0));
  CHECK(arrow_c::body_size({messages[1].header.data(), messages[1].header.size()}) == messages[1].body_size);

  auto const owner = std::make_shared<int>(0);
  auto const stream = stream_of(table);
  {
    arrow_c::MessageReader<Host> reader;
    CHECK(!reader.read(stream[0].head(), stream[0].view(), owner));
    CHECK(!reader.read(stream[1].head(), stream[1].view(), owner));
    auto const found = reader.read(stream[2].head(), stream[2].view(), owner).value();
    CHECK((found.format == "+s" && found.length == 3 && found.children.size() == 4));
    CHECK(found.children[0].buffers[1] == stream[2].body.data());
    CHECK(arrow_c::values<std::int64_t>(found.children[0])(2) == 3);
    CHECK((found.children[2].format == "c" && found.children[2].dictionary[0].format == "u"));
    CHECK(arrow_c::values<std::int16_t>(found.children[3].children[0])(2) == 9);
    CHECK(sum_of(found) == sum_of(table));
    CHECK(owner.use_count() > 1);
  }
  CHECK(owner.use_count() == 1);
}

TEST_CASE("Arrow: a message keeps the memory of its columns") {
  auto table = usual();
  std::vector<std::weak_ptr<void const>> owners;
  for (auto const& one : table.children) owners.push_back(one.owner);
  owners.push_back(table.children[3].children[0].owner);
  auto messages = arrow_c::batch_messages(table);
  table = {};
  for (auto const& one : owners) CHECK(!one.expired());
  messages.clear();
  for (auto const& one : owners) CHECK(one.expired());
}

TEST_CASE("Arrow: what no message can say is refused") {
  CHECK(test::error_of([] { (void)arrow_c::schema_message(words("w", {0}, "")); }) ==
        "array \"w\" of format \"u\": expected a table, a struct of format \"+s\"");
  auto table = usual();
  std::uint8_t const mask = 0b101;
  table.buffers[0] = &mask, table.null_count = 1;
  CHECK(refused(table) == "array \"\" of format \"+s\": rows may be null, which a table cannot say");
  table = usual();
  table.children[0].buffers[1] = nullptr;
  CHECK(refused(table) == "array \"numbers\" of format \"l\": it has elements but no memory");
  table = usual();
  table.children[0].format = "vu";
  CHECK(refused(table) == "array \"numbers\" of format \"vu\": the library does not have Arrow's type string_view");
  table = usual();
  table.children[2].dictionary[0].dictionary.push_back(words("", {0}, ""));
  CHECK(refused(table) == "array \"codes\" of format \"c\": its dictionary has a dictionary, which Arrow's IPC format "
                          "cannot say");
}

TEST_CASE("Arrow: offsets and indices of a message that lead outside are refused") {
  auto const text = [](std::vector<std::int32_t> const& offsets) {
    return refused(table_of({words("w", offsets, "abcd")}));
  };
  auto const array = std::string{"array \"w\" of format \"u\": "};
  CHECK(text({0, 2, 4}) == "nothing was thrown");
  CHECK(text({0, 3, 2, 4}) == array + "its offset 2 is 2, expected 3 to 4");
  CHECK(text({-1, 3, 4}) == array + "its offset 0 is -1, expected 0 to 4");
  CHECK(text({0, 5, 4}) == array + "its offset 1 is 5, expected 0 to 4");
  auto const coded = [](auto format, auto const& codes) {
    auto indices = column("c", format, codes.size(), codes);
    indices.dictionary.push_back(words("", {0, 1, 3}, "abb"));
    return refused(table_of({indices}));
  };
  CHECK(coded("C", std::vector<std::uint8_t>{1, 2}) ==
        "array \"c\" of format \"C\": its element 1 is an index into a dictionary of 2");
  CHECK(coded("s", std::vector<std::int16_t>{1, -1}) ==
        "array \"c\" of format \"s\": its element 1 is a negative index into a dictionary of 2");
  auto lists = column("l", "+l", 1, std::vector<std::int32_t>{0, 4});
  lists.children.push_back(column("item", "s", 3, std::vector<std::int16_t>{7, 8, 9}));
  CHECK(refused(table_of({lists})) == "array \"l\" of format \"+l\": its offset 1 is 4, expected 0 to 3");
}

TEST_CASE("Arrow: messages in another order, twice, cut short or not aligned are refused") {
  auto const stream = stream_of(usual());
  auto const reading = [&](std::vector<std::size_t> const& order) {
    return test::error_of([&] {
      std::vector<Sent> messages;
      for (auto i : order) messages.push_back(stream[i]);
      (void)read(messages);
    });
  };
  CHECK(reading({0, 1, 2}) == "nothing was thrown");
  CHECK(reading({0, 1, 2, 2}) == "nothing was thrown");
  CHECK(reading({2}) == "there is no schema before the batch");
  CHECK(reading({0, 0}) == "there is a second schema, expected a batch");
  CHECK(reading({0, 2}) == "array \"codes\" of format \"c\": there was no message with dictionary 0");
  CHECK(reading({0, 1, 1, 2}) == "nothing was thrown");
  arrow_c::MessageReader<Host> reader;
  (void)reader.read(stream[0].head(), {}, nullptr);
  auto const body = stream[1].view();
  auto const size = std::to_string(arrow_c::body_size(stream[1].head()));
  CHECK(test::error_of([&] { (void)reader.read(stream[1].head(), body.sub(0, body.size - 1), nullptr); }) ==
        "the body has " + std::to_string(body.size - 1) + " bytes, expected " + size + ", aligned to 8 bytes");
  std::vector<std::uint64_t> moved(stream[1].body.size() + 1);
  ByteView<Host> const beside{reinterpret_cast<std::byte const*>(moved.data()) + 4, body.size};
  CHECK(test::error_of([&] { (void)reader.read(stream[1].head(), beside, nullptr); }) ==
        "the body has " + size + " bytes, expected " + size + ", aligned to 8 bytes");
  CHECK(test::error_of([&] { (void)arrow_c::body_size(stream[1].head().sub(0, 7)); }) ==
        "the header has 7 bytes, expected 8 or more");
}

TEST_CASE("Arrow: columns nested too deeply, and dictionaries of dictionaries with too many columns, are refused") {
  auto deep = column("", "c", 1, std::vector<std::int8_t>{1});
  for (int i = 0; i < 17; ++i) {
    Table lists{.format = "+w:1", .length = 1, .buffers = {nullptr}};
    lists.children.push_back(std::move(deep));
    deep = std::move(lists);
  }
  CHECK(refused(table_of({deep})) == "the schema has more than 4096 columns, or nests them in more than 16 levels");

  // All columns of a schema may share the bytes of one name, which each of them would copy.
  auto const long_name = [](std::size_t size) {
    return refused(table_of({column(std::string(size, 'n').c_str(), "c", 1, std::vector<std::int8_t>{1})}));
  };
  CHECK(long_name(16384) == "nothing was thrown");
  CHECK(long_name(16385) == "the schema has a name or a time zone of 16385 bytes, expected at most 16384");
  auto const moments = column("", ("tss:" + std::string(16385, 'z')).c_str(), 1, std::vector<std::int64_t>{1});
  CHECK(refused(table_of({moments})).find("time zone of 16385 bytes") != std::string::npos);

  // Each level is a dictionary of structs of ten columns with the dictionary of the level before. Three have 1000 and
  // more columns, four would have 10'000.
  auto const levels = [](int count) {
    auto level = words("", {0, 1}, "a");
    for (int i = 0; i < count; ++i) {
      auto codes = column("", "c", 1, std::vector<std::int8_t>{0});
      codes.dictionary.push_back(level);
      level = {.format = "+s", .length = 1, .buffers = {nullptr}};
      level.children.assign(10, codes);
    }
    return refused(level);
  };
  CHECK(levels(2) == "nothing was thrown");
  CHECK(levels(4).find("4096") != std::string::npos);
}

// A schema of columns with the dictionaries `count` to 1. Each is of structs of one column with the dictionary of the
// next number, which is one of text in its own column.
Bytes schema_of_chain(std::int64_t count) {
  using namespace arrow_c::detail;
  tessera::detail::FlatWriter flat;
  auto const message = message_table(flat, flat_schema, 0), schema = flat.table({{0, 2}, {1, 4}});
  flat.link(flat.place(message, 2), schema);
  auto const columns = flat.references(static_cast<std::size_t>(count));
  flat.link(flat.place(schema, 1), columns);
  auto const write = [&](std::size_t reference, std::int64_t number, FlatKind kind, std::size_t children) {
    auto const field = flat.table({{0, 4}, {2, 1, kind}, {3, 4}, {4, 4}, {5, 4}});
    flat.link(reference, field);
    flat.link(flat.place(field, 0), flat.string(""));
    flat.link(flat.place(field, 3), flat.table({}));
    auto const dictionary = flat.table({{0, 8, static_cast<std::uint64_t>(number)}, {1, 4}});
    flat.link(flat.place(field, 4), dictionary);
    flat.link(flat.place(dictionary, 1), flat.table({{0, 4, 8}, {1, 1, 1}}));
    auto const list = flat.references(children);
    flat.link(flat.place(field, 5), list);
    return list;
  };
  for (std::int64_t i = 0; i < count; ++i) {
    auto const at = tessera::detail::FlatWriter::item(columns, static_cast<std::size_t>(i));
    auto const children = write(at, count - i, flat_struct, 1);
    write(tessera::detail::FlatWriter::item(children, 0), count - i + 1, flat_utf8, 0);
  }
  return framed(flat.bytes());
}

TEST_CASE("Arrow: dictionaries that refer to each other more deeply than a schema can be nested are refused") {
  auto const chain = [](std::int64_t count) {
    arrow_c::MessageReader<Host> reader;
    auto const put = [&](Table const& dictionary, std::int64_t number) {
      auto const copy = [](void* to, void const* from, std::size_t size) { std::memcpy(to, from, size); };
      arrow_c::detail::BatchWriter<Host, decltype(copy)> writer{copy};
      auto const one = sent(writer.message({&dictionary}, 0, dictionary.length, number));
      (void)reader.read(one.head(), one.view(), nullptr);
    };
    return test::error_of([&] {
      auto const schema = schema_of_chain(count);
      (void)reader.read({schema.data(), schema.size()}, {}, nullptr);
      put(words("", {0, 1}, "a"), count + 1);
      auto const level = table_of({column("", "c", 1, std::vector<std::int8_t>{0})});
      for (auto number = count; number > 0; --number) put(level, number);
    });
  };
  CHECK(chain(16) == "nothing was thrown");
  CHECK(chain(17) == "array \"\" of format \"c\": its dictionary has more than 32 levels");
  CHECK(chain(2000).find("32 levels") != std::string::npos);
}

TEST_CASE("Arrow: damaged messages are errors, or tables whose memory is that of their bodies") {
  std::uint64_t const seed = 4310;
  CAPTURE(seed);
  test::Random random{seed};
  auto const sound = stream_of(usual());
  int answered = 0, errors = 0;
  for (int round = 0; round < 20'000; ++round) {
    auto stream = sound;
    auto& one = stream[random(0, stream.size() - 1)];
    if (round % 8 == 0)
      one.header.resize(random(0, one.header.size() - 1));
    else if (round % 8 == 1 && !one.body.empty())
      test::flip_bits(reinterpret_cast<std::byte*>(one.body.data()), 8 * one.body.size(), random);
    else
      test::flip_bits(one.header.data(), one.header.size(), random);
    try {
      (void)sum_of(read(stream));
      ++answered;
    } catch (ExchangeError const&) {
      ++answered, ++errors;
    } catch (std::bad_optional_access const&) {  // the last message became a dictionary or a schema
      ++answered;
    }
  }
  CHECK(answered == 20'000);
  CHECK((errors > 5000 && errors < 20'000));
}

}  // namespace arrow_message_tests
