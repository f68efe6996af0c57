// PlacedRuns: for elements with components of several sizes in the other byte order, places each run of components as
// separate elements, with the strides of the whole ones.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/listed.hpp>
#include <tessera/place/detail/placement.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <MemorySpace S>
void shift(std::vector<Placement<S>>& batch, std::int64_t by) {
  for (auto& one : batch) {
    if (one.from) one.from += by;
    one.to += by;
  }
}
template <MemorySpace S>
void shift(ListedBatch<S>& batch, std::int64_t by) {
  for (auto& one : batch.boxes) {
    if (one.from) one.from += by;
    one.to += by;
  }
}

/// The form of each of the form's runs, for a loop that places the batch, which is shifted to it meanwhile; once the
/// form itself, if it has none.
template <class Batch>
class PlacedRuns {
 public:
  /// The arguments outlive this.
  PlacedRuns(Batch& batch, PlacementForm const& form) : batch_{batch}, whole_{form} {}
  PlacedRuns(PlacedRuns const&) = delete;

  bool next() {
    auto const& runs = whole_.runs;
    if (runs.empty()) return next_++ == 0;
    if (next_ == runs.size()) {
      shift(batch_, -at_);
      return false;
    }
    if (next_ == 0) one_.emplace(whole_).runs = {};
    auto const& run = runs[next_++];
    shift(batch_, run.at - at_);
    at_ = run.at;
    one_->item_size = run.size;
    one_->swapped = run.swapped;
    if (whole_.fill.data) one_->fill = whole_.fill.sub(run.at, run.size);
    return true;
  }
  PlacementForm const& form() const { return one_ ? *one_ : whole_; }

 private:
  Batch& batch_;
  PlacementForm const& whole_;
  std::optional<PlacementForm> one_;
  std::size_t next_ = 0;
  std::int64_t at_ = 0;
};

}}}  // namespace tessera::v0::detail
