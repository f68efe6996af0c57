// Messages of Arrow's IPC format whose bodies are compressed, and dictionaries that add to earlier ones. Streams of
// pyarrow: tests/python.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <arrow/compressed_message.hpp>
#include <arrow/flip_bits.hpp>
#include <arrow/host_columns.hpp>
#include <support/allocations.hpp>
#include <support/random.hpp>
#include <support/refused.hpp>
#include <tessera/with/arrow/lz4.hpp>
#include <tessera/with/arrow/messages.hpp>
#include <tessera/with/arrow/zstd.hpp>

using namespace tessera;
using test::ArrowBytes, test::SentMessage;

namespace arrow_compressed_tests {

using Host = space::Host;
using Table = arrow_c::Column<Host>;
using Reader = arrow_c::MessageReader<Host, arrow_c::Lz4Frame, arrow_c::Zstd>;

using test::coded, test::column, test::table_of, test::with_nulls, test::words;

// Of 1000 rows, so that buffers become shorter.
Table usual() {
  std::vector<std::int64_t> numbers(1000);
  std::vector<std::int32_t> offsets(1001);
  for (std::size_t i = 0; i < 1000; ++i)
    numbers[i] = static_cast<std::int64_t>(i % 7), offsets[i + 1] = offsets[i] + static_cast<std::int32_t>(i % 3);
  std::string const text(static_cast<std::size_t>(offsets.back()), 'x');
  auto codes = column("codes", "c", 1000, std::vector<std::int8_t>(1000, 1));
  codes.dictionary.push_back(words("", {0, 1, 3}, "abb"));
  return table_of({with_nulls(column("numbers", "l", 1000, numbers), std::vector<std::uint8_t>(125, 0x7f), 125),
                   words("words", offsets, text), std::move(codes), column("nothing", "n", 1000, std::vector<int>{})});
}
std::vector<SentMessage> compressed(Table const& table, int number) {
  std::vector<SentMessage> stream{test::sent(arrow_c::schema_message(table))};
  for (auto const& message : arrow_c::batch_messages(table))
    stream.push_back(test::squeezed(message, {.number = number}, test::squeeze_by(number)));
  return stream;
}
template <class R = Reader>
Table read(std::vector<SentMessage> const& stream, R reader = R{}) {
  std::optional<Table> table;
  for (auto const& one : stream) table = reader.read(one.head(), one.view(), nullptr);
  return std::move(table).value();
}
// What a table says, whatever its memory.
std::vector<std::pair<ArrowBytes, std::vector<std::uint64_t>>> content(Table const& table) {
  std::vector<std::pair<ArrowBytes, std::vector<std::uint64_t>>> all;
  for (auto const& message : arrow_c::batch_messages(table)) {
    auto one = test::sent(message);
    all.emplace_back(std::move(one.header), std::move(one.body));
  }
  return all;
}

TEST_CASE("Arrow: compressed bodies are read into memory that the columns own") {
  auto const table = usual();
  for (int number : {0, 1})
    for (std::size_t const threads : {std::size_t{1}, std::size_t{3}}) {
      CAPTURE(number);
      auto stream = compressed(table, number);
      auto const owner = std::make_shared<int>(0);
      Reader reader{1 << 20, Queue<Host>{threads}};
      std::optional<Table> found;
      for (auto& one : stream) {
        found = reader.read(one.head(), one.view(), owner);
        CHECK(owner.use_count() == 1);
        one.body.assign(one.body.size(), 0);  // nothing is in place
      }
      CHECK(content(found.value()) == content(table));
      CHECK(reinterpret_cast<std::uintptr_t>(found->children[0].buffers[1]) % 64 == 0);
    }
}

// The bytes of all messages' bodies, and whether each buffer begins at a multiple of 64 in ascending order.
std::pair<std::size_t, bool> bodies_of(std::vector<arrow_c::Message<Host>> const& messages) {
  std::size_t size = 0;
  bool in_order = true;
  for (auto const& message : messages) {
    size += message.body_size;
    std::uint64_t end = 0;
    for (auto const& part : message.body) {
      in_order &= part.offset >= end && (part.offset % 64 == 0 || part.offset == end);
      end = part.offset + part.bytes.size;
    }
    in_order &= end <= message.body_size && message.body_size % 64 == 0;
  }
  return {size, in_order};
}
std::vector<SentMessage> stream_of(Table const& table, std::vector<arrow_c::Message<Host>> const& messages) {
  std::vector<SentMessage> stream{test::sent(arrow_c::schema_message(table))};
  for (auto const& message : messages) stream.push_back(test::sent(message));
  return stream;
}

TEST_CASE("Arrow: compressed messages are shorter, and are read as the table that was written") {
  auto const check = [](Table const& table, auto const& by, Queue<Host> on) {
    auto const plain = arrow_c::batch_messages(table), written = arrow_c::batch_messages(table, by, on);
    auto const [size, in_order] = bodies_of(written);
    CHECK(in_order);
    CHECK(size < bodies_of(plain).first);
    CHECK(content(read(stream_of(table, written))) == content(table));
    CHECK(test::error_of([&] { (void)read(stream_of(table, written), arrow_c::MessageReader<Host>{}); })
              .find("the batch is compressed by") != std::string::npos);
  };
  for (std::size_t const threads : {std::size_t{1}, std::size_t{3}}) {
    Queue<Host> const on{threads};
    auto whole = usual(), part = usual();
    part.offset = 3, part.length = 900;  // bits of a slice are copied first
    for (auto const& table : {whole, part}) {
      check(table, arrow_c::Zstd{}, on);
      check(table, arrow_c::Zstd{{.level = 9, .checksum = true}}, on);
      check(table, arrow_c::Lz4Frame{}, on);
      check(table, arrow_c::Lz4Frame{.level = 9}, on);
    }
  }
}

TEST_CASE("Arrow: buffers that compression does not shorten stay the columns' memory, behind -1") {
  test::Random random{5};
  std::vector<std::uint8_t> noise(1000);
  for (auto& one : noise) one = static_cast<std::uint8_t>(random(0, 255));
  auto const bytes = column("noise", "C", 1000, noise);
  auto const table = table_of({bytes, column("none", "C", 0, std::vector<std::uint8_t>{})});
  auto const check_stored = [&](auto const& by) {
    auto const written = arrow_c::batch_messages(table_of({bytes}), by);
    auto const& parts = written.at(0).body;
    CHECK(parts.at(0).bytes.size == 8);
    CHECK(std::vector<std::byte>(parts[0].bytes.data, parts[0].bytes.data + 8) ==
          std::vector<std::byte>(8, std::byte{0xff}));
    CHECK((parts.at(1).bytes.data == bytes.buffers[1] && parts[1].bytes.size == 1000));
    CHECK(content(read(stream_of(table_of({bytes}), written))) == content(table_of({bytes})));
  };
  check_stored(arrow_c::Zstd{});
  check_stored(arrow_c::Lz4Frame{});
  auto nothing = table;
  nothing.length = 0;
  auto const written = arrow_c::batch_messages(nothing, arrow_c::Zstd{});
  CHECK((written.at(0).body.empty() && written[0].body_size == 0));
  CHECK(read(stream_of(nothing, written)).length == 0);
}

TEST_CASE("Arrow: each allocation of compressed messages fails in turn, and the columns' memory is released") {
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    auto table = usual();
    std::weak_ptr<void const> const owner = table.children[0].owner;
    bool has_failed = false;
    {
      Queue<Host> const on{1};
      test::FailingAllocation const failing{k};
      try {
        auto const messages = arrow_c::batch_messages(table, arrow_c::Lz4Frame{}, on);
        CHECK(messages.size() == 2);
      } catch (std::bad_alloc const&) {
      } catch (CodecError const&) {  // liblz4 has no memory
      }
      has_failed = failing.has_failed();
    }
    table = {};
    CHECK(owner.expired());
    if (!has_failed) {
      CHECK(k > 10);
      break;
    }
  }
}

