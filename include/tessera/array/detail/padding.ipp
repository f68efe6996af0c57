#pragma once
#include <tessera/array/detail/padding.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tessera/core/data_type.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL void PaddingValue::refuse(DataType const& type) {
  throw SelectionError{to_text({"padding: found a value of another type, expected one of ", type.name()})};
}

TESSERA_DECL Extents Padding::padded(Extents const& shape) const {
  auto const expect_rank = [&](std::string_view name, Extents const& found) {
    if (found.rank() != 0 && found.rank() != shape.rank())
      throw SelectionError{
          to_text({"padding: found ", name, " of ", found.rank(), " dimensions, expected ", shape.rank()})};
  };
  expect_rank("before", before);
  expect_rank("after", after);
  constexpr auto most = std::uint64_t{1} << 63;
  auto result = shape;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    auto const first = before.rank() == 0 ? 0 : before[d], last = after.rank() == 0 ? 0 : after[d];
    if (first == 0 && last == 0) continue;
    if (first >= most || last >= most - first || shape[d] >= most - first - last)
      throw SelectionError{to_text({"padding: dimension ", d, ": found ", first, " + ", shape[d], " + ", last,
                                    " elements, expected less than 2^63"})};
    if (shape[d] == 0 && mode != PaddingMode::constant)
      throw SelectionError{to_text({"padding: dimension ", d, ": found no elements, expected at least 1 for ",
                                    mode == PaddingMode::edge ? "edge" : "reflect"})};
    result[d] += first + last;
  }
  return result;
}

}}  // namespace tessera::v0
