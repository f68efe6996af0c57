// Sampler, UniformBoxes, ShuffledGrid, WeightedBoxes: which boxes of an array a program reads, in which order.
// RandomOrientations: how they are flipped and transposed.
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <tessera/array/detail/orientation.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/view/box.hpp>

namespace tessera { inline namespace v0 {

/// Returns the next Box or OrientedBox at each call, and nothing at the end: a lambda, or one of those below.
template <class F>
concept Sampler = std::copy_constructible<F> && requires(F& sampler) {
  { sampler() } -> std::convertible_to<std::optional<OrientedBox>>;
};

/// How the samplers below draw. The boxes depend on these numbers alone: they are the same on every platform.
struct SamplerOptions {
  std::uint64_t seed = 0;  ///< seed of the random numbers
  /// The number of this process, and how many processes there are. Of the boxes that a single process would draw, box i
  /// belongs to process i % ranks: the ranks share the sequence, and no box of it is drawn twice.
  std::uint64_t rank = 0, ranks = 1;
};

namespace detail {

/// What the samplers below share: a position in the boxes of this rank.
class SamplerPosition {
 public:
  /// Throws: Error, if the rank is not below the number of ranks.
  TESSERA_DECL explicit SamplerPosition(SamplerOptions const& options);

  std::uint64_t operator*() const { return position_; }
  void seek(std::uint64_t position) { position_ = position; }
  /// How many of the first `all` boxes of all ranks belong to this rank.
  std::uint64_t share(std::uint64_t all) const { return all / ranks_ + (rank_ < all % ranks_); }
  /// Where the i-th box of this rank is among those of all ranks.
  std::uint64_t among_all(std::uint64_t i) const { return i * ranks_ + rank_; }
  std::uint64_t next() { return position_++; }
  std::uint64_t seed() const { return seed_; }

 private:
  std::uint64_t seed_, rank_, ranks_, position_ = 0;
};

}  // namespace detail

/// The `count` for a sampler that never ends.
inline constexpr std::uint64_t endless = ~std::uint64_t{0};

/// Boxes of one shape at independent random places: every place where the box fits is equally likely.
class UniformBoxes {
 public:
  /// `count`: boxes of all ranks together. Throws: SelectionError, if the box does not fit in the array.
  TESSERA_DECL UniformBoxes(Extents const& shape, Extents const& box, SamplerOptions const& options = {},
                            std::uint64_t count = endless);

  TESSERA_DECL std::optional<Box> operator()();             ///< the next box
  std::uint64_t size() const { return at_.share(count_); }  ///< boxes of this rank
  std::uint64_t position() const { return *at_; }           ///< boxes that were drawn
  /// Continues as if `position` boxes had been drawn.
  void seek(std::uint64_t position) { at_.seek(position); }

 private:
  Extents shape_, box_;
  detail::SamplerPosition at_;
  std::uint64_t count_;
};

/// The boxes of a grid, from the array's first element on, in a shuffled order: in an epoch each is drawn once, by one
/// rank, and each epoch has a new order. Boxes that would reach beyond the array are left out. If the ranks do not
/// divide the number of boxes, the first ranks draw one more in an epoch. No list of the boxes is in memory.
class ShuffledGrid {
 public:
  /// Throws: SelectionError, if the box does not fit in the array, or has no element.
  TESSERA_DECL ShuffledGrid(Extents const& shape, Extents const& box, SamplerOptions const& options = {},
                            std::uint64_t epochs = 1);

  TESSERA_DECL std::optional<Box> operator()();             ///< the next box
  std::uint64_t size() const { return at_.share(boxes_); }  ///< boxes of this rank in an epoch
  std::uint64_t position() const { return *at_; }           ///< boxes that were drawn, over all epochs
  /// Continues as if `position` boxes had been drawn.
  void seek(std::uint64_t position) { at_.seek(position); }

 private:
  Extents box_, grid_;
  detail::SamplerPosition at_;
  std::uint64_t boxes_, epochs_;
};

/// Boxes drawn independently from a list. The probability of a box is its weight divided by the sum of all weights.
class WeightedBoxes {
 public:
  /// `count`: boxes of all ranks together. Throws: SelectionError, unless each box has a weight, no weight is negative,
  /// and at least one is greater than 0.
  TESSERA_DECL WeightedBoxes(std::vector<Box> boxes, std::vector<double> const& weights,
                             SamplerOptions const& options = {}, std::uint64_t count = endless);

  TESSERA_DECL std::optional<Box> operator()();             ///< the next box
  std::uint64_t size() const { return at_.share(count_); }  ///< boxes of this rank
  std::uint64_t position() const { return *at_; }           ///< boxes that were drawn
  /// Continues as if `position` boxes had been drawn.
  void seek(std::uint64_t position) { at_.seek(position); }

 private:
  std::vector<Box> boxes_;
  std::vector<double> until_{};  // the weights of each box and all before it
  detail::SamplerPosition at_;
  std::uint64_t count_;
};

/// What RandomOrientations changes.
struct RandomTurns {
  Extents flip{};     ///< dimensions to flip, each with probability 1/2
  Extents permute{};  ///< dimensions to permute; every order is equally likely
};

namespace detail {

/// Throws: SelectionError, if a dimension is given twice.
TESSERA_DECL void expect_distinct(Extents const& dimensions);
TESSERA_DECL Orientation random_orientation(RandomTurns const& turns, std::uint64_t seed, std::uint64_t number);

}  // namespace detail

/// The boxes of another sampler, each with a random orientation:
///
///     RandomOrientations crops{UniformBoxes{shape, {64, 64, 64}, {.seed = 7}}, {.flip = {0, 1, 2}}, {.seed = 7}};
///
/// The boxes of a batch must have the same shape after they are permuted, so they need the same length along all
/// dimensions in `permute`. The sampler's options and these should have the same `rank` and `ranks`.
template <Sampler F>
class RandomOrientations {
 public:
  /// Throws: SelectionError, if a dimension is given twice.
  RandomOrientations(F boxes, RandomTurns const& turns, SamplerOptions const& options = {})
      : boxes_{std::move(boxes)}, turns_{turns}, at_{options} {
    detail::expect_distinct(turns.flip), detail::expect_distinct(turns.permute);
  }

  std::optional<OrientedBox> operator()() {  ///< the next box
    std::optional<OrientedBox> next = boxes_();
    if (next) next->orientation = detail::random_orientation(turns_, at_.seed(), at_.among_all(at_.next()));
    return next;
  }
  std::uint64_t position() const { return *at_; }  ///< boxes that were drawn
  /// Continues as if `position` boxes had been drawn. Requires: the other sampler can.
  void seek(std::uint64_t position) {
    boxes_.seek(position);
    at_.seek(position);
  }

 private:
  F boxes_;
  RandomTurns turns_;
  detail::SamplerPosition at_;
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/loader/detail/sampler.ipp>
#endif