TEST_CASE("Arrow: compressions that the reader does not have, or that are unknown, are refused") {
  auto const table = table_of({column("x", "c", 3, std::vector<std::int8_t>{1, 2, 3})});
  auto const refused = [&]<class R>(R reader, test::Squeezed how) {
    return test::error_of([&] {
      std::vector<SentMessage> stream{test::sent(arrow_c::schema_message(table))};
      stream.push_back(test::squeezed(arrow_c::batch_messages(table)[0], how, test::squeeze_by(how.number)));
      (void)read(stream, std::move(reader));
    });
  };
  CHECK(refused(arrow_c::MessageReader<Host>{}, {.number = 0}) ==
        "the batch is compressed by LZ4_FRAME, expected an uncompressed one, or a MessageReader with arrow_c::Lz4Frame "
        "of tessera/with/arrow/lz4.hpp");
  CHECK(refused(arrow_c::MessageReader<Host, arrow_c::Lz4Frame>{}, {.number = 1}) ==
        "the batch is compressed by ZSTD, expected an uncompressed one, or a MessageReader with arrow_c::Zstd of "
        "tessera/with/arrow/zstd.hpp");
  CHECK(refused(arrow_c::MessageReader<Host, arrow_c::Zstd>{}, {.number = 1}) == "nothing was thrown");
  CHECK(refused(Reader{}, {.number = 2}) ==
        "the batch has compression 2 of method 0, expected 0 (LZ4_FRAME) or 1 (ZSTD) of method 0, buffer by buffer");
  CHECK(refused(Reader{}, {.number = 0, .method = 1}).find("compression 0 of method 1") != std::string::npos);
}

