// A plane of numbers as greys.
#pragma once
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "element.hpp"

namespace cli {

/// Row by row, 0 is black.
struct Picture {
  std::size_t rows, columns;
  std::vector<std::uint8_t> grey;
  std::vector<std::uint8_t> is_nan{};  ///< 1: the colour of NaN instead of a grey; empty: no NaN
};

struct Greys {
  std::vector<std::uint8_t> grey, is_nan;
  std::string least, most;  ///< the elements that are black and white; infinities are neither
  std::size_t nans = 0;
};

/// From black, the smallest element, to white, the largest; mid-grey if all are equal.
template <class T>
Greys greys_of(std::span<T const> elements) {
  auto const is_number = [](T element) {
    if constexpr (std::floating_point<T>)
      return std::isfinite(element);
    else
      return true;
  };
  auto const first = std::find_if(elements.begin(), elements.end(), is_number);
  Greys result{std::vector<std::uint8_t>(elements.size()), {}, "none", "none"};
  T least{}, most{};
  if (first != elements.end()) {
    least = most = *first;
    for (auto element : elements)
      if (is_number(element)) least = std::min(least, element), most = std::max(most, element);
    result.least = number_text(least);
    result.most = number_text(most);
  }
  // Half of each, because a double may not hold the difference.
  auto const scale = std::isfinite(static_cast<double>(most) - static_cast<double>(least)) ? 1.0 : 0.5;
  auto const from = static_cast<double>(least) * scale, range = static_cast<double>(most) * scale - from;
  std::transform(elements.begin(), elements.end(), result.grey.begin(), [&](T element) -> std::uint8_t {
    auto const value = static_cast<double>(element);
    if (std::isnan(value)) return 0;
    if (std::isinf(value)) return value > 0 ? 255 : 0;
    if (range == 0) return 128;
    return static_cast<std::uint8_t>(std::lround((value * scale - from) / range * 255));
  });
  if constexpr (std::floating_point<T>) {
    auto const is_nan = [](T element) { return std::isnan(element); };
    result.nans = static_cast<std::size_t>(std::count_if(elements.begin(), elements.end(), is_nan));
    if (result.nans > 0) {
      result.is_nan.resize(elements.size());
      std::transform(elements.begin(), elements.end(), result.is_nan.begin(), is_nan);
    }
  }
  return result;
}

/// The picture scaled to rows x columns, neither larger than its own: each pixel is the mean of its greys, or NaN if
/// most are NaN.
inline Picture shrunk(Picture const& picture, std::size_t rows, std::size_t columns) {
  Picture result{rows, columns, std::vector<std::uint8_t>(rows * columns)};
  if (!picture.is_nan.empty()) result.is_nan.resize(rows * columns);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      auto const top = r * picture.rows / rows, bottom = (r + 1) * picture.rows / rows;
      auto const left = c * picture.columns / columns, right = (c + 1) * picture.columns / columns;
      std::uint64_t sum = 0, nans = 0;
      auto const all = (bottom - top) * (right - left);
      for (auto y = top; y < bottom; ++y)
        for (auto x = left; x < right; ++x) {
          auto const at = y * picture.columns + x;
          bool const is_nan = !picture.is_nan.empty() && picture.is_nan[at];
          is_nan ? ++nans : sum += picture.grey[at];
        }
      if (2 * nans > all)
        result.is_nan[r * columns + c] = 1;
      else
        result.grey[r * columns + c] = static_cast<std::uint8_t>(sum / (all - nans));
    }
  return result;
}

}  // namespace cli
