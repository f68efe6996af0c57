#pragma once
#include <tessera/loader/detail/shared_draws.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL LoaderOptions widened(LoaderOptions options, std::size_t ahead) {
  for (auto* side : {&options.padding.before, &options.padding.after}) {
    if (side->rank() == 0) continue;
    auto wider = Extents::filled(ahead, 0);
    for (auto const n : *side) wider.push_back(n);
    *side = wider;
  }
  return options;
}

TESSERA_DECL OrientedBox widened(OrientedBox const& box, std::size_t rank, std::size_t ahead) {
  Orientation wider;
  for (auto const d : box.orientation.flip) wider.flip.push_back(d + ahead);
  if (auto const& axes = box.orientation.axes; axes.rank() > 0) {
    for (std::size_t d = 0; d < ahead; ++d) wider.axes.push_back(d);
    for (auto const d : axes) wider.axes.push_back(d + ahead);
  }
  std::vector<Slice> slices(ahead);
  constexpr auto every = Slice{}.stop;  // as a length: what a slice without an end has
  box.box.for_each_dimension(Extents::filled(rank, every), [&](std::size_t, Steps const& steps) {
    auto const [first, count, step] = steps;
    slices.push_back(count == 0 ? Slice{first, first} : Slice{first, first + (count - 1) * step + 1, step});
  });
  return {Box{std::move(slices)}, wider};
}

TESSERA_DECL SharedDraws::SharedDraws(Draw draw, std::size_t readers) : draw_{std::move(draw)}, at_(readers) {}

TESSERA_DECL std::optional<OrientedBox> SharedDraws::next(std::size_t reader) {
  std::lock_guard const lock{mutex_};
  auto const i = at_[reader] - first_;
  if (i == boxes_.size()) {
    if (error_) std::rethrow_exception(error_);
    if (has_ended_) return std::nullopt;
    try {
      if (auto box = draw_())
        boxes_.push_back(*std::move(box));
      else
        has_ended_ = true;
    } catch (...) {
      error_ = std::current_exception();
    }
    if (error_) std::rethrow_exception(error_);
    if (has_ended_) return std::nullopt;
  }
  ++at_[reader];
  if (auto const least = *std::ranges::min_element(at_); least > first_) {  // all have had the first
    std::optional<OrientedBox> last{std::move(boxes_.front())};
    boxes_.pop_front();
    ++first_;
    return last;
  }
  return boxes_[static_cast<std::size_t>(i)];
}

TESSERA_DECL SharedDraws::Draw SharedDraws::reader(std::shared_ptr<SharedDraws> const& draws, std::size_t i,
                                                   std::size_t rank, std::size_t ahead) {
  return [=]() -> std::optional<OrientedBox> {
    auto box = draws->next(i);
    if (box && ahead > 0) return widened(*box, rank, ahead);
    return box;
  };
}

}}}  // namespace tessera::v0::detail