TEST_CASE("Arrow: lengths and frames of compressed buffers that are not true are refused") {
  std::vector<std::int64_t> const elements(100, 7);
  auto table = table_of({column("x", "l", 100, elements)});
  auto const refused = [&](int number, std::uint64_t most, test::SqueezeBuffer const& squeeze) {
    return test::error_of([&] {
      std::vector<SentMessage> stream{test::sent(arrow_c::schema_message(table))};
      stream.push_back(test::squeezed(arrow_c::batch_messages(table)[0], {.number = number}, squeeze));
      (void)read(stream, Reader{most});
    });
  };
  auto const frame_of = [](int number, ArrowBytes const& plain) {
    return number == 0 ? test::lz4_frame(plain) : test::zstd_frame(plain);
  };
  for (int number : {0, 1}) {
    CAPTURE(number);
    std::string const by = number == 0 ? "LZ4_FRAME" : "ZSTD", in = "buffer 1 of the batch, compressed by " + by + ": ";
    auto const said = [&](std::int64_t length) {
      return refused(number, 1 << 20, [&, length](std::size_t, ArrowBytes const& plain) {
        return plain.empty() ? plain : test::behind_length(length, frame_of(number, plain));
      });
    };
    CHECK(said(800) == "nothing was thrown");
    CHECK(said(-2).starts_with(in));
    CHECK(said(-2).find("are said to decompress to -2, expected -1, or 0 to ") != std::string::npos);
    CHECK(said(std::int64_t{1} << 62).find("are said to decompress to 4611686018427387904") != std::string::npos);
    CHECK(said(801).starts_with(in));
    CHECK(said(799).starts_with(in));
    CHECK(said(0) == "array \"x\" of format \"l\": it has 100 elements in a body of 0 bytes");

    auto const bytes = [&](auto change) {
      return refused(number, 1 << 20, [&, change](std::size_t, ArrowBytes const& plain) {
        if (plain.empty()) return plain;
        auto made = test::behind_length(800, frame_of(number, plain));
        change(made);
        return made;
      });
    };
    CHECK(bytes([](ArrowBytes& made) { made.resize(7); }).find("it has 7 bytes at byte 0 of a body of 8, expected 8") !=
          std::string::npos);
    CHECK(bytes([](ArrowBytes& made) { made.resize(8); }).starts_with(in));
    CHECK(bytes([](ArrowBytes& made) { made.pop_back(); }).starts_with(in));
    CHECK(bytes([](ArrowBytes& made) { made.push_back(std::byte{0}); }).starts_with(in));
    CHECK(bytes([](ArrowBytes& made) { made[8] ^= std::byte{1}; }).starts_with(in));
    auto const within = [&](std::uint64_t most) { return refused(number, most, test::squeeze_by(number)); };
    CHECK(within(832) == "nothing was thrown");
    CHECK(within(831) == "the batch, compressed by " + by + ", decompresses to more than 831 bytes, the limit of its "
                         "MessageReader");
    table.children.push_back(table.children[0]);
    CHECK(within(1664) == "nothing was thrown");
    CHECK(within(1663).find("decompresses to more than 1663 bytes") != std::string::npos);
    table.children.pop_back();
  }
}

