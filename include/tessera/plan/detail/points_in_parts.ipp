#pragma once
#include <tessera/plan/detail/points_in_parts.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <tessera/plan/detail/regular_part.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// Gathers elements while they lie in one part.
class PointGathering {
 public:
  PointGathering(ChunkAxes const& axes, UsePart f) : axes_{axes}, f_{f} {}

  void add(std::uint64_t const* place) {
    std::vector<AxisPart const*> here;
    for (std::size_t d = 0; d < axes_.size(); ++d) here.push_back(&axes_[d].part_of(place[d]));
    if (here != parts_) give();
    parts_ = std::move(here);
    for (std::size_t d = 0; d < axes_.size(); ++d) places_.push_back(place[d] - parts_[d]->first);
    ++count_;
  }
  void give() {
    if (count_ == 0) return;
    RegularPart part;
    for (auto const* one : parts_) {
      part.first_chunk.push_back(one->first_chunk);
      part.shape.push_back(one->elements);
      part.chunk_shape.push_back(one->chunk);
    }
    auto const owner = std::make_shared<std::vector<std::uint64_t> const>(std::exchange(places_, {}));
    auto const count = std::exchange(count_, 0);
    f_(part, ResolvedSelection{PointList{*owner, owner, count}}, {std::exchange(before_, before_ + count)});
  }

 private:
  ChunkAxes const& axes_;
  UsePart f_;
  std::vector<AxisPart const*> parts_;
  std::vector<std::uint64_t> places_;
  std::uint64_t count_ = 0, before_ = 0;
};

TESSERA_DECL void each_part_of_points(ResolvedSelection const& selected, ChunkAxes const& axes, UsePart f) {
  auto const rank = axes.size();
  PointGathering gathering{axes, f};
  auto const& [first, count, owner] = selected.points;
  for (std::size_t i = 0; i * rank < first.size(); ++i) {
    std::vector<std::uint64_t> place(first.begin() + static_cast<std::ptrdiff_t>(i * rank),
                                     first.begin() + static_cast<std::ptrdiff_t>((i + 1) * rank));
    for (std::uint64_t k = 0; k < (count.empty() ? 1 : count[i]); ++k, ++place.back()) gathering.add(place.data());
  }
  gathering.give();
}

TESSERA_DECL void each_part_of_mask(ResolvedSelection const& selected, ChunkAxes const& axes, Extents const& shape,
                                    UsePart f) {
  PointGathering gathering{axes, f};
  std::vector<std::uint64_t> place(axes.size());
  selected.mask.for_each_run(0, element_count(shape, "shape"), [&](std::uint64_t first, std::uint64_t count) {
    for (auto i = first; i < first + count; ++i) {
      auto rest = i;
      for (auto d = axes.size(); d-- > 0; rest /= shape[d]) place[d] = rest % shape[d];
      gathering.add(place.data());
    }
    return true;
  });
  gathering.give();
}

}}}  // namespace tessera::v0::detail
