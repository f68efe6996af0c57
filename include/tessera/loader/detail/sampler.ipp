#pragma once
#include <tessera/loader/sampler.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/loader/detail/random_numbers.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Throws: SelectionError, if no such box is in an array of that shape.
TESSERA_DECL void expect_fits(Extents const& box, Extents const& shape) {
  if (box.rank() != shape.rank())
    throw SelectionError{to_text({"found a box of ", box.rank(), " dimensions, expected ", shape.rank()})};
  for (std::size_t d = 0; d < box.rank(); ++d)
    if (box[d] > shape[d])
      throw SelectionError{to_text({"dimension ", d, ": found a box of ", box[d], ", expected at most ", shape[d]})};
}

TESSERA_DECL Box box_at(Extents const& first, Extents const& box) {
  std::vector<Slice> slices;
  slices.reserve(box.rank());
  for (std::size_t d = 0; d < box.rank(); ++d) slices.emplace_back(first[d], first[d] + box[d]);
  return Box{std::move(slices)};
}

TESSERA_DECL SamplerPosition::SamplerPosition(SamplerOptions const& options)
    : seed_{options.seed}, rank_{options.rank}, ranks_{options.ranks} {
  if (rank_ >= ranks_) throw Error{to_text({"found rank ", rank_, " of a sampler, expected one below ", ranks_})};
}

}  // namespace detail

TESSERA_DECL UniformBoxes::UniformBoxes(Extents const& shape, Extents const& box, SamplerOptions const& options,
                                        std::uint64_t count)
    : shape_{shape}, box_{box}, at_{options}, count_{count} {
  detail::expect_fits(box, shape);
}

TESSERA_DECL std::optional<Box> UniformBoxes::operator()() {
  if (*at_ >= size()) return std::nullopt;
  detail::RandomNumbers random{at_.seed(), at_.among_all(at_.next())};
  auto first = box_;
  for (std::size_t d = 0; d < box_.rank(); ++d) first[d] = random.below(shape_[d] - box_[d] + 1);
  return detail::box_at(first, box_);
}

TESSERA_DECL ShuffledGrid::ShuffledGrid(Extents const& shape, Extents const& box, SamplerOptions const& options,
                                        std::uint64_t epochs)
    : box_{box}, grid_{box}, at_{options}, boxes_{0}, epochs_{epochs} {
  detail::expect_fits(box, shape);
  for (std::size_t d = 0; d < box.rank(); ++d) {
    if (box[d] == 0) throw SelectionError{to_text({"dimension ", d, ": found a box of 0, expected at least 1"})};
    grid_[d] = shape[d] / box[d];
  }
  boxes_ = element_count(grid_, "the grid of boxes");
}

TESSERA_DECL std::optional<Box> ShuffledGrid::operator()() {
  auto const in_epoch = size();
  if (in_epoch == 0 || *at_ / in_epoch >= epochs_) return std::nullopt;
  auto const i = at_.next();
  detail::Shuffle const shuffled{boxes_, at_.seed(), i / in_epoch};
  auto number = shuffled(at_.among_all(i % in_epoch));
  auto first = box_;
  for (auto d = box_.rank(); d-- > 0; number /= grid_[d]) first[d] = number % grid_[d] * box_[d];
  return detail::box_at(first, box_);
}

TESSERA_DECL WeightedBoxes::WeightedBoxes(std::vector<Box> boxes, std::vector<double> const& weights,
                                          SamplerOptions const& options, std::uint64_t count)
    : boxes_{std::move(boxes)}, at_{options}, count_{count} {
  if (weights.size() != boxes_.size())
    throw SelectionError{
        to_text({"found ", weights.size(), " weights, expected ", boxes_.size(), ", one for each box"})};
  double sum = 0;
  for (auto const weight : weights) {
    if (!(weight >= 0)) throw SelectionError{"found a weight that is negative or no number, expected 0 or more"};
    until_.push_back(sum += weight);
  }
  if (!(sum > 0) || sum - sum != 0) throw SelectionError{"the sum of the weights must be more than 0, and finite"};
}

TESSERA_DECL std::optional<Box> WeightedBoxes::operator()() {
  if (*at_ >= size()) return std::nullopt;
  detail::RandomNumbers random{at_.seed(), at_.among_all(at_.next())};
  // Rounding may reach the sum itself, which is beyond the last box that has a weight.
  auto const end = std::ranges::lower_bound(until_, until_.back());
  auto const found = std::upper_bound(until_.begin(), end, random.fraction() * until_.back());
  return boxes_[static_cast<std::size_t>(found - until_.begin())];
}

namespace detail {

TESSERA_DECL void expect_distinct(Extents const& dimensions) {
  for (std::size_t i = 0; i < dimensions.rank(); ++i)
    if (dimensions[i] >= max_rank ||
        std::find(dimensions.begin(), dimensions.begin() + i, dimensions[i]) != dimensions.begin() + i)
      throw SelectionError{to_text({"found ", to_string(dimensions), ", expected dimensions, each once"})};
}

TESSERA_DECL Orientation random_orientation(RandomTurns const& turns, std::uint64_t seed, std::uint64_t number) {
  RandomNumbers random{~seed, number};  // others than those of a sampler of the same seed
  Orientation drawn;
  for (auto const d : turns.flip)
    if (random.below(2) == 1) drawn.flip.push_back(d);
  auto const& some = turns.permute;
  if (some.rank() < 2) return drawn;
  for (std::uint64_t d = 0; d <= *std::ranges::max_element(some); ++d) drawn.axes.push_back(d);
  for (auto i = some.rank(); i > 1; --i) std::swap(drawn.axes[some[i - 1]], drawn.axes[some[random.below(i)]]);
  return drawn;
}

}  // namespace detail
}}  // namespace tessera::v0
