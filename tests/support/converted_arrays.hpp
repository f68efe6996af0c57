// Arrays read into numbers of another type and written from them, by selections and memory of every kind, compared with
// numbers that are converted one by one. For memory of any space: `Memory(size)` with put(bytes), get() and data().
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <support/converted.hpp>
#include <support/random_selection.hpp>
#include <tessera/array/convert.hpp>

namespace test {

struct HostMemory {
  explicit HostMemory(std::size_t size) : bytes(size) {}
  void put(Bytes const& given) { bytes = given; }
  Bytes get() { return bytes; }
  std::byte* data() { return bytes.data(); }
  Bytes bytes;
};

/// Calls f, and waits for its result.
template <class F>
void finish(F&& f) {
  if constexpr (std::is_void_v<decltype(f())>)
    f();
  else
    f().wait();
}

template <class F>
std::optional<std::string> conversion_error(F&& f) {
  try {
    finish(f);
  } catch (tessera::ConversionError const& error) {
    return error.what();
  }
  return std::nullopt;
}

/// Byte by byte, except for NaN.
template <class T>
void check_same_numbers(Bytes const& found, Bytes const& expected, std::size_t first) {
  REQUIRE(found.size() == expected.size());
  std::size_t wrong = 0;
  auto const step = sizeof(T);
  for (std::size_t at = first % step; at + step <= found.size(); at += step) {
    T a, b;
    std::memcpy(&a, found.data() + at, step);
    std::memcpy(&b, expected.data() + at, step);
    wrong += std::memcmp(&a, &b, step) != 0 && !is_equal(a, b);
  }
  CHECK(wrong == 0);
}

/// Memory of Program's numbers for a selection of an array, and their conversion.
template <class Program>
struct ConvertedPart {
  ConvertedPart(Random& random, tessera::Extents const& shape, tessera::Extents const& chunk_shape, double scale,
                double offset)
      : selection{random_selection(random, shape, chunk_shape)},
        place{random_memory(random, selection.selected.shape, sizeof(Program), false)},
        conversion{scale, offset, random.one_in(2) ? tessera::OutOfRange::saturate : tessera::OutOfRange::refuse} {}

  /// Replaces none, one or two of an array's numbers by its missing-value markers.
  template <class T>
  std::vector<T> choose_missing(Random& random, std::vector<T> const& whole) {
    std::vector<T> missing;
    if constexpr (!std::is_integral_v<Program>)
      for (auto count = random(0, 2); missing.size() < count;) missing.push_back(whole[random(0, whole.size() - 1)]);
    auto const exact = [](T number) {
      if constexpr (std::is_integral_v<T>)
        return number;
      else
        return static_cast<double>(number);
    };
    if (missing.size() == 1) conversion.missing = exact(missing[0]);
    if (missing.size() == 2) conversion.missing = {exact(missing[0]), exact(missing[1])};
    return missing;
  }

  bool is_refused() const { return !first_misfit.empty() && conversion.out_of_range == tessera::OutOfRange::refuse; }
  void add_misfit(tessera::Extents const& index) {
    if (first_misfit.empty()) first_misfit = "element " + to_string(index) + " of the selection";
  }
  std::size_t at(tessera::Extents const& index) const {  // bytes from the start of the memory
    return static_cast<std::size_t>(static_cast<std::int64_t>(place.first) +
                                    tessera::detail::offset(index, place.strides));
  }
  void check(std::optional<std::string> const& error) const {
    REQUIRE(error.has_value() == is_refused());
    if (error) CHECK_MESSAGE(error->find(first_misfit) != std::string::npos, *error, " but expected ", first_misfit);
  }
  template <class T>
  std::string text() const {
    return tessera::to_text({tessera::data_type_of<T>().name(), " as ", tessera::data_type_of<Program>().name(), ", ",
                             std::to_string(conversion.scale), " and ", std::to_string(conversion.offset), ", ",
                             selection.kind});
  }

