// Elements that are given one by one, sorted by the chunks that they are in.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/plan/chunk_numbers.hpp>
#include <tessera/plan/radix_sort.hpp>

namespace tessera { inline namespace v0 {

/// What is planned of an element that is selected several times: reads need each, writes the last.
enum class Repeats { all, last };

namespace detail {

/// The touched chunks in C order, those of one group of chunks after those of another; of each the runs of elements
/// that are neighbours in the array and in the target. Sixteen bytes for each run, or twice so many where its numbers
/// are large; while they are sorted, twice that for each that is given.
class ChunkRuns {
 public:
  struct Run {
    std::uint64_t position;  ///< of the first element, in the chunk, in C order
    std::uint64_t count;     ///< elements
    std::uint64_t target;    ///< where the first goes
  };

  ChunkRuns() = default;
  /// `places` has a number per dimension for each run, `counts` how long it is: none, if each of so many is of one
  /// element.
  ChunkRuns(std::span<std::uint64_t const> places, std::span<std::uint64_t const> counts, std::uint64_t elements,
            Extents const& chunk_shape, Extents const& group, Repeats repeats) {
    Places const from{places, counts, counts.empty() ? elements : counts.size(), chunk_shape};
    std::uint64_t in_chunk = 1;
    for (auto n : chunk_shape) in_chunk *= n;
    std::uint64_t cuts = counts.empty() ? elements : 0;
    if (!counts.empty()) from.for_each([&](auto const&...) { ++cuts; });
    if (cuts == 0) return;
    numbers_ = {from.grid(), group};
    if (std::max({numbers_.count(), in_chunk, elements}) >> 32 == 0)
      sort(small_, from, cuts, in_chunk, repeats);
    else
      sort(large_, from, cuts, in_chunk, repeats);
  }

  /// The number of touched chunks.
  std::uint64_t size() const { return chunks_.empty() ? 0 : chunks_.size() - 1; }
  Extents chunk(std::uint64_t k) const { return numbers_.chunk(chunks_[k].number); }
  /// The number of all runs, and of those of a chunk.
  std::uint64_t runs() const { return chunks_.empty() ? 0 : chunks_.back().first_run; }
  std::uint64_t runs(std::uint64_t k) const { return chunks_[k + 1].first_run - chunks_[k].first_run; }
  Run run(std::uint64_t k, std::uint64_t r) const {
    auto const i = static_cast<std::size_t>(chunks_[k].first_run + r);
    return large_.size() == 0 ? run_of(small_[i]) : run_of(large_[i]);
  }
  std::uint64_t elements(std::uint64_t k) const { return chunks_[k + 1].before - chunks_[k].before; }
  /// Calls f(run) for each of a chunk, until it returns false.
  template <class F>
  void for_each_run(std::uint64_t k, F&& f) const {
    auto const each = [&](auto const& all) {
      for (auto i = chunks_[k].first_run; i < chunks_[k + 1].first_run; ++i)
        if (!f(run_of(all[static_cast<std::size_t>(i)]))) return;
    };
    large_.size() == 0 ? each(small_) : each(large_);
  }

 private:
  struct Chunk {
    std::uint64_t number, first_run, before;  // before: elements of those before it
  };
  template <class N>
  struct Record {
    N chunk, position, count, target;
  };

  // The runs as they are given, cut where they go on into the next chunk.
  struct Places {
    std::span<std::uint64_t const> places, counts;
    std::uint64_t size;
    Extents const& chunk_shape;

