// Host arrays by Arrow's C data interface: formats, values, nulls, and when memory is released.
#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/allocations.hpp>
#include <support/refused.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/arrow/c_data.hpp>

using namespace tessera;

namespace arrow_array_tests {

template <class T, std::size_t Rank>
OwnedArray<T, Rank, HostBuffer> made(Extents const& shape) {
  Queue<space::Host> on;
  OwnedArray<T, Rank, HostBuffer> array{shape, on};
  for (std::uint64_t i = 0; i < array.size(); ++i) {
    if constexpr (std::is_arithmetic_v<T>)
      array.data()[i] = static_cast<T>(i);
    else
      array.data()[i] = T{};
  }
  return array;
}

// Counts the releases of memory that others own.
struct Counted {
  std::shared_ptr<int> frees = std::make_shared<int>(0);
  std::shared_ptr<void const> owner(void const* what) {
    return {what, [frees = frees](void const*) { ++*frees; }};
  }
};

template <class T>
std::string format_of() {
  auto const exported = arrow_c::hand_over(arrow_c::share(made<T, 1>({3})));
  CHECK(exported.array.get().length == 3);
  CHECK(exported.array.get().n_buffers == 2);
  return exported.schema.get().format;
}

TEST_CASE("Arrow: every number has its format, and its values are those of the array, in place") {
  CHECK(format_of<std::int8_t>() == "c");
  CHECK(format_of<std::uint8_t>() == "C");
  CHECK(format_of<std::int16_t>() == "s");
  CHECK(format_of<std::uint16_t>() == "S");
  CHECK(format_of<std::int32_t>() == "i");
  CHECK(format_of<std::uint32_t>() == "I");
  CHECK(format_of<std::int64_t>() == "l");
  CHECK(format_of<std::uint64_t>() == "L");
  CHECK(format_of<float16_bits>() == "e");
  CHECK(format_of<float>() == "f");
  CHECK(format_of<double>() == "g");
  CHECK(format_of<bool>() == "b");
  CHECK(format_of<std::array<std::byte, 12>>() == "w:12");

  auto array = made<double, 1>({5});
  auto const* const data = array.data();
  auto const exported = arrow_c::hand_over(arrow_c::share(std::move(array)));
  CHECK(exported.array.get().buffers[0] == nullptr);
  CHECK(exported.array.get().buffers[1] == data);
  CHECK((exported.array.get().null_count == 0 && exported.array.get().offset == 0));
  CHECK(exported.schema.get().flags == ARROW_FLAG_NULLABLE);
  auto const view = arrow_c::view<double, 1>(exported.schema.get(), exported.array.get());
  CHECK((view.data == data && view(4) == 4));
}

TEST_CASE("Arrow: types that it has no format for are refused before anything is copied") {
  CHECK(test::error_of([] { (void)arrow_c::share(made<std::complex<float>, 1>({3})); }) ==
        "Arrow has no format for elements of complex64");
  auto const refused = [](DataType type) { return test::error_of([&] { (void)arrow_c::format_of(type); }); };
  CHECK(refused({DataKind::floating, 2, NumberFormat::bfloat16}) == "Arrow has no format for elements of bfloat16");
  CHECK(refused({DataKind::signed_integer, 1, NumberFormat::int4}) == "Arrow has no format for elements of int4");
  CHECK(refused({.kind = DataKind::datetime, .size = 8, .unit = TimeUnit::day}) ==
        "Arrow has no format for elements of numpy.datetime64[D]");
  CHECK(refused({.kind = DataKind::datetime, .size = 8, .unit = TimeUnit::second, .scale = 10}) ==
        "Arrow has no format for elements of numpy.datetime64[10s]");
  CHECK(arrow_c::format_of({.kind = DataKind::datetime, .size = 8, .unit = TimeUnit::millisecond}) == "tsm:");
  CHECK(arrow_c::format_of({.kind = DataKind::timedelta, .size = 8, .unit = TimeUnit::nanosecond}) == "tDn");
  CHECK(test::error_of([] { (void)arrow_c::share(made<float, 0>(Extents{})); }) ==
        "an array without dimensions has no length, as Arrow's arrays have");
}

TEST_CASE("Arrow: bools are bits") {
  auto array = made<bool, 1>({11});
  for (std::uint64_t i = 0; i < 11; ++i) array.data()[i] = i % 3 == 0;
  auto const exported = arrow_c::hand_over(arrow_c::share(std::move(array)));
  auto const* const bits = static_cast<std::uint8_t const*>(exported.array.get().buffers[1]);
  CHECK((bits[0] == 0b01001001 && bits[1] == 0b00000010));
  CHECK(test::error_of([&] { (void)arrow_c::view<bool, 1>(exported.schema.get(), exported.array.get()); }) ==
        "Arrow's bools are bits, eight to a byte: no view has them");
}

TEST_CASE("Arrow: times without a value are nulls, and only arrays that have some get a mask") {
  auto const share = [](std::vector<std::int64_t> const& counts) {
    auto const bytes = reinterpret_cast<std::byte const*>(counts.data());
    DataType const type{.kind = DataKind::datetime, .size = 8, .unit = TimeUnit::nanosecond};
    return arrow_c::detail::column_of(bytes, type, Layout::c_order({counts.size()}, 8), nullptr);
  };
  auto const none = std::numeric_limits<std::int64_t>::min();
  std::vector<std::int64_t> const some{1, none, 3, none}, full{1, 2};
  auto const column = share(some);
  CHECK((column.format == "tsn:" && column.null_count == 2));
  CHECK(*static_cast<std::uint8_t const*>(column.buffers[0]) == 0b0101);
  CHECK(column.buffers[1] == some.data());
  CHECK((share(full).null_count == 0 && share(full).buffers[0] == nullptr));
}

TEST_CASE("Arrow: each dimension but the first is a fixed-size list") {
  auto const exported = arrow_c::hand_over(arrow_c::share(made<std::int16_t, 3>({2, 3, 4})));
  auto const& array = exported.array.get();
  CHECK((exported.schema.get().format == std::string{"+w:3"} && array.length == 2 && array.n_buffers == 1));
  auto const& inner = *array.children[0];
  CHECK((exported.schema.get().children[0]->format == std::string{"+w:4"} && inner.length == 6));
  CHECK(exported.schema.get().children[0]->children[0]->format == std::string{"s"});
  CHECK(inner.children[0]->length == 24);
  CHECK(exported.schema.get().children[0]->name == std::string{"item"});
  auto const view = arrow_c::view<std::int16_t, 3>(exported.schema.get(), array);
  CHECK((view.layout().shape == Extents{2, 3, 4} && view(1, 2, 3) == 23 && view(1, 0, 0) == 12));
  auto const empty = arrow_c::hand_over(arrow_c::share(made<std::int16_t, 3>({2, 0, 4})));
  CHECK((empty.array.get().length == 2 && empty.array.get().children[0]->length == 0));
  CHECK(empty.schema.get().format == std::string{"+w:0"});
}

TEST_CASE("Arrow: an array without elements has no memory to read") {
  auto const exported = arrow_c::hand_over(arrow_c::share(made<float, 1>({0})));
  CHECK((exported.array.get().length == 0 && exported.array.get().buffers[1] == nullptr));
  CHECK(arrow_c::view<float, 1>(exported.schema.get(), exported.array.get()).layout().shape == Extents{0});
}

TEST_CASE("Arrow: elements in another order or stride are copied, others are not") {
  std::vector<std::int32_t> numbers{0, 1, 2, 3, 4, 5};
  Counted memory;
  {
    auto const rows = ArrayView<std::int32_t const, 2>::c_order(numbers.data(), {2, 3});
    auto const whole = arrow_c::share(rows, memory.owner(numbers.data()));
    CHECK(whole.children[0].buffers[1] == numbers.data());
    auto const column = arrow_c::hand_over(arrow_c::share(rows.sub({all, 1}), memory.owner(numbers.data())));
    CHECK(*memory.frees == 1);  // the copy needs the original no more
    CHECK(arrow_c::view<std::int32_t, 2>(column.schema.get(), column.array.get())(1, 0) == 4);
    auto const one = arrow_c::share(rows.sub({all, {1, 2}}).sub({{1, 2}, all}), memory.owner(numbers.data()));
    CHECK(one.children[0].buffers[1] == numbers.data() + 4);  // strides of a single element lead nowhere
  }
  CHECK(*memory.frees == 3);
}

TEST_CASE("Arrow: elements in the other byte order are copied") {
  std::vector<std::uint16_t> const swapped{0x0100, 0x0203};
  auto layout = Layout::c_order({2}, 2);
  layout.swapped = 2;
  auto const bytes = reinterpret_cast<std::byte const*>(swapped.data());
  auto const exported =
      arrow_c::hand_over(arrow_c::detail::column_of(bytes, data_type_of<std::uint16_t>(), layout, nullptr));
  auto const view = arrow_c::view<std::uint16_t, 1>(exported.schema.get(), exported.array.get());
  CHECK((view(0) == 1 && view(1) == 0x0302));
}

TEST_CASE("Arrow: memory is released once, with the last column and the last struct") {
  std::vector<float> numbers{1, 2, 3};
  Counted memory;
  auto const frees = [&] { return *memory.frees; };
  auto const share = [&] {
    return arrow_c::share(ArrayView<float const, 1>::c_order(numbers.data(), {3}), memory.owner(numbers.data()));
  };
  { auto const never_imported = arrow_c::hand_over(share()); }
  CHECK(frees() == 1);

  ArrowSchema schema{};
  ArrowArray array{};
  {
    auto exported = arrow_c::hand_over(share());
    exported.schema.move_to(&schema), exported.array.move_to(&array);
    CHECK((exported.array.empty() && !exported.array.get().release && exported.schema.empty()));
  }
  CHECK(frees() == 1);
  auto const release = array.release;
  array.release(&array);
  CHECK((frees() == 2 && !array.release));
  release(&array);  // a mistake of the consumer's
  CHECK(frees() == 2);
  CHECK(schema.format == std::string{"f"});  // the schema has its own life
  schema.release(&schema);
  CHECK(!schema.release);

  {
    auto const column = share();
    auto first = arrow_c::hand_over(column), second = arrow_c::hand_over(column);
    first.array.reset();
    CHECK(frees() == 2);
    second = std::move(first);
    CHECK(frees() == 2);  // the column itself
  }
  CHECK(frees() == 3);
  arrow_c::Owned<ArrowArray> taken;
  {
    auto exported = arrow_c::hand_over(share());
    taken = arrow_c::Owned<ArrowArray>{exported.array.address()};
    CHECK(exported.array.empty());
  }
  CHECK((frees() == 3 && !taken.empty()));
  taken = {};
  CHECK(frees() == 4);
}

TEST_CASE("Arrow: a child that a consumer moved away lives on when its parent is released") {
  std::vector<float> numbers{1, 2, 3, 4};
  Counted memory;
  ArrowArray child{};
  ArrowSchema child_schema{};
  {
    auto exported = arrow_c::hand_over(
        arrow_c::share(ArrayView<float const, 2>::c_order(numbers.data(), {2, 2}), memory.owner(numbers.data())));
    child = std::exchange(*exported.array.get().children[0], ArrowArray{});
    child_schema = std::exchange(*exported.schema.get().children[0], ArrowSchema{});
  }
  CHECK(*memory.frees == 0);
  CHECK(arrow_c::view<float, 1>(child_schema, child)(3) == 4);
  child.release(&child), child_schema.release(&child_schema);
  CHECK(*memory.frees == 1);
}

TEST_CASE("Arrow: each allocation of an export fails in turn, and the memory is released") {
  std::vector<std::int32_t> numbers{0, 1, 2, 3, 4, 5, 6, 7};
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    Counted memory;
    bool has_failed = false;
    {
      auto const owner = memory.owner(numbers.data());
      test::FailingAllocation const failing{k};
      try {
        auto const view = ArrayView<std::int32_t const, 3>::c_order(numbers.data(), {2, 2, 2});
        auto const exported = arrow_c::hand_over(arrow_c::share(view, owner));
        CHECK(exported.array.get().length == 2);
      } catch (std::bad_alloc const&) {
      }
      has_failed = failing.has_failed();
    }
    CHECK(*memory.frees == 1);
    if (!has_failed) {
      CHECK(k > 10);
      break;
    }
  }
}