TEST_CASE("Arrow: damaged compressed messages are errors, or tables") {
  std::uint64_t const seed = 2611;
  CAPTURE(seed);
  test::Random random{seed};
  auto const table = usual();
  for (int number : {0, 1}) {
    auto const sound = compressed(table, number);
    int answered = 0, errors = 0;
    for (int round = 0; round < 3000; ++round) {
      auto stream = sound;
      auto& one = stream[random(0, stream.size() - 1)];
      if (round % 2 == 0 && !one.body.empty())
        test::flip_bits(reinterpret_cast<std::byte*>(one.body.data()), 8 * one.body.size(), random);
      else
        test::flip_bits(one.header.data(), one.header.size(), random);
      try {
        (void)content(read(stream, Reader{1 << 20}));
        ++answered;
      } catch (ExchangeError const&) {
        ++answered, ++errors;
      } catch (std::bad_optional_access const&) {  // the last message became a dictionary or a schema
        ++answered;
      }
    }
    CHECK(answered == 3000);
    CHECK((errors > 500 && errors < 3000));
  }
}

// The dictionary that a reader has after messages with the parts, of which all but the first are deltas.
template <class R = Reader>
Table joined(std::vector<Table> const& parts, R reader = R{}) {
  std::uint64_t length = 0;
  for (auto const& part : parts) length += part.length;
  auto const schema = test::sent(arrow_c::schema_message(coded(parts[0], 1)));
  (void)reader.read(schema.head(), schema.view(), nullptr);
  std::vector<SentMessage> kept;  // which the columns use
  for (auto const& part : parts) {
    auto const messages = arrow_c::batch_messages(coded(part, 1));
    kept.push_back(test::squeezed(messages[messages.size() - 2], {.is_delta = !kept.empty()}, nullptr));
    if (reader.read(kept.back().head(), kept.back().view(), nullptr)) throw StoreError{"a dictionary has rows"};
  }
  auto const rows = test::sent(arrow_c::batch_messages(coded(parts[0], length)).back());
  return reader.read(rows.head(), rows.view(), nullptr).value().children[0].dictionary[0];
}
auto as_table(Table const& column) { return content(table_of({column})); }

TEST_CASE("Arrow: a delta adds to a dictionary, of every kind of element") {
  auto const bytes = [](std::vector<std::uint8_t> const& all) { return column("", "C", all.size(), all); };
  CHECK(as_table(joined({bytes({1, 2}), bytes({3}), bytes({}), bytes({4})})) == as_table(bytes({1, 2, 3, 4})));
  auto const some = with_nulls(bytes({7, 0, 9}), {0b101}, 1);
  CHECK(as_table(joined({bytes({1, 2}), some, some})) ==
        as_table(with_nulls(bytes({1, 2, 7, 0, 9, 7, 0, 9}), {0b10110111}, 2)));
  auto const bools = [](std::uint64_t length, std::uint8_t bits) {
    return column("", "b", length, std::vector<std::uint8_t>{bits, 0});
  };
  CHECK(as_table(joined({bools(3, 0b101), bools(4, 0b0110)})) == as_table(bools(7, 0b0110101)));
  // The first offset of a delta is not 0.
  CHECK(as_table(joined({words("", {0, 1, 3}, "abb"), words("", {2, 2, 5}, "xxcde")})) ==
        as_table(words("", {0, 1, 3, 3, 6}, "abbcde")));
  using Wide = std::int64_t;
  CHECK(as_table(joined({words<Wide>("", {0, 2}, "ab"), words<Wide>("", {0, 1}, "c"),
                         words<Wide>("", {0, 3}, "def")})) == as_table(words<Wide>("", {0, 2, 3, 6}, "abcdef")));
  auto const lists = [](std::vector<std::int32_t> const& offsets, Table const& child) {
    auto made = column("", "+l", offsets.size() - 1, offsets);
    made.children.push_back(child);
    return made;
  };
  CHECK(as_table(joined({lists({0, 2}, words("", {0, 1, 2, 9}, "abignored")),  // the third word is in no list
                         lists({1, 2, 3}, words("", {0, 1, 3, 4}, "xccd"))})) ==
        as_table(lists({0, 2, 3, 4}, words("", {0, 1, 2, 4, 5}, "abccd"))));
  auto const pairs = [](std::uint64_t length, Table const& child) {
    Table made{.format = "+w:2", .length = length, .buffers = {nullptr}};
    made.children.push_back(child);
    return made;
  };
  CHECK(as_table(joined({pairs(1, some), pairs(1, bytes({5, 6}))})) ==  // the third element is in no pair
        as_table(pairs(2, with_nulls(bytes({7, 0, 5, 6}), {0b1101}, 1))));
  CHECK(as_table(joined({with_nulls(table_of({some}), {0b011}, 1), table_of({bytes({1, 2})})})) ==
        as_table(with_nulls(table_of({with_nulls(bytes({7, 0, 9, 1, 2}), {0b11101}, 1)}), {0b11011}, 1)));
  auto const nothing = joined({column("", "n", 3, std::vector<int>{}), column("", "n", 4, std::vector<int>{})});
  CHECK((nothing.length == 7 && nothing.null_count == 7));
}

