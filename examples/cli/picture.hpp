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
};

struct Greys {
  std::vector<std::uint8_t> grey;
  std::string least, most;  ///< the elements that are black and white; infinities are neither
};

/// From black, the least element, to white, the most; NaN is black; where all are the same they are mid-grey.
template <class T>
Greys greys_of(std::span<T const> elements) {
  auto const is_number = [](T element) {
    if constexpr (std::floating_point<T>)
      return std::isfinite(element);
    else
      return true;
  };
  auto const first = std::find_if(elements.begin(), elements.end(), is_number);
  Greys result{std::vector<std::uint8_t>(elements.size()), "none", "none"};
  T least{}, most{};
  if (first != elements.end()) {
    least = most = *first;
    for (auto element : elements)
      if (is_number(element)) least = std::min(least, element), most = std::max(most, element);
    result.least = number_text(least);
    result.most = number_text(most);
  }
  // Half of each, where the difference would be more than a double can hold.
  auto const scale = std::isfinite(static_cast<double>(most) - static_cast<double>(least)) ? 1.0 : 0.5;
  auto const from = static_cast<double>(least) * scale, range = static_cast<double>(most) * scale - from;
  std::transform(elements.begin(), elements.end(), result.grey.begin(), [&](T element) -> std::uint8_t {
    auto const value = static_cast<double>(element);
    if (std::isnan(value)) return 0;
    if (std::isinf(value)) return value > 0 ? 255 : 0;
    if (range == 0) return 128;
    return static_cast<std::uint8_t>(std::lround((value * scale - from) / range * 255));
  });
  return result;
}

/// The picture in rows x columns, neither more than it has: each pixel is the mean of those it stands for.
inline Picture shrunk(Picture const& picture, std::size_t rows, std::size_t columns) {
  Picture result{rows, columns, std::vector<std::uint8_t>(rows * columns)};
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      auto const top = r * picture.rows / rows, bottom = (r + 1) * picture.rows / rows;
      auto const left = c * picture.columns / columns, right = (c + 1) * picture.columns / columns;
      std::uint64_t sum = 0;
      for (auto y = top; y < bottom; ++y)
        for (auto x = left; x < right; ++x) sum += picture.grey[y * picture.columns + x];
      result.grey[r * columns + c] = static_cast<std::uint8_t>(sum / ((bottom - top) * (right - left)));
    }
  return result;
}

}  // namespace cli