TEST_CASE("Arrow: arrays of other libraries are views, with their offset, or refused") {
  std::vector<std::int32_t> numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  std::uint8_t valid[] = {0b11110111, 0xff};
  auto const refused = [&](auto change) {
    ArrowSchema schema{}, item{};
    ArrowArray array{}, values{};
    ArrowSchema* items[] = {&item};
    ArrowArray* all_values[] = {&values};
    void const *list_buffers[] = {nullptr}, *buffers[] = {nullptr, numbers.data()};
    schema.format = "+w:2", schema.n_children = 1, schema.children = items;
    item.format = "i";
    array.length = 2, array.offset = 1, array.n_buffers = 1, array.buffers = list_buffers;
    array.n_children = 1, array.children = all_values;
    values.length = 8, values.offset = 3, values.n_buffers = 2, values.buffers = buffers;
    schema.release = item.release = [](ArrowSchema*) {}, array.release = values.release = [](ArrowArray*) {};
    return test::error_of([&] {
      change(schema, array, item, values);
      auto const view = arrow_c::view<std::int32_t, 2>(schema, array);
      CHECK((view.layout().shape == Extents{2, 2} && view(0, 0) == 5 && view(1, 1) == 8));
    });
  };
  using S = ArrowSchema&;
  using A = ArrowArray&;
  CHECK(refused([](S, A, S, A) {}) == "nothing was thrown");
  CHECK(refused([&](S, A, S, A v) { v.buffers[0] = valid, v.null_count = 1; }) == "nothing was thrown");  // 3: not seen
  CHECK(refused([&](S, A, S, A v) { v.buffers[0] = valid, v.offset = 0, v.null_count = -1; }) ==
        "element 3 of the array is null, expected a value");
  CHECK(refused([](S s, A, S, A) { s.format = "i"; }) == "the array has 1 dimensions, expected 2");
  CHECK(refused([](S, A, S i, A) { i.format = "f"; }) ==
        "the array's format is \"f\", expected \"i\" of int32, which this program asks for");
  CHECK(refused([](S s, A, S i, A) { i.dictionary = &s; }) ==
        "the array's format is \"i\" with a dictionary, expected \"i\" of int32, which this program asks for");
  CHECK(refused([](S, A, S, A v) { v.length = 5; }) == "the array has 5 elements, expected 4 from 2 on");
  CHECK(refused([](S, A a, S, A) { a.length = a.offset = std::int64_t{1} << 62; }) ==
        "the array has 8 elements, expected 9223372036854775808 from 9223372036854775808 on");
  CHECK(refused([](S, A, S, A v) { v.n_buffers = 1; }) ==
        "the array has 1 buffers, length 8 and offset 3, expected 2 buffers, and numbers of 0 or more");
  CHECK(refused([](S, A a, S, A) { a.offset = -1; }).find("offset -1") != std::string::npos);
  CHECK(refused([](S, A, S, A v) { v.buffers[1] = nullptr; }) == "the array has elements but no memory");
  CHECK(refused([&](S, A, S, A v) { v.buffers[1] = reinterpret_cast<char const*>(numbers.data()) + 1; }) ==
        "the array's memory is not aligned to the 4 bytes of int32");
  auto const released = std::string{"the schema or the array was released or moved"};
  CHECK(refused([](S s, A, S, A) { s.release = nullptr; }) == released);
  CHECK(refused([](S, A a, S, A) { a.release = nullptr; }) == released);
  auto const child = std::string{"a child of the array is missing, or was released or moved"};
  CHECK(refused([](S, A, S i, A) { i.release = nullptr; }) == child);
  CHECK(refused([](S, A, S, A v) { v.release = nullptr; }) == child);
  CHECK(refused([](S s, A, S, A) { s.children[0] = nullptr; }) == child);
  CHECK(refused([](S, A a, S, A) { a.children[0] = nullptr; }) == child);
  CHECK(refused([](S, A a, S, A) { a.children = nullptr; }) == "the array has 1 dimensions, expected 2");
  CHECK(refused([](S s, A, S, A) { s.format = "+w:18446744073709551615"; }) ==
        "the array has 2 lists of 18446744073709551615 elements, expected fewer than 2^64");
}

}  // namespace arrow_array_tests
