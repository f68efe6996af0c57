// Parts of chunks on their way to the placer: so many at a time that their list stays short.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/place/copy.hpp>
#include <tessera/plan/plan.hpp>
#include <tessera/transfer/batches.hpp>
#include <tessera/transfer/listed_placer.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Strides from one element of a part to the next, in a chunk.
inline Strides stepped(Strides const& dense, Extents const& steps) {
  auto strides = dense;
  for (std::size_t d = 0; d < dense.rank(); ++d) strides[d] *= static_cast<std::int64_t>(steps[d]);
  return strides;
}

/// Placements of one form, in a vector that is used again.
template <MemorySpace S, class Placer = placer<S>>
class PartPlacer {
 public:
  /// A mini-batch of boxes has fewer, if the caller did not ask for more; lists and points may have one per element.
  static constexpr std::size_t most = 1024;

  PartPlacer(std::vector<Placement<S>>& placements, PlacementForm const& form, queue_for<S>& on,
             Placer const& placing = {})
      : placements_{placements}, form_{form}, on_{on}, placer_{placing} {
    placements_.clear();
  }

  void add(Placement<S> const& placement) {
    placements_.push_back(placement);
    if (placements_.size() == most) place();
  }
  /// Returns how many bytes all of them moved.
  std::uint64_t finish() {
    place();
    return moved_;
  }

 private:
  void place() {
    moved_ += placer_.place(placements_, form_, on_);
    placements_.clear();
  }

  std::vector<Placement<S>>& placements_;
  PlacementForm const& form_;
  queue_for<S>& on_;
  [[no_unique_address]] Placer placer_;
  std::uint64_t moved_ = 0;
};

/// A bool in C++ is 0 or 1; any other byte would be undefined behaviour in the user's program.
template <MemorySpace S>
void expect_booleans(Placement<S> const& placement, Strides const& strides, std::size_t chunk) {
  for (auto n : placement.count)
    if (n == 0) return;
  Axes const axes{placement.count, strides, strides};
  axes.for_each(placement.to, placement.from, [&](std::byte*, std::byte const* element) {
    if (*element <= std::byte{1}) return;
    throw CodecError{text({"found an element ", std::to_integer<int>(*element), ", expected 0 or 1 for a bool"})}
        .in_chunk(chunk);
  });
}

/// What a mini-batch of a plan takes beside its chunks.
template <class Q, MemorySpace S>
UsualBatch usual_for(Plan const& plan) {
  auto usual = usual_on<Q>;
  if (plan.is_scattered())
    usual.beside += listed_bytes<S>(plan);
  else if (!plan.is_box())
    usual.beside += PartPlacer<S>::most * sizeof(Placement<S>);
  return usual;
}

}}}  // namespace tessera::v0::detail
