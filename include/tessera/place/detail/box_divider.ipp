#pragma once
#include <tessera/place/detail/box_divider.hpp>

#include <cstddef>
#include <cstdint>

#include <tessera/core/error.hpp>
#include <tessera/place/detail/joined_axes.hpp>
#include <tessera/place/detail/placement_table.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void BoxDivider::add(Batch alike) {
  std::uint64_t count[most_axes];
  for (std::size_t d = 0; d < axes.rank(); ++d) count[d] = axes.words(d, alike.front().count);
  add(alike, count);
}

TESSERA_DECL void BoxDivider::add(Batch begins, std::uint64_t (&count)[most_axes]) {
  std::uint64_t total = 1;
  for (std::size_t d = 0; d < axes.rank(); ++d) total *= count[d];
  if (total >= limit) {
    for (auto const& box : begins) divide(box, count);
    return;
  }
  auto const shape = shape_of(count, total);
  auto const its_blocks = static_cast<std::uint32_t>(blocks_of(shapes[shape]));
  for (auto const& box : begins) {
    boxes.push_back({box.from, box.to, blocks, shape, its_blocks});
    blocks += its_blocks;
  }
}

TESSERA_DECL void BoxDivider::divide(Box const& begin, std::uint64_t (&count)[most_axes]) {
  for (std::size_t d = 0; d < axes.rank(); ++d) {
    auto const grain = axes.has_bytes() && d + 1 == axes.rank() ? std::uint64_t{table.fill_words.divisor} : 1;
    if (count[d] <= grain) continue;
    auto const whole = count[d], half = (whole / 2 + grain - 1) / grain * grain;
    count[d] = half;
    add({&begin, 1}, count);
    auto const n = static_cast<std::int64_t>(half);
    Box const second{begin.from ? begin.from + n * axes[d].from : nullptr, begin.to + n * axes[d].to, {}};
    count[d] = whole - half;
    add({&second, 1}, count);
    count[d] = whole;
    return;
  }
  throw Error{to_text({"cannot divide an element of ", moved, " bytes"})};
}

TESSERA_DECL std::uint32_t BoxDivider::shape_of(std::uint64_t const (&count)[most_axes], std::uint64_t total) {
  auto const is_last = [&] {
    for (std::size_t d = 0; d < axes.rank(); ++d)
      if (shapes.back().count[d] != count[d]) return false;
    return true;
  };
  if (shapes.empty() || !is_last()) {
    PlacedShape shape{};
    shape.words = static_cast<std::uint32_t>(total);
    for (std::size_t d = 0; d < axes.rank(); ++d) {
      auto const step = table.axes[d].step;
      shape.count[d] = static_cast<std::uint32_t>(count[d]);
      shape.by_steps[d] = Division{((shape.count[d] - 1) >> step) + 1};
    }
    shapes.push_back(shape);
  }
  return static_cast<std::uint32_t>(shapes.size() - 1);
}

TESSERA_DECL std::uint64_t BoxDivider::blocks_of(PlacedShape const& shape) const {
  auto const words_per_block = placing_threads * words_per_thread(axes.word());
  if (!tiled) return (shape.words - 1) / words_per_block + 1;
  std::uint64_t steps = 1;
  for (std::size_t d = 0; d < axes.rank(); ++d) steps *= shape.by_steps[d].divisor;
  return steps;
}

}}}  // namespace tessera::v0::detail