  RandomSelection selection;
  StridedMemory place;
  tessera::Conversion conversion;
  std::string first_misfit{};
};

/// For an array of rank 2 whose elements are `whole`.
template <class Program, class T, class Memory, class S, class P>
void check_read_as(Random& random, tessera::Array<T, 2, S, P> const& array, std::vector<T> const& whole, double scale,
                   double offset) {
  auto const shape = array.shape();
  ConvertedPart<Program> part{random, shape, array.chunk_shape(), scale, offset};
  auto const how = part.template text<T>();
  CAPTURE(how);
  auto const missing = part.choose_missing(random, whole);
  CAPTURE(missing.size());
  auto const before = random.noise(part.place.size);
  auto expected = before;
  std::size_t i = 0;
  for_each_index(part.selection.selected.shape, [&](Extents const& index) {
    auto const number = whole[c_index(shape, part.selection.places[i++])];
    auto made = expected_as<Program>(number, scale, offset, false);
    if constexpr (!std::is_integral_v<Program>)
      if (std::ranges::find(missing, number) != missing.end()) made = std::numeric_limits<Program>::quiet_NaN();
    if (!made) part.add_misfit(index);
    auto const result = made ? *made : nearest_as<Program>(number, scale, offset);
    std::memcpy(expected.data() + part.at(index), &result, sizeof result);
  });
  Memory memory(part.place.size);
  memory.put(before);
  part.check(conversion_error([&] {
    return tessera::detail::read_numbers<Program, T>(array.untyped(), part.selection.selected,
                                                     {memory.data() + part.place.first, part.place.strides},
                                                     part.conversion, {});
  }));
  if (!part.is_refused()) check_same_numbers<Program>(memory.get(), expected, part.place.first);
}

/// And changes `whole` to the array's new contents.
template <class Program, class T, class Memory, class S, class P>
void check_write_as(Random& random, tessera::Array<T, 2, S, P> const& array, std::vector<T>& whole, double scale,
                    double offset) {
  auto const shape = array.shape();
  ConvertedPart<Program> part{random, shape, array.chunk_shape(), scale, offset};
  auto const how = part.template text<T>();
  CAPTURE(how);
  auto const missing = part.choose_missing(random, whole);
  CAPTURE(missing.size());
  bool const all_fit = part.conversion.out_of_range == tessera::OutOfRange::saturate || random.one_in(2);
  auto given = random.noise(part.place.size);
  auto const before = whole;
  std::size_t i = 0;
  for_each_index(part.selection.selected.shape, [&](Extents const& index) {
    auto number = random_fitting<T, Program>(random, scale, offset, true, all_fit);
    auto made = expected_as<T>(number, scale, offset, true);
    if constexpr (!std::is_integral_v<Program>)
      if (!missing.empty() && (number != number || random.one_in(9))) {
        number = std::numeric_limits<Program>::quiet_NaN();
        made = missing.front();
      }
    if (!made) part.add_misfit(index);
    if (made) whole[c_index(shape, part.selection.places[i])] = *made;
    ++i;
    std::memcpy(given.data() + part.at(index), &number, sizeof number);
  });
  if (!part.first_misfit.empty() && !part.is_refused()) {  // saturated: some that should fit did not
    whole = before;
    return;
  }
  Memory memory(part.place.size);
  memory.put(given);
  part.check(conversion_error([&] {
    return tessera::detail::write_numbers<Program, T>(array.untyped(), part.selection.selected,
                                                      {memory.data() + part.place.first, part.place.strides},
                                                      part.conversion, {});
  }));
  if (part.is_refused()) whole = before;
  Memory found(whole.size() * sizeof(T));
  auto const selected = tessera::Box{tessera::all}.resolve(shape);
  auto const dense = tessera::Layout::c_order(shape, sizeof(T)).strides;
  finish([&] { return array.untyped().read(selected, {found.data(), dense}); });
  Bytes expected(whole.size() * sizeof(T));
  std::memcpy(expected.data(), whole.data(), expected.size());
  check_same_numbers<T>(found.get(), expected, 0);
}

/// Both, a few times, with a new array: `make(seeded elements, shape, chunk shape, fill)` returns one.
template <class Program, class T, class Memory, class Make>
void check_conversion(Random& random, Make const& make) {
  double const scales[] = {1, 0.375, 3, -2}, offsets[] = {0, -12.5, 7};
  auto const scale = scales[random(0, 3)], offset = scale == 1 ? 0 : offsets[random(0, 2)];
  Extents const shape{9, 14}, chunk_shape{4, 6};
  std::vector<T> whole(9 * 14, T(5));
  bool const all_fit = random.one_in(2);
  for (std::size_t i = 0; i < 8 * 14; ++i) whole[i] = random_fitting<Program, T>(random, scale, offset, false, all_fit);
  auto const array = make(shape, chunk_shape, T(5));
  Memory memory(8 * 14 * sizeof(T));
  Bytes rows(8 * 14 * sizeof(T));
  std::memcpy(rows.data(), whole.data(), rows.size());
  memory.put(rows);  // the chunks of the last row are missing
  tessera::ResolvedSelection const most = tessera::Box{{0, 8}, tessera::all}.resolve(shape);
  auto const dense = tessera::Layout::c_order({8, 14}, sizeof(T)).strides;
  finish([&] { return array.untyped().write(most, {memory.data(), dense}); });
  for (int i = 0; i < 3; ++i) check_read_as<Program, T, Memory>(random, array, whole, scale, offset);
  for (int i = 0; i < 2; ++i) check_write_as<Program, T, Memory>(random, array, whole, scale, offset);
  check_read_as<Program, T, Memory>(random, array, whole, scale, offset);
}

}  // namespace test
