// Columns of other processes by Arrow's C data interface, and Arrow's arrays published as columns.
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <ipc/process.hpp>
#include <ipc/published.hpp>
#include <ipc/schema.hpp>
#include <support/allocations.hpp>
#include <support/refused.hpp>
#include <tessera/with/arrow/columns.hpp>

using namespace tessera;
using ipc::PublishedColumn;
using test::published;

namespace arrow_column_tests {

using Bytes = std::vector<std::uint8_t>;
Bytes bytes_of(std::string const& text) { return {text.begin(), text.end()}; }
using Decimal = std::array<std::byte, 16>;
Decimal decimal(std::int64_t value) {
  Decimal bytes;
  bytes.fill(value < 0 ? std::byte{0xff} : std::byte{0});
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// The producer's thread learns of returned leases a little later.
bool returned_to(ipc::Producer const& producer) {
  return test::comes_true([&] { return producer.leases() == 0; });
}

struct Field {
  char const *name, *format;
  int buffers, children;
};
// What `table` makes, in order.
constexpr Field fields[] = {{"weight", "f", 2, 0},      {"word", "u", 3, 0},     {"when", "tsn:", 2, 0},
                            {"parts", "+L", 2, 1},      {"flag", "b", 2, 0},     {"date", "tdD", 2, 0},
                            {"price", "d:38,2", 2, 0},  {"cents", "d:9,2,32", 2, 0}, {"nothing", "n", 0, 0},
                            {"category", "c", 2, 0},    {"point", "+w:3", 1, 1}};

PublishedColumn table(ipc::Producer& producer) {
  std::vector<PublishedColumn> made;
  made.push_back(PublishedColumn::values(published<float>(producer, {1, 2, 3, 4}))
                     .masked(published<std::uint8_t>(producer, {0b1101}), ipc::Mask::Kind::bits, 1));
  made.push_back(PublishedColumn::strings(published<std::int32_t>(producer, {0, 3, 6, 6, 11}),
                                          published(producer, bytes_of("onetwothree")))
                     .masked(published<std::uint8_t>(producer, {1, 1, 0, 1}), ipc::Mask::Kind::bytes, 1));
  made.push_back(PublishedColumn::times(published<std::int64_t>(producer, {10, 20, 30, 40}), "datetime64", "ns"));
  made.push_back(PublishedColumn::lists(published<std::int64_t>(producer, {0, 2, 2, 3, 5}),
                                        PublishedColumn::values(published<std::int16_t>(producer, {7, 8, 9, 10, 11}))));
  bool const flags[] = {true, false, false, true};
  made.push_back(PublishedColumn::values(producer.publish(ArrayView<bool const, 1>::c_order(flags, {4}))));
  made.push_back(PublishedColumn::values(published<std::int32_t>(producer, {0, 1, 2, 3}), "tdD"));
  made.push_back(PublishedColumn::values(
      published<Decimal>(producer, {decimal(1), decimal(-2), decimal(300), decimal(4)}), "d:38,2"));
  made.push_back(PublishedColumn::values(published<std::int32_t>(producer, {100, 200, 300, 400}), "d:9,2,32"));
  made.push_back(PublishedColumn::nulls(4));
  made.push_back(PublishedColumn::values(published<std::int8_t>(producer, {1, 0, 0, 1}))
                     .encoded_by(PublishedColumn::strings(published<std::int32_t>(producer, {0, 1, 3}),
                                                          published(producer, bytes_of("abb")))));
  made.push_back(PublishedColumn::fixed_lists(
      3, PublishedColumn::values(published<double>(producer, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}))));
  std::vector<PublishedColumn> named;
  for (std::size_t i = 0; i < made.size(); ++i) named.push_back(std::move(made[i]).named(fields[i].name));
  return PublishedColumn::structure(std::move(named)).named("row");
}

template <class T>
T at(ArrowArray const& array, std::size_t buffer, std::size_t i) {
  T value{};
  std::memcpy(&value, static_cast<std::byte const*>(array.buffers[buffer]) + i * sizeof value, sizeof value);
  return value;
}

void check_table(ArrowSchema const& schema, ArrowArray const& array) {
  CHECK((schema.format == std::string{"+s"} && array.length == 4 && array.n_buffers == 1));
  REQUIRE((array.n_children == std::ssize(fields) && schema.n_children == array.n_children));
  auto const field = [&](std::size_t i) -> ArrowArray const& { return *array.children[i]; };
  for (std::size_t i = 0; i < std::size(fields); ++i) {
    CHECK(schema.children[i]->name == std::string{fields[i].name});
    CHECK(schema.children[i]->format == std::string{fields[i].format});
    CHECK((field(i).n_buffers == fields[i].buffers && field(i).n_children == fields[i].children));
    CHECK((field(i).length == 4 && field(i).offset == 0));
  }
  CHECK((at<float>(field(0), 1, 3) == 4 && at<std::uint8_t>(field(0), 0, 0) == 0b1101 && field(0).null_count == 1));
  CHECK((at<std::int32_t>(field(1), 1, 4) == 11 && at<char>(field(1), 2, 10) == 'e'));
  CHECK(at<std::uint8_t>(field(1), 0, 0) == 0b1011);  // made of bytes
  CHECK((at<std::int64_t>(field(2), 1, 3) == 40 && field(2).buffers[0] == nullptr));
  CHECK((at<std::int64_t>(field(3), 1, 4) == 5 && at<std::int16_t>(*field(3).children[0], 1, 4) == 11));
  CHECK(at<std::uint8_t>(field(4), 1, 0) == 0b1001);  // made of bytes
  CHECK(at<std::int32_t>(field(5), 1, 3) == 3);
  CHECK(at<Decimal>(field(6), 1, 1) == decimal(-2));
  CHECK(at<std::int32_t>(field(7), 1, 3) == 400);
  CHECK(field(8).null_count == 4);
  REQUIRE((field(9).dictionary && schema.children[9]->dictionary && !field(8).dictionary));
  CHECK((schema.children[9]->dictionary->format == std::string{"u"} && field(9).dictionary->length == 2));
  CHECK(at<char>(*field(9).dictionary, 2, 2) == 'b');
  CHECK((field(10).children[0]->length == 12 && at<double>(*field(10).children[0], 1, 11) == 11));
}

TEST_CASE("Arrow: an attached table is a struct of columns of every type, in the other process's memory") {
  ipc::Producer producer;
  ipc::Consumer consumer;
  {
    auto const row = table(producer);
    auto const read = ipc::parse_column_descriptor(row.json());
    CHECK(read == row.descriptor());
    auto const schema = test::ipc_schema();
    CHECK(test::fits(ipc::to_value(read), schema, schema));
    auto attached = ipc::attach(consumer, read);
    auto const* const words = attached.children()[1].data()->view<std::uint8_t const, 1>().data;
    auto exported = arrow_c::hand_over(arrow_c::share(std::move(attached)));
    check_table(exported.schema.get(), exported.array.get());
    CHECK(exported.array.get().children[1]->buffers[2] == words);
    CHECK(producer.leases() > 0);
    exported.schema.reset();
    CHECK(producer.leases() > 0);
    exported.array.reset();
    CHECK(returned_to(producer));
  }
  CHECK(producer.allocations() == 0);
}

TEST_CASE("Arrow: a slice has its offset, in masks and bools made of bytes too") {
  ipc::Producer producer;
  ipc::Consumer consumer;
  auto const row = table(producer);
  auto const sliced = [&](std::size_t field, std::uint64_t first, std::uint64_t count) {
    auto const part = row.descriptor().children[field].slice(first, count);
    return arrow_c::hand_over(arrow_c::share(ipc::attach(consumer, part)));
  };
  auto const words = sliced(1, 2, 2);
  CHECK((words.array.get().offset == 2 && words.array.get().length == 2 && words.array.get().null_count == -1));
  CHECK(at<std::uint8_t>(words.array.get(), 0, 0) == 0b1011);
  CHECK((at<std::int32_t>(words.array.get(), 1, 2) == 6 && at<std::int32_t>(words.array.get(), 1, 4) == 11));
  auto const weights = sliced(0, 1, 3);
  CHECK((weights.array.get().offset == 1 && at<float>(weights.array.get(), 1, 1) == 2));
  auto const flags = sliced(4, 3, 1);
  CHECK((flags.array.get().offset == 3 && (at<std::uint8_t>(flags.array.get(), 1, 0) >> 3 & 1) == 1));
  CHECK(flags.array.get().null_count == 0);
  auto const none = sliced(1, 4, 0);
  CHECK((none.array.get().length == 0 && none.array.get().offset == 4));
  auto const nulls = sliced(8, 1, 2);
  CHECK(nulls.array.get().null_count == 2);
  auto const view = arrow_c::view<double, 2>(sliced(10, 1, 2).schema.get(), sliced(10, 1, 2).array.get());
  CHECK(view.layout().shape == Extents{2, 3});
}

TEST_CASE("Arrow: offsets and indices that lead outside are refused, because consumers trust them") {
  ipc::Producer producer;
  ipc::Consumer consumer;
  auto const refused = [&](PublishedColumn const& column) {
    return test::error_of([&] { (void)arrow_c::share(ipc::attach(consumer, column.descriptor())); });
  };
  auto const words = [&](std::vector<std::int32_t> const& offsets) {
    return PublishedColumn::strings(published(producer, offsets), published(producer, bytes_of("abcd")));
  };
  auto const column = std::string{"column \"\" of schema \"u\": "};
  CHECK(refused(words({0, 2, 4})) == "nothing was thrown");
  CHECK(refused(words({0, 2, 5})) == column + "its offset 2 is 5, expected 2 to 4");
  CHECK(refused(words({0, 3, 2})) == column + "its offset 2 is 2, expected 3 to 4");
  CHECK(refused(words({-1, 3, 3})) == column + "its offset 0 is -1, expected 0 to 4");
  auto const wrong_outside = words({4, 2, 3, 4});
  CHECK(refused(wrong_outside) == column + "its offset 1 is 2, expected 4 to 4");
  CHECK(test::error_of([&] {
          (void)arrow_c::share(ipc::attach(consumer, wrong_outside.descriptor().slice(1, 2)));
        }) == "nothing was thrown");
  auto const lists = PublishedColumn::lists(published<std::int64_t>(producer, {0, 4}),
                                            PublishedColumn::values(published<float>(producer, {1, 2, 3})));
  CHECK(refused(lists) == "column \"\" of schema \"+L\": its offset 1 is 4, expected 0 to 3");
  auto const coded = [&]<class Index>(std::vector<Index> const& indices) {
    return PublishedColumn::values(published(producer, indices))
        .encoded_by(PublishedColumn::values(published<float>(producer, {1, 2, 3})));
  };
  CHECK(refused(coded(std::vector<std::uint16_t>{0, 2})) == "nothing was thrown");
  CHECK(refused(coded(std::vector<std::uint16_t>{0, 3})) ==
        "column \"\" of schema \"S\": its element 1 is an index of 3 into a dictionary of 3");
  CHECK(refused(coded(std::vector<std::int8_t>{-1, 2})) ==
        "column \"\" of schema \"c\": its element 0 is an index of -1 into a dictionary of 3");
  CHECK(refused(coded(std::vector<std::int64_t>{-1, 2}).masked(published<std::uint8_t>(producer, {0b10}),
                                                              ipc::Mask::Kind::bits)) == "nothing was thrown");
  // Consumers do not look at the mask of a column whose null count is 0.
  CHECK(refused(coded(std::vector<std::int64_t>{-1, 2}).masked(published<std::uint8_t>(producer, {0b10}),
                                                              ipc::Mask::Kind::bits, 0)) ==
        "column \"\" of schema \"l\": its element 0 is an index of -1 into a dictionary of 3");
}

TEST_CASE("Arrow: columns of the new types that contradict themselves are refused") {
  ipc::Producer producer;
  auto const floats = [&] { return PublishedColumn::values(published<float>(producer, {1, 2, 3, 4})); };
  auto const refused = [](auto make) { return test::error_of([&] { (void)make(); }); };
  auto const values_as = [&](char const* schema) {
    return refused([&] { return PublishedColumn::values(published<float>(producer, {1}), schema); });
  };
  CHECK(values_as("tdD") == "column \"\" of schema \"tdD\": its values are float32");
  CHECK(values_as("d:5,2") == "column \"\" of schema \"d:5,2\": its values are float32");
  for (auto const* wrong :
       {"d:5", "d:,2", "d:5,2,16", "d:5,2,", "d:x,2", "d:5,2,3,4", "tdX", "vu", "+vl", "+w:", "+w:-1"})
    CHECK(values_as(wrong) == to_text({"column \"\" of schema \"", wrong, "\": the schema is unknown"}));
  CHECK(PublishedColumn::values(published<std::int64_t>(producer, {1}), "d:5,-2,64").descriptor().length == 1);
  CHECK(refused([&] { return floats().encoded_by(floats()); }) ==
        "column \"\" of schema \"f\": only a column of integers may have a dictionary, and only one");
  auto lists = PublishedColumn::fixed_lists(2, floats()).descriptor();
  CHECK(lists.length == 2);
  lists.length = 3;
  CHECK(refused([&] { ipc::detail::check_column(lists); }) ==
        "column \"\" of schema \"f\": it is shorter than the lists around it");
  CHECK(refused([&] { return PublishedColumn::nulls(3).masked(published<std::uint8_t>(producer, {7}),
                                                             ipc::Mask::Kind::bits); }) ==
        "column \"\" of schema \"n\": it has a mask, but its schema has none");
  auto nulls = PublishedColumn::nulls(3).descriptor();
  nulls.data = floats().descriptor().data;
  CHECK(refused([&] { ipc::detail::check_column(nulls); }) ==
        "column \"\" of schema \"n\": its data does not match its schema");
}

TEST_CASE("Arrow: another library's table is published, and attached again with the same elements") {
  ipc::Producer first, second;
  ipc::Consumer consumer;
  auto const row = table(first);
  auto const exported = arrow_c::hand_over(arrow_c::share(ipc::attach(consumer, row.descriptor())));
  auto const copy = arrow_c::publish(second, exported.schema.get(), exported.array.get());
  CHECK(ipc::parse_column_descriptor(copy.json()) == copy.descriptor());
  auto const again = arrow_c::hand_over(arrow_c::share(ipc::attach(consumer, copy.descriptor())));
  check_table(again.schema.get(), again.array.get());

  auto const part = row.descriptor().children[1].slice(1, 3);
  auto const slice = arrow_c::hand_over(arrow_c::share(ipc::attach(consumer, part)));
  auto const copied = arrow_c::publish(second, slice.schema.get(), slice.array.get());
  auto const words = ipc::attach(consumer, copied.descriptor());
  CHECK((words.size() == 3 && words.string(0) == "two" && words.string(2) == "three" && !words.is_valid(1)));

  auto const weights = arrow_c::hand_over(
      arrow_c::share(ipc::attach(consumer, row.descriptor().children[0].slice(1, 3))));
  auto const weights_again = arrow_c::publish(second, weights.schema.get(), weights.array.get());
  auto const numbers = ipc::attach(consumer, weights_again.descriptor());
  CHECK((numbers.values<float>()(2) == 4 && !numbers.is_valid(0) && numbers.is_valid(1)));

  auto const refused = [&](auto change) {
    auto schema = slice.schema.get();
    auto array = slice.array.get();
    change(schema, array);
    return test::error_of([&] { (void)arrow_c::publish(second, schema, array); });
  };
  using S = ArrowSchema&;
  using A = ArrowArray&;
  auto const array = std::string{"array \"word\" of format \"u\": "};
  CHECK(refused([](S, A) {}) == "nothing was thrown");
  CHECK(refused([](S s, A) { s.format = "+m"; }) ==
        "array \"word\" of format \"+m\": the library does not have Arrow's type map");
  CHECK(refused([](S, A a) { a.n_buffers = 2; }) ==
        array + "the array has length 3, offset 1 and 2 buffers, expected 3");
  CHECK(refused([](S, A a) { a.length = -3; }) ==
        array + "the array has length -3, offset 1 and 3 buffers, expected 3");
  CHECK(refused([](S s, A) { s.n_children = 1; }) == array + "the array has 0 children, the schema 1");
  CHECK(refused([](S s, A a) { s.n_children = a.n_children = -1; }) ==
        array + "the array has -1 children, the schema -1");
  CHECK(refused([](S, A a) { a.buffers = nullptr; }) == array + "its buffers or children are missing");
  CHECK(refused([](S s, A a) { s.format = "+s", s.n_children = a.n_children = a.n_buffers = 1; }) ==
        "array \"word\" of format \"+s\": its buffers or children are missing");
  auto const without = [&](std::size_t buffer) {
    auto const* const all = slice.array.get().buffers;
    void const* buffers[] = {all[0], all[1], all[2]};
    buffers[buffer] = nullptr;
    return refused([&](S, A a) { a.buffers = buffers; });
  };
  CHECK(without(0) == "nothing was thrown");
  CHECK(without(1) == array + "a buffer is missing, expected 20 bytes");
  CHECK(without(2) == array + "a buffer is missing, expected 11 bytes");
  {
    // Offsets of no elements are not read: their buffer may be empty.
    std::int32_t const unrelated = 1 << 30;
    void const* buffers[] = {nullptr, &unrelated, nullptr};
    auto none = slice.array.get();
    none.length = none.offset = none.null_count = 0, none.buffers = buffers;
    auto const empty = arrow_c::publish(second, slice.schema.get(), none);
    CHECK(ipc::attach(consumer, empty.descriptor()).size() == 0);
  }
  CHECK(refused([](S, A a) { a.release = nullptr; }) == "the schema or the array was released or moved");
  auto const in_struct = [&](auto change) {
    auto word_schema = slice.schema.get();
    auto word = slice.array.get();
    ArrowSchema* schemas[] = {&word_schema};
    ArrowArray* arrays[] = {&word};
    void const* buffers[] = {nullptr};
    return refused([&](S s, A a) {
      s.format = "+s", s.n_children = a.n_children = a.n_buffers = 1, a.buffers = buffers, a.length = a.offset = 1;
      s.children = schemas, a.children = arrays, a.null_count = 0;
      change(s, a);
    });
  };
  auto const why = std::string{"a child or its dictionary is missing, or was released or moved"};
  auto const missing = "array \"word\" of format \"+s\": " + why;
  CHECK(in_struct([](S, A) {}) == "nothing was thrown");
  CHECK(in_struct([](S s, A) { s.children[0] = nullptr; }) == missing);
  CHECK(in_struct([](S, A a) { a.children[0] = nullptr; }) == missing);
  CHECK(in_struct([](S s, A) { s.children[0]->release = nullptr; }) == missing);
  CHECK(in_struct([](S, A a) { a.children[0]->release = nullptr; }) == missing);
  CHECK(in_struct([](S s, A a) {
          s.format = "c", s.n_children = a.n_children = 0, a.n_buffers = 2;
          s.dictionary = s.children[0], a.dictionary = a.children[0], a.dictionary->release = nullptr;
        }) == "array \"word\" of format \"c\": " + why);
  CHECK(second.leases() > 0);
}

// A view of up to twelve characters, or of a buffer's.
struct TextView {
  std::int32_t size;
  char start[4];
  std::int32_t buffer, offset;
};

TEST_CASE("Arrow: string views of another library are published as strings, and views that lead outside are refused") {
  ipc::Producer producer;
  ipc::Consumer consumer;
  std::string const first = "a text of sixteen", second = "xx another of its own";
  std::vector<TextView> views(5);
  views[0].size = -7;  // before the slice
  views[1] = {17, {'a', ' ', 't', 'e'}, 0, 0};
  views[2] = {-9, {}, 9, 9};  // null
  views[3].size = 12;
  std::memcpy(views[3].start, "twelve chars", 12);
  views[4] = {18, {'a', 'n', 'o', 't'}, 1, 3};
  std::uint8_t const mask = 0b11011;
  std::int64_t sizes[] = {17, 21};
  void const* buffers[] = {&mask, views.data(), first.data(), second.data(), sizes};
  ArrowSchema schema{};
  schema.format = "vu", schema.name = "word", schema.release = [](ArrowSchema*) {};
  ArrowArray array{};
  array.length = 4, array.offset = 1, array.null_count = 1, array.n_buffers = 5, array.buffers = buffers;
  array.release = [](ArrowArray*) {};
  auto const words = ipc::attach(consumer, arrow_c::publish(producer, schema, array).descriptor());
  CHECK((words.descriptor().schema == "U" && words.size() == 4 && words.descriptor().null_count == 1));
  CHECK((words.string(0) == first && !words.is_valid(1) && words.is_valid(2)));
  CHECK((words.string(2) == "twelve chars" && words.string(3) == "another of its own"));
  schema.format = "vz";
  CHECK(ipc::attach(consumer, arrow_c::publish(producer, schema, array).descriptor()).descriptor().schema == "Z");

  auto const refused = [&](auto change) {
    auto const before = views;
    change();
    auto const error = test::error_of([&] { (void)arrow_c::publish(producer, schema, array); });
    views.assign(before.begin(), before.end());
    sizes[1] = 21;
    return error;
  };
  auto const text = std::string{"array \"word\" of format \"vz\": "};
  CHECK(refused([&] { views[4].size = 19; }) == text + "view 3 leads out of its buffer");
  CHECK(refused([&] { views[4].offset = -1; }) == text + "view 3 leads out of its buffer");
  CHECK(refused([&] { views[4].offset = 22; }) == text + "view 3 leads out of its buffer");
  CHECK(refused([&] { views[4].buffer = 2; }) == text + "view 3 leads out of its buffer");
  CHECK(refused([&] { views[4].buffer = -1; }) == text + "view 3 leads out of its buffer");
  CHECK(refused([&] { sizes[1] = 20; }) == text + "view 3 leads out of its buffer");
  CHECK(refused([&] { views[3].size = -1; }) == text + "view 2 has a size of -1");
  array.n_buffers = 2;
  CHECK(refused([] {}) == text + "the array has length 4, offset 1 and 2 buffers, expected 3 or more");
}

TEST_CASE("Arrow: each allocation of an export of a column fails in turn, and its leases are returned") {
  ipc::Producer producer;
  ipc::Consumer consumer;
  auto const row = table(producer);
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    bool has_failed = false;
    {
      auto attached = ipc::attach(consumer, row.descriptor());
      test::FailingAllocation const failing{k};  // one of the producer's thread, too
      arrow_c::Exported exported;
      try {
        exported = arrow_c::hand_over(arrow_c::share(std::move(attached)));
      } catch (std::bad_alloc const&) {
      }
      has_failed = failing.has_failed();
    }
    REQUIRE(returned_to(producer));
    if (!has_failed) {
      CHECK(k > 50);
      break;
    }
  }
}

TEST_CASE("a producer's thread takes leases back without new memory") {
  ipc::Producer producer;
  ipc::Consumer consumer;
  auto const array = published<float>(producer, {1, 2, 3});
  auto attached = consumer.attach(array.descriptor());
  test::AllocationsSucceed const none;  // of this thread
  test::FailingAllocation const failing{0};
  attached.close();
  CHECK(returned_to(producer));
  CHECK(!failing.has_failed());
}

}  // namespace arrow_column_tests
