// ListedPlacer: places pieces of lists, points and masks element by element, where parts would be too small.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/place/detail/listed.hpp>
#include <tessera/place/detail/place_runs.hpp>
#include <tessera/place/detail/placer.hpp>
#include <tessera/plan/detail/plan.hpp>
#include <tessera/view/detail/layout.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The byte offset of a chunk's element, by its position in C order.
class PositionOffsets {
 public:
  explicit PositionOffsets(Layout const& layout)
      : layout_{layout}, is_c_order_{layout.strides == Layout::c_order(layout.shape, layout.item_size).strides} {}
  std::int64_t operator()(std::uint64_t position) const;
  /// From one element of a run to the next.
  std::int64_t step() const;

 private:
  Layout const& layout_;
  bool is_c_order_;
};

/// Of elements between chunks and memory.
enum class Direction { to_memory, to_chunk };

/// Places pieces of a scattered plan, in batches that keep the list of elements short.
template <MemorySpace S>
class ListedPlacer {
 public:
  /// Offset pairs listed before they are placed; those of one dimension's list in a chunk stay together. On the host
  /// they fit the first-level cache; on a device, one launch occupies all of it.
  static constexpr std::size_t most = S::host_accessible ? 1024 : std::size_t{1} << 15;

  /// `form` has the strides of the memory, and the chunk's strides as in its layout.
  ListedPlacer(ListedBatch<S>& batch, Plan const& plan, Layout const& layout, Strides const& memory,
               Direction direction, PlacementForm const& form, queue_for<S>& on, AnyPlacer<S> const* placer = nullptr)
      : batch_{batch},
        plan_{plan},
        layout_{layout},
        memory_{memory},
        direction_{direction},
        form_{form},
        on_{on},
        placer_{placer} {
    batch_.clear();
  }

  /// Adds a whole piece. `from` and `to`: the first elements of chunk and memory; null `from`: fill. `booleans`: copied
  /// bytes must be 0 or 1. Throws: CodecError with the number of the chunk.
  void add(Piece const& piece, std::byte const* from, std::byte* to, std::size_t chunk, bool booleans = false) {
    booleans_ = booleans;
    copies_ = from != nullptr;
    if (plan_.is_runs())
      add_runs(piece, from, to, chunk);
    else
      add_lists(piece, from, to, chunk);
    if (S::host_accessible || batch_.pairs.size() >= most) place();
  }
  /// Places all that was added. Returns the bytes moved in total.
  std::uint64_t place() {
    if constexpr (S::host_accessible)
      if (booleans_) expect_booleans();
    for (PlacedRuns runs{batch_, form_}; runs.next();)
      moved_ += placer_ ? placer_->place_listed(batch_, runs.form(), on_)
                        : placer<S>::place_listed(batch_, runs.form(), on_);
    batch_.clear();
    return moved_;
  }

 private:
  OffsetPair pair(std::int64_t in_chunk, std::int64_t in_memory) const {
    return direction_ == Direction::to_chunk ? OffsetPair{copies_ ? in_memory : 0, in_chunk}
                                             : OffsetPair{copies_ ? in_chunk : 0, in_memory};
  }

  void add_runs(Piece const& piece, std::byte const* from, std::byte* to, std::size_t chunk) {
    PositionOffsets const offset{layout_};
    auto const each = offset.step(), stride = memory_[0];
    auto begin = batch_.pairs.size();
    auto const end_axis = [&] {
      if (batch_.pairs.size() == begin) return;
      batch_.boxes.push_back({from, to, batch_.axes.size(), 1, chunk});
      batch_.axes.push_back({batch_.pairs.size() - begin, begin, {}, true});
    };
    plan_.for_each_run(piece, [&](ChunkRuns::Run const& run) {
      auto in_chunk = offset(run.position), in_memory = static_cast<std::int64_t>(run.target) * stride;
      for (std::uint64_t i = 0; i < run.count; ++i, in_chunk += each, in_memory += stride) {
        batch_.pairs.push_back(pair(in_chunk, in_memory));
        if (batch_.pairs.size() < most) continue;
        end_axis();
        place();
        begin = 0;
      }
    });
    end_axis();
  }

  void add_lists(Piece const& piece, std::byte const* from, std::byte* to, std::size_t chunk) {
    auto const first_axis = batch_.axes.size();
    auto const rank = layout_.shape.rank();
    auto last = rank;  // the last dimension with several indices
    while (last > 1 && plan_.axis(last - 1).elements(piece.touched[last - 1]) == 1) --last;
    OffsetPair begin{0, 0};
    for (std::size_t d = 0; d < rank; ++d) {
      auto const& axis = plan_.axis(d);
      auto const touched = piece.touched[d];
      auto const stride = layout_.strides[d], step = stride * static_cast<std::int64_t>(axis.step());
      auto const at = [&](PlanAxis::Run const& run) {
        return pair(static_cast<std::int64_t>(run.first) * stride, static_cast<std::int64_t>(run.target) * memory_[d]);
      };
      auto const runs = axis.runs(touched);
      if (d + 1 != last && (runs == 1 || axis.elements(touched) == 1)) {
        auto const run = axis.run(touched, 0);
        auto const first = at(run);
        begin.from += first.from, begin.to += first.to;
        if (run.count > 1) batch_.axes.push_back({run.count, 0, pair(step, memory_[d]), false});
        continue;
      }
      auto const first_pair = batch_.pairs.size();
      for (std::uint64_t r = 0; r < runs; ++r) {
        auto const run = axis.run(touched, r);
        auto next = at(run);
        auto const between = pair(step, memory_[d]);
        for (std::uint64_t i = 0; i < run.count; ++i, next.from += between.from, next.to += between.to)
          batch_.pairs.push_back(next);
      }
      batch_.axes.push_back({batch_.pairs.size() - first_pair, first_pair, {}, true});
    }
    batch_.boxes.push_back(
        {from ? from + begin.from : nullptr, to + begin.to, first_axis, batch_.axes.size() - first_axis, chunk});
  }

  // As expect_booleans of part_placer.hpp.
  void expect_booleans() const {
    for (auto const& box : batch_.boxes) {
      if (!box.from) continue;
      for_each_row(batch_, box, box.from, [&](std::byte*, std::byte const* from, std::span<OffsetPair const> pairs) {
        for (auto const& one : pairs)
          if (auto const element = from[one.from]; element > std::byte{1})
            throw CodecError{
                to_text({"found an element ", std::to_integer<int>(element), ", expected 0 or 1 for a bool"})}
                .in_chunk(box.chunk);
      });
    }
  }

  ListedBatch<S>& batch_;
  Plan const& plan_;
  Layout const& layout_;
  Strides const& memory_;
  Direction direction_;
  PlacementForm const& form_;
  queue_for<S>& on_;
  AnyPlacer<S> const* placer_;  // null: placer<S>
  std::uint64_t moved_ = 0;
  bool booleans_ = false, copies_ = true;
};

/// Bytes of the lists of a mini-batch; for a device they exist in three places.
template <MemorySpace S>
std::uint64_t listed_bytes(Plan const& plan) {
  std::uint64_t pairs = std::min<std::uint64_t>(plan.elements(), ListedPlacer<S>::most), more = 0;
  for (std::size_t d = 0; d < plan.axes(); ++d) more += plan.axis(d).most_elements();
  auto const bytes = std::bit_ceil((pairs + more) * sizeof(OffsetPair) + (std::uint64_t{4} << 10));
  return S::host_accessible ? bytes : 3 * bytes;
}

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/transfer/detail/listed_placer.ipp>
#endif
