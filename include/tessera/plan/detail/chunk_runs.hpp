// ChunkRuns: selected elements, sorted by chunk and joined into runs.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/chunk_numbers.hpp>
#include <tessera/plan/detail/radix_sort.hpp>

namespace tessera { inline namespace v0 {

/// The planned elements, where an element is selected several times: reads need all, writes the last.
enum class Repeats { all, last };

namespace detail {

/// The touched chunks, group by group in C order, and in each chunk the runs of elements that are neighbours both in
/// the array and in the target. Needs 16 bytes per run, or 32 with large numbers; while sorting, twice that per given
/// run.
class ChunkRuns {
 public:
  struct Run {
    std::uint64_t position;  ///< of the first element, in the chunk, in C order
    std::uint64_t count;     ///< elements
    std::uint64_t target;    ///< index of the first element in the target
  };

  ChunkRuns() = default;
  /// `places` has the first index of each run, one number per dimension; `counts` has the runs' lengths. Without
  /// `counts`, there are `elements` runs of one element each.
  ChunkRuns(std::span<std::uint64_t const> places, std::span<std::uint64_t const> counts, std::uint64_t elements,
            Extents const& chunk_shape, Extents const& group, Repeats repeats);

  std::uint64_t size() const { return chunks_.empty() ? 0 : chunks_.size() - 1; }
  Extents chunk(std::uint64_t k) const { return numbers_.chunk(chunks_[k].number); }
  /// The number of all runs, or of a chunk's.
  std::uint64_t runs() const { return chunks_.empty() ? 0 : chunks_.back().first_run; }
  std::uint64_t runs(std::uint64_t k) const { return chunks_[k + 1].first_run - chunks_[k].first_run; }
  Run run(std::uint64_t k, std::uint64_t r) const;
  std::uint64_t elements(std::uint64_t k) const { return chunks_[k + 1].before - chunks_[k].before; }
  /// Calls f(run) for each run of the k-th chunk, until f returns false.
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
    std::uint64_t number, first_run, before;  // before: elements of earlier chunks
  };
  template <class N>
  struct Record {
    N chunk, position, count, target;
  };

  // The given runs, cut at chunk borders.
  struct Places {
    std::span<std::uint64_t const> places, counts;
    std::uint64_t size;
    Extents const& chunk_shape;

    // Calls f(index of the run, first index along the last dimension, elements, target).
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
    // Covers all chunks from the first to the last touched one, along each dimension.
    ChunkNumbers numbers(Extents const& group) const;
  };

  // Divides in 32 bits where possible, which is faster.
  static std::uint64_t quotient(std::uint64_t n, std::uint64_t by);

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
          number += (chunk - numbers_.origin(d)) * numbers_.behind(d);
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

  // Records of one element are consecutive; the last one given comes last.
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
  Records<Record<std::uint32_t>> small_;  // one of the two is used
  Records<Record<std::uint64_t>> large_;
  std::vector<Chunk> chunks_;
};

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/plan/detail/chunk_runs.ipp>
#endif