TEST_CASE("Arrow: tables that were read before a delta or another dictionary keep theirs, and its memory") {
  auto const first = words("", {0, 1, 3}, "abb"), second = words("", {0, 2}, "cc");
  for (bool const is_delta : {true, false}) {
    CAPTURE(is_delta);
    Reader reader;
    auto const feed = [&](arrow_c::Message<Host> const& message, bool adds, std::shared_ptr<void const> owner) {
      auto const one = std::make_shared<SentMessage>(test::squeezed(message, {.is_delta = adds}, nullptr));
      using Both = std::pair<std::shared_ptr<SentMessage const>, std::shared_ptr<void const>>;
      return reader.read(one->head(), one->view(), std::make_shared<Both>(one, std::move(owner)));
    };
    auto const schema = test::sent(arrow_c::schema_message(coded(first, 2)));
    (void)reader.read(schema.head(), schema.view(), nullptr);
    auto const owner = std::make_shared<int>(0);
    auto const messages = arrow_c::batch_messages(coded(first, 1));
    (void)feed(messages[0], false, owner);
    auto table = feed(messages[1], false, nullptr);
    (void)feed(arrow_c::batch_messages(coded(second, 1))[0], is_delta, nullptr);
    CHECK(owner.use_count() > 1);
    CHECK(as_table(table->children[0].dictionary[0]) == as_table(first));
    table.reset();
    CHECK(owner.use_count() == 1);
    auto const later = feed(messages[1], false, nullptr).value();
    CHECK(as_table(later.children[0].dictionary[0]) == as_table(is_delta ? words("", {0, 1, 3, 5}, "abbcc") : second));
  }
}

TEST_CASE("Arrow: deltas without a dictionary, of too many elements, or above the limit are refused") {
  auto const bytes = [](std::size_t count) { return column("", "C", count, std::vector<std::uint8_t>(count, 1)); };
  auto const refused = [](std::vector<Table> const& parts, std::uint64_t most) {
    return test::error_of([&] { (void)joined(parts, Reader{most}); });
  };
  CHECK(refused({bytes(60), bytes(4)}, 64) == "nothing was thrown");
  CHECK(refused({bytes(60), bytes(5)}, 64) ==
        "a dictionary with its delta needs more than 64 bytes, the limit of its MessageReader");
  auto const nothing = column("", "n", (std::uint64_t{1} << 63) - 1, std::vector<int>{});
  CHECK(refused({nothing, nothing}, 64).find("elements with its delta") != std::string::npos);
  // Each of their elements needs no memory, but the mask of all would.
  Table const empty{.format = "+s", .length = std::uint64_t{1} << 50, .buffers = {nullptr}};
  CHECK(refused({empty, with_nulls({.format = "+s", .length = 1, .buffers = {nullptr}}, {0}, 1)}, 1 << 20)
            .find("needs more than") != std::string::npos);
  CHECK(test::error_of([&] {
          Reader reader;
          auto const schema = test::sent(arrow_c::schema_message(coded(bytes(1), 1)));
          (void)reader.read(schema.head(), schema.view(), nullptr);
          auto const messages = arrow_c::batch_messages(coded(bytes(1), 1));
          auto const delta = test::squeezed(messages[0], {.is_delta = true}, nullptr);
          (void)reader.read(delta.head(), delta.view(), nullptr);
        }) == "dictionary 0 has a delta, but no message before it");
}

}  // namespace arrow_compressed_tests
