// --region: "0:64,:,10:20:2".
#pragma once
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/view/box.hpp>

#include "failure.hpp"

namespace cli {
namespace detail {

// Calls f with each part of a text between separators: at least one.
template <class F>
void each_part(std::string_view text, char separator, F&& f) {
  for (;;) {
    auto const end = text.find(separator);
    f(text.substr(0, end));
    if (end == text.npos) return;
    text.remove_prefix(end + 1);
  }
}

inline std::uint64_t index_in(std::string_view text, std::string_view part) {
  std::uint64_t number = 0;
  auto const* end = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || number > std::numeric_limits<std::int64_t>::max())
    throw UsageError{"--region: \"" + std::string{part} +
                     "\" is none of :, a, a:, :b, a:b, a:b:s with numbers from 0 on"};
  return number;
}

inline tessera::Slice slice(std::string_view part) {
  std::vector<std::string_view> numbers;
  each_part(part, ':', [&](std::string_view number) { numbers.push_back(number); });
  if (numbers.size() == 1) {
    auto const index = index_in(part, part);
    return {index, index + 1};
  }
  if (numbers.size() > 3) index_in(part, part);  // complains
  tessera::Slice result;
  if (!numbers[0].empty()) result.first = index_in(numbers[0], part);
  if (!numbers[1].empty()) result.stop = index_in(numbers[1], part);
  if (numbers.size() == 3 && !numbers[2].empty()) result.step = index_in(numbers[2], part);
  return result;
}

}  // namespace detail

/// Empty: everything. Throws: UsageError.
inline tessera::Box parse_region(std::string_view text) {
  if (text.empty()) return tessera::all;
  std::vector<tessera::Slice> slices;
  detail::each_part(text, ',', [&](std::string_view part) { slices.push_back(detail::slice(part)); });
  return tessera::Box{std::move(slices)};
}

/// Throws: UsageError saying which dimension does not fit, and the shape.
inline tessera::Region fit(tessera::Box const& box, tessera::Extents const& shape) try {
  return box.resolve(shape);
} catch (tessera::SelectionError const& error) {
  throw UsageError{std::string{"--region: "} + error.what() + "; the shape is " + tessera::to_string(shape)};
}

}  // namespace cli
