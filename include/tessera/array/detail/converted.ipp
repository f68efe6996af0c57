#pragma once
#include <tessera/array/detail/converted.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <tessera/core/detail/checked.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void for_each_part_of(ResolvedSelection const& what, Extents const& chunk, std::size_t item_size,
                                   FunctionRef<void(ResolvedSelection const&, std::uint64_t)> f) {
  constexpr std::uint64_t usual = 16 << 20;
  auto const elements = element_count(what.shape, "the selection");
  if (what.is_points || what.is_mask || !what.lists.empty() || what.shape.rank() == 0 || elements * item_size <= usual)
    return f(what, std::uint64_t{0});
  auto const rows = what.shape[0], of_row = elements / rows, first = what.region.first[0], step = what.region.step[0];
  auto const wanted = std::max<std::uint64_t>(usual / (of_row * item_size), 1);
  auto const start_of = [&](std::uint64_t chunks) {  // the first row of that row of chunks, or of the selection
    auto const at = chunks * chunk[0];
    return at <= first ? 0 : (at - first + step - 1) / step;
  };
  for (std::uint64_t row = 0; row < rows;) {
    auto next = row + wanted;
    if (next < rows) {
      auto const last = (first + next * step) / chunk[0];
      next = start_of(last) > row ? start_of(last) : start_of(last + 1);
    }
    next = std::min(next, rows);
    auto region = what.region;
    region.first[0] = first + row * step;
    region.count[0] = next - row;
    f(ResolvedSelection{region}, row * of_row);
    row = next;
  }
}

TESSERA_DECL std::string place_in(Extents const& shape, std::uint64_t i) {
  auto place = shape;
  for (std::size_t d = shape.rank(); d-- > 0; i /= shape[d]) place[d] = i % shape[d];
  return to_string(place);
}

TESSERA_DECL std::string place_in_boxes(Extents const& shape, std::uint64_t i) {
  Extents box;
  for (std::size_t d = 1; d < shape.rank(); ++d) box.push_back(shape[d]);
  auto const of_box = element_count(box, "a box");
  return to_text({place_in(box, i % of_box), " of box ", i / of_box});
}

TESSERA_DECL ReadOptions unobserved(ReadOptions options) {
  options.progress = nullptr;
  options.traffic = nullptr;
  return options;
}

}}}  // namespace tessera::v0::detail