    // Calls f(where each begins, where along the last dimension, elements, target).
    template <class F>
    void for_each(F&& f) const {
      auto const rank = chunk_shape.rank();
      auto const* at = places.data();
      if (counts.empty()) {
        for (std::uint64_t i = 0; i < size; ++i, at += rank) f(at, rank == 0 ? 0 : at[rank - 1], std::uint64_t{1}, i);
        return;
      }
      std::uint64_t target = 0;
      for (std::size_t i = 0; i < counts.size(); ++i, at += rank) {
        auto first = rank == 0 ? 0 : at[rank - 1];
        for (auto left = counts[i]; left > 0;) {
          auto const length = rank == 0 ? 1 : chunk_shape[rank - 1];
          auto const count = std::min(left, length - first % length);
          f(at, first, count, target);
          left -= count, target += count, first += rank == 0 ? 0 : count;
        }
      }
    }
    // All chunks up to the last one that is touched, along each dimension.
    Extents grid() const {
      auto grid = chunk_shape;
      auto const rank = grid.rank();
      for (std::size_t d = 0; d < rank; ++d) {
        std::uint64_t last = 0;
        if (counts.empty() || d + 1 < rank)
          for (auto i = d; i < places.size(); i += rank) last = std::max(last, places[i]);
        else
          for_each([&](std::uint64_t const*, std::uint64_t first, auto...) { last = std::max(last, first); });
        grid[d] = last / chunk_shape[d] + 1;
      }
      return grid;
    }
  };

  // Most numbers are small, for which processors are faster.
  static std::uint64_t quotient(std::uint64_t n, std::uint64_t by) {
    if ((n | by) >> 32 == 0) return static_cast<std::uint32_t>(n) / static_cast<std::uint32_t>(by);
    return n / by;
  }

  template <class N>
  static Run run_of(Record<N> const& record) {
    return {record.position, record.count, record.target};
  }

  template <class N>
  void sort(Records<Record<N>>& all, Places const& from, std::uint64_t cuts, std::uint64_t in_chunk, Repeats repeats) {
    all = Records<Record<N>>{cuts};
    auto const rank = from.chunk_shape.rank();
    auto* next = all.begin();
    auto where = from.chunk_shape;
    bool const is_c_order = numbers_.is_c_order();
    from.for_each([&](std::uint64_t const* at, std::uint64_t first, std::uint64_t count, std::uint64_t target) {
      std::uint64_t number = 0, position = 0;
      for (std::size_t d = 0; d < rank; ++d) {
        auto const length = from.chunk_shape[d], index = d + 1 == rank ? first : at[d], chunk = quotient(index, length);
        if (is_c_order)
          number += chunk * numbers_.behind(d);
        else
          where[d] = chunk;
        position = position * length + (index - chunk * length);
      }
      if (!is_c_order) number = numbers_.number(where);
      *next++ = {static_cast<N>(number), static_cast<N>(position), static_cast<N>(count), static_cast<N>(target)};
    });
    {
      Records<Record<N>> scratch{cuts};
      if (repeats == Repeats::last) radix_sort(all, scratch, &Record<N>::position, in_chunk - 1);
      radix_sort(all, scratch, &Record<N>::chunk, numbers_.count() - 1);
    }
    if (repeats == Repeats::last) drop_repeats(all);
    join(all, rank == 0 ? 1 : from.chunk_shape[rank - 1]);
  }

  // Those of one element follow each other, the last that was given at last.
  template <class N>
  static void drop_repeats(Records<Record<N>>& all) {
    auto* const records = all.begin();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i + 1 == all.size() || records[i].chunk != records[i + 1].chunk ||
          records[i].position != records[i + 1].position)
        records[kept++] = records[i];
    all.end_at(kept);
  }

  template <class N>
  void join(Records<Record<N>>& all, std::uint64_t row) {
    auto* const records = all.begin();
    std::size_t kept = 0;
    std::uint64_t elements = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto const& record = records[i];
      bool const is_of_last = kept > 0 && records[kept - 1].chunk == record.chunk;
      if (!is_of_last) chunks_.push_back({record.chunk, kept, elements});
      elements += record.count;
      if (is_of_last && is_continued(records[kept - 1], record, row))
        records[kept - 1].count += record.count;
      else
        records[kept++] = record;
    }
    all.end_at(kept);
    chunks_.push_back({0, kept, elements});
  }
  template <class N>
  static bool is_continued(Record<N> const& a, Record<N> const& b, std::uint64_t row) {
    return a.position + a.count == b.position && a.target + a.count == b.target && b.position % row != 0;
  }

  ChunkNumbers numbers_;
  Records<Record<std::uint32_t>> small_;  // one of these has all
  Records<Record<std::uint64_t>> large_;
  std::vector<Chunk> chunks_;
};

}  // namespace detail
}}  // namespace tessera::v0
