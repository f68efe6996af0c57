// PaddedAxis: which elements of an array the indices of a box are, along one padded dimension.
#pragma once
#include <algorithm>
#include <cstdint>

#include <tessera/array/padding.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Consecutive indices of a box along one dimension: index `target + i` is element `first + i * direction * step` of
/// the array, where `step` is that of the box.
struct AxisRun {
  std::uint64_t target, count, first;
  int direction;  ///< -1: mirrored; 0: one element is repeated; a single index has 1
};

struct PaddedAxis {
  std::uint64_t length, before;  ///< elements of the array, and of the padding ahead of it
  PaddingMode mode;

  PaddedAxis(std::uint64_t elements, std::uint64_t ahead, PaddingMode how)
      : length{elements}, before{ahead}, mode{how == PaddingMode::reflect && elements == 1 ? PaddingMode::edge : how} {}

  /// The indices of a box in the array itself, if there are any, else an empty run.
  AxisRun inside(Steps const& box) const {
    AxisRun found{0, 0, 0, 1};
    add(box, before, before + length, [&](AxisRun run, std::uint64_t at) {
      found = run;
      found.first = at - before;
    });
    return found;
  }

  /// Calls f(AxisRun) for the indices of a box, in the padded array, that are elements [begin, end) of the array.
  /// Requires: begin < end <= length.
  template <class F>
  void for_each_run(Steps const& box, std::uint64_t begin, std::uint64_t end, F&& f) const {
    add(box, before + begin, before + end, [&](AxisRun run, std::uint64_t at) {
      run.first = at - before;
      f(run);
    });
    if (box.count == 0 || mode == PaddingMode::constant) return;
    auto const last = box.first + (box.count - 1) * box.step;
    if (box.first < before) {
      if (mode == PaddingMode::reflect)
        reflect<true>(box, before - std::min(last, before - 1), before - box.first, begin, end, f);
      else if (begin == 0)
        repeat(box, 0, before, 0, f);
    }
    if (last >= before + length) {
      if (auto const stop = before + length; mode == PaddingMode::reflect)
        reflect<false>(box, std::max(box.first, stop) - stop + 1, last - stop + 1, length - end, length - begin, f);
      else if (end == length)
        repeat(box, stop, last + 1, length - 1, f);
    }
  }

 private:
  // Calls f(run, at) for the indices of the box in [begin, end) of the padded array, of which `at` is the first one.
  template <class F>
  static void add(Steps const& box, std::uint64_t begin, std::uint64_t end, F&& f) {
    auto const [first, count, step] = box;
    auto const ahead = first < begin ? (begin - first - 1) / step + 1 : 0;
    auto const below = first < end ? std::min(count, (end - first - 1) / step + 1) : 0;
    if (ahead < below) f(AxisRun{ahead, below - ahead, 0, 1}, first + ahead * step);
  }

  template <class F>
  static void repeat(Steps const& box, std::uint64_t begin, std::uint64_t end, std::uint64_t element, F&& f) {
    add(box, begin, end, [&](AxisRun run, std::uint64_t) {
      run.first = element;
      run.direction = run.count > 1 ? 0 : 1;
      f(run);
    });
  }

  // On one side of the array, at the distances [nearest, farthest] from its outermost element there, for the elements
  // at the distances [begin, end) from that one. Going outwards, the axis runs from this element to the opposite one,
  // then back, and so on: fold j has the distances from (j - 1) * m + 1 to j * m.
  template <bool is_ahead, class F>
  void reflect(Steps const& box, std::uint64_t nearest, std::uint64_t farthest, std::uint64_t begin, std::uint64_t end,
               F&& f) const {
    auto const m = length - 1;
    for (auto fold = (nearest - 1) / m + 1; fold <= (farthest - 1) / m + 1; ++fold) {
      bool const is_inwards = fold % 2 == 1;  // going outwards in the padding is going inwards in the array
      auto const from = is_inwards ? std::max<std::uint64_t>(begin, 1) : begin,
                 to = is_inwards ? end : std::min(end, m);
      if (from >= to) continue;
      auto const nearer = std::max(nearest, is_inwards ? (fold - 1) * m + from : fold * m - to + 1);
      auto const farther = std::min(farthest, is_inwards ? (fold - 1) * m + to - 1 : fold * m - from);
      if (nearer > farther) continue;
      auto const low = is_ahead ? before - farther : before + m + nearer;
      auto const high = is_ahead ? before - nearer : before + m + farther;
      add(box, low, high + 1, [&](AxisRun run, std::uint64_t at) {
        auto const distance = is_ahead ? before - at : at - before - m;
        auto const in_array = is_inwards ? distance - (fold - 1) * m : fold * m - distance;
        run.first = is_ahead ? in_array : m - in_array;
        run.direction = is_inwards && run.count > 1 ? -1 : 1;
        f(run);
      });
    }
  }
};

}}}  // namespace tessera::v0::detail
