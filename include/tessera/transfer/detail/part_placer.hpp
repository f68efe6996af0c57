// PartPlacer: places parts of chunks, in batches that keep their list short.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/place/detail/place_runs.hpp>
#include <tessera/place/detail/placer.hpp>
#include <tessera/plan/detail/plan.hpp>
#include <tessera/transfer/detail/batches.hpp>
#include <tessera/transfer/detail/listed_placer.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Strides from one element of a part to the next, in a chunk.
TESSERA_DECL Strides stepped(Strides const& dense, Extents const& steps);

/// Collects placements of one form, in a vector that is reused.
template <MemorySpace S>
class PartPlacer {
 public:
  /// A mini-batch of boxes has fewer, unless the caller asked for more; lists and points may have one per element.
  static constexpr std::size_t most = 1024;

  PartPlacer(std::vector<Placement<S>>& placements, PlacementForm const& form, queue_for<S>& on,
             AnyPlacer<S> const* placer = nullptr)
      : placements_{placements}, form_{form}, on_{on}, placer_{placer} {
    placements_.clear();
  }

  void add(Placement<S> const& placement) {
    placements_.push_back(placement);
    if (placements_.size() == most) place();
  }
  /// Places all that was added. Returns the bytes moved in total.
  std::uint64_t place() {
    for (PlacedRuns runs{placements_, form_}; runs.next();)
      moved_ += placer_ ? placer_->place(placements_, runs.form(), on_)
                        : placer<S>::place(placements_, runs.form(), on_);
    placements_.clear();
    return moved_;
  }

 private:
  std::vector<Placement<S>>& placements_;
  PlacementForm const& form_;
  queue_for<S>& on_;
  AnyPlacer<S> const* placer_;  // null: placer<S>
  std::uint64_t moved_ = 0;
};

/// A bool in C++ is 0 or 1; any other byte would be undefined behaviour in the user's program.
template <MemorySpace S>
void expect_booleans(Placement<S> const& placement, Strides const& strides, std::size_t chunk) {
  for (auto n : placement.count)
    if (n == 0) return;
  Axes const axes{placement.count, strides, strides};
  AxesPosition element{axes, placement.to, placement.from};
  do {
    if (*element.from <= std::byte{1}) continue;
    throw CodecError{
        to_text({"found an element ", std::to_integer<int>(*element.from), ", expected 0 or 1 for a bool"})}
        .in_chunk(chunk);
  } while (element.next());
}

/// The defaults for a plan, including its bytes beside the chunks.
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

#if !defined(TESSERA_SEPARATE)
#include <tessera/transfer/detail/part_placer.ipp>
#endif
