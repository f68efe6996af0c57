// place_runs: for elements with components of several sizes in the other byte order, places each run of components as
// separate elements, with the strides of the whole ones.
#pragma once
#include <cstdint>
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

/// Calls f(form) for each of the form's runs, with the batch shifted to it, or once if there are none. Returns the sum
/// of f's results.
template <class Batch, class F>
std::uint64_t place_runs(Batch& batch, PlacementForm const& form, F&& f) {
  if (form.runs.empty()) return f(form);
  std::uint64_t moved = 0;
  auto one = form;
  one.runs = {};
  std::int64_t at = 0;
  for (auto const& run : form.runs) {
    shift(batch, run.at - at);
    at = run.at;
    one.item_size = run.size;
    one.swapped = run.swapped;
    if (form.fill.data) one.fill = form.fill.sub(run.at, run.size);
    moved += f(one);
  }
  shift(batch, -at);
  return moved;
}

}}}  // namespace tessera::v0::detail
