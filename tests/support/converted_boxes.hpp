// Boxes of a padded array in numbers of another type, converted one by one.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <support/converted.hpp>
#include <support/padded.hpp>
#include <tessera/array/convert.hpp>
#include <tessera/core/error.hpp>

namespace test {

/// A conversion, drawn at random, and numbers of T that fit or do not.
template <class Program, class T>
struct RandomConversion {
  tessera::Conversion conversion{};
  std::vector<T> missing{};
  bool all_fit;

  explicit RandomConversion(Random& random) : all_fit{!random.one_in(4)} {
    double const scales[] = {1, 0.375, 3, -2}, offsets[] = {0, -12.5, 7};
    conversion.scale = scales[random(0, 3)];
    if (conversion.scale != 1 || random.one_in(2)) conversion.offset = offsets[random(0, 2)];
    if (random.one_in(2)) conversion.out_of_range = tessera::OutOfRange::saturate;
  }

  std::vector<T> numbers(Random& random, std::size_t count) const {
    std::vector<T> result;
    while (result.size() < count) result.push_back(number(random));
    return result;
  }
  T number(Random& random) const {
    return random_fitting<Program, T>(random, conversion.scale, conversion.offset, false, all_fit);
  }
  /// Makes one of these numbers a missing one, sometimes.
  void choose_missing(Random& random, std::vector<T> const& numbers) {
    if constexpr (!std::is_integral_v<Program> && std::is_arithmetic_v<T>)
      if (!numbers.empty() && random.one_in(2)) {
        auto const one = numbers[random(0, numbers.size() - 1)];
        if (one != one) return;
        conversion.missing = one;
        missing = {one};
      }
  }
  /// Sometimes: a scale and an offset for each index of a dimension, and no constant padding along it.
  void choose_by_index(Random& random, Extents const& shape, Padding& padding) {
    conversion.by_index = {};
    if (random.one_in(2)) return;
    auto& [d, scale, offset] = conversion.by_index;
    d = random(0, shape.rank() - 1);
    double const scales[] = {1, 0.375, 3, -2}, offsets[] = {0, -12.5, 7};
    bool const has_scales = random.one_in(2), has_offsets = !has_scales || random.one_in(2);
    for (std::uint64_t i = 0; i < shape[d]; ++i) {
      if (has_scales) scale.push_back(scales[random(0, 3)]);
      if (has_offsets) offset.push_back(offsets[random(0, 2)]);
    }
    if (padding.mode != PaddingMode::constant) return;
    if (padding.before.rank() > 0) padding.before[d] = 0;
    if (padding.after.rank() > 0) padding.after[d] = 0;
  }
  /// Of each element of boxes of a padded array of that shape, in memory: its index of that dimension.
  std::vector<std::size_t> indices(OrientedBoxes const& boxes, Extents const& shape, Padding const& padding) const {
    if (!conversion.by_index.is_given()) return {};
    auto const d = conversion.by_index.dimension;
    auto const padded = padding.padded(shape);
    std::vector<std::size_t> result;
    for (auto const& box : boxes.boxes) {
      auto const region = box.resolve(padded);
      auto const before = padding.before.rank() == 0 ? 0 : padding.before[d];
      for_each_index(region.count, [&](Extents const& at) {
        result.push_back(*source_of(region.first[d] + at[d] * region.step[d], before, shape[d], padding.mode));
      });
    }
    return boxes.turned(result, padded);
  }
  std::string text() const {
    return tessera::to_text({tessera::data_type_of<T>().name(), " as ", tessera::data_type_of<Program>().name(), ", ",
                             std::to_string(conversion.scale), " and ", std::to_string(conversion.offset)});
  }
};

/// What boxes should have, or the place of the first number that is refused.
template <class Program>
struct ConvertedBoxes {
  std::vector<Program> elements{};
  std::string refused{};

  /// `given`: the array's numbers, box after box, of the shape `all`. `indices`: as RandomConversion::indices has them.
  template <class T>
  ConvertedBoxes(std::vector<T> const& given, Extents const& all, RandomConversion<Program, T> const& how,
                 std::vector<std::size_t> const& indices = {}) {
    auto [scale, offset, out_of_range, markers, by_index] = how.conversion;
    for (auto const number : given) {
      if (by_index.is_given()) {
        auto const i = indices[elements.size()];
        scale = by_index.scale.empty() ? 1 : by_index.scale[i];
        offset = by_index.offset.empty() ? 0 : by_index.offset[i];
      }
      auto made = expected_as<Program>(number, scale, offset, false);
      if constexpr (!std::is_integral_v<Program>)
        if (std::ranges::find(how.missing, number) != how.missing.end())
          made = static_cast<Program>(std::numeric_limits<double>::quiet_NaN());
      if (!made && refused.empty() && out_of_range == tessera::OutOfRange::refuse) {
        auto at = all;
        auto rest = elements.size();
        for (auto d = all.rank(); d-- > 0; rest /= all[d]) at[d] = rest % all[d];
        Extents in_box;
        for (std::size_t d = 1; d < at.rank(); ++d) in_box.push_back(at[d]);
        refused = tessera::to_text({"element ", to_string(in_box), " of box ", at[0], " is "});
      }
      elements.push_back(made ? *made : nearest_as<Program>(number, scale, offset));
    }
  }

  /// `found`: numbers, in the same order.
  template <class Range>
  std::size_t wrong(Range const& found) const {
    std::size_t count = 0, i = 0;
    for (auto const& one : found) count += i >= elements.size() || !is_equal<Program>(one, elements[i++]);
    return count + (elements.size() - i);
  }
  /// Calls f, which should return, or throw the ConversionError.
  template <class F>
  void check(F&& f) const {
    std::string error;
    try {
      f();
    } catch (tessera::ConversionError const& thrown) {
      error = thrown.what();
    }
    CHECK(error.empty() == refused.empty());
    CHECK_MESSAGE(error.find(refused) != std::string::npos, error, " but expected ", refused);
  }
};

}  // namespace test
