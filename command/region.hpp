// --region: "0:64,:,10:20:2" or "z=5,x=-64:", and --index: "z=5".
#pragma once
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/metadata/documents.hpp>
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

[[noreturn]] inline void refuse_part(std::string const& option, std::string_view part) {
  throw UsageError{tessera::to_text(
      {option, ": \"", part, "\" is ", option == "--index" ? "no whole number" : "none of :, a, a:, :b, a:b, a:b:s"})};
}

inline std::uint64_t number_in(std::string const& option, std::string_view text, std::string_view part) {
  std::uint64_t number = 0;
  auto const* end = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || number > std::numeric_limits<std::int64_t>::max())
    refuse_part(option, part);
  return number;
}

// A negative one counts from the end of the dimension.
inline std::uint64_t index_in(std::string const& option, std::string_view text, std::string_view part,
                              std::uint64_t length) {
  if (!text.starts_with('-')) return number_in(option, text, part);
  auto const back = number_in(option, text.substr(1), part);
  if (back > length)
    throw UsageError{tessera::to_text(
        {option, ": \"", part, "\": ", text, " is before the first index: the dimension has ", length, " indices"})};
  return back == 0 ? 0 : length - back;
}

inline tessera::Slice slice(std::string const& option, std::string_view part, bool is_index, std::uint64_t length) {
  std::vector<std::string_view> numbers;
  each_part(part, ':', [&](std::string_view number) { numbers.push_back(number); });
  if (numbers.size() == 1 || is_index) {
    auto const index = index_in(option, part, part, length);
    return {index, index + 1};
  }
  if (numbers.size() > 3) refuse_part(option, part);
  tessera::Slice result;
  if (!numbers[0].empty()) result.first = index_in(option, numbers[0], part, length);
  if (!numbers[1].empty()) result.stop = index_in(option, numbers[1], part, length);
  if (numbers.size() == 3 && !numbers[2].empty()) result.step = number_in(option, numbers[2], part);
  return result;
}

}  // namespace detail

/// The dimension with that name or number; the last is -1. Throws: UsageError; `option` is the option that names it.
inline std::size_t dimension_named(std::string_view name, tessera::ArrayMetadata const& array,
                                   std::string const& option) {
  auto const& names = array.dimension_names;
  for (std::size_t d = 0; d < names.size(); ++d)
    if (names[d] == name) return d;
  bool const is_negative = name.starts_with('-');
  std::size_t number = 0;
  auto const* end = name.data() + name.size();
  auto const [stop, error] = std::from_chars(name.data() + is_negative, end, number);
  auto const rank = array.shape.rank();
  if (error == std::errc{} && stop == end && (is_negative ? number > 0 && number <= rank : number < rank))
    return is_negative ? rank - number : number;
  std::string known;
  for (std::size_t d = 0; d < array.shape.rank(); ++d)
    known += (d == 0 ? "" : ", ") + (!names.empty() && names[d] ? *names[d] : std::to_string(d));
  throw UsageError{tessera::to_text({option, ": there is no dimension \"", name, "\"; ",
                                     known.empty() ? "the array has none" : "expected one of " + known,
                                     "; the shape is ", tessera::to_string(array.shape)})};
}

/// The request for each dimension; nullopt: none.
using Parts = std::vector<std::optional<tessera::Slice>>;

/// `region` has a part for each dimension, or names its dimensions; `index` names them. Throws: UsageError.
inline Parts parse_parts(std::string_view region, std::string_view index, tessera::ArrayMetadata const& array) {
  auto const rank = array.shape.rank();
  Parts parts(rank);
  auto const named = [&](std::string const& option, std::string_view text) {
    detail::each_part(text, ',', [&](std::string_view part) {
      auto const equals = part.find('=');
      if (equals == part.npos)
        throw UsageError{tessera::to_text({option, ": found \"", part, "\", expected NAME=",
                                           option == "--index" ? "N" : "PART", ": a dimension by its name or number"})};
      auto const d = dimension_named(part.substr(0, equals), array, option);
      auto& place = parts[d];
      if (place)
        throw UsageError{tessera::to_text({option, ": dimension \"", part.substr(0, equals), "\" is there twice"})};
      place = detail::slice(option, part.substr(equals + 1), option == "--index", array.shape[d]);
      if (option == "--index" && place->first >= array.shape[d])
        throw UsageError{
            tessera::to_text({"--index ", part, ": dimension ", part.substr(0, equals), " has ", array.shape[d],
                              " indices, expected one below that; the shape is ", tessera::to_string(array.shape)})};
    });
  };
  if (region.find('=') != region.npos) {
    named("--region", region);
  } else if (!region.empty()) {
    std::size_t d = 0;
    detail::each_part(region, ',', [&](std::string_view part) {
      constexpr std::uint64_t any =
          std::numeric_limits<std::int64_t>::max();  // of an excess one, which is refused below
      auto const slice = detail::slice("--region", part, false, d < rank ? array.shape[d] : any);
      if (d < rank && part != ":") parts[d] = slice;
      ++d;
    });
    if (d != rank)
      throw UsageError{tessera::to_text(
          {"--region: found ", d, " parts, expected ", rank, "; the shape is ", tessera::to_string(array.shape)})};
  }
  if (!index.empty()) named("--index", index);
  return parts;
}

/// Throws: UsageError saying which dimension does not fit, and the shape.
inline tessera::Region fit(Parts const& parts, tessera::Extents const& shape) try {
  std::vector<tessera::Slice> slices;
  for (auto const& part : parts) slices.push_back(part.value_or(tessera::Slice{}));
  return tessera::Box{std::move(slices)}.resolve(shape);
} catch (tessera::SelectionError const& error) {
  throw UsageError{std::string{"--region: "} + error.what() + "; the shape is " + tessera::to_string(shape)};
}

struct Asked {
  tessera::Region region;
  tessera::Extents shape;     ///< of the region, without the dimensions that --index names: as in NumPy
  std::vector<bool> is_kept;  ///< for each dimension of the region
};

/// Throws: UsageError.
inline Asked asked_of(std::string_view region, std::string_view index, tessera::ArrayMetadata const& array) {
  Asked asked{fit(parse_parts(region, index, array), array.shape), {}, {}};
  auto const indexed = parse_parts("", index, array);
  for (std::size_t d = 0; d < indexed.size(); ++d) {
    asked.is_kept.push_back(!indexed[d]);
    if (!indexed[d]) asked.shape.push_back(asked.region.count[d]);
  }
  return asked;
}

/// Throws: UsageError.
inline tessera::Region region_of(std::string_view region, tessera::ArrayMetadata const& array) {
  return fit(parse_parts(region, "", array), array.shape);
}

}  // namespace cli
