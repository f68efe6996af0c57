// Elements that are given one by one, sorted by the chunks that they are in.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/core/dimensions.hpp>

namespace tessera::inline v0 {

/// What of an element that is selected several times is planned: reads want each, writes the last.
enum class Repeats { all, last };

namespace detail {

/// The touched chunks in C order, those of one group of chunks after those of another; of each the runs of elements
/// that are neighbours in the array and in the target. The places are referred to.
class ChunkRuns {
 public:
  struct Run {
    std::uint64_t place;   ///< which of the given places it begins in; but where along the last dimension is `first`
    std::uint64_t first;   ///< in the array
    std::uint64_t count;   ///< elements
    std::uint64_t target;  ///< where the first goes
  };

  ChunkRuns() = default;
  /// `places` has a number per dimension for each run, `counts` how long it is: none, if all are of one element.
  ChunkRuns(std::span<std::uint64_t const> places, std::span<std::uint64_t const> counts, Extents const& chunk_shape,
            Extents const& group, Repeats repeats)
      : places_{places.data()}, rank_{chunk_shape.rank()} {
    Units units{chunk_shape, group, group == Extents::filled(rank_, 1)};
    cut(rank_ == 0 ? counts.size() : places.size() / rank_, counts, chunk_shape);
    std::sort(runs_.begin(), runs_.end(), [&](Run const& a, Run const& b) {
      if (auto const order = units.compare_chunks(*this, a, b); order != 0) return order < 0;
      for (std::size_t d = 0; d < rank_; ++d)
        if (at(a, d) != at(b, d)) return at(a, d) < at(b, d);
      return a.target < b.target;
    });
    if (repeats == Repeats::last) drop_repeats();
    join(units);
  }

  /// Chunks that are touched.
  std::uint64_t size() const { return chunks_.empty() ? 0 : chunks_.size() - 1; }
  std::span<Run const> runs(std::uint64_t chunk) const {
    return std::span{runs_}.subspan(chunks_[chunk].first_run, chunks_[chunk + 1].first_run - chunks_[chunk].first_run);
  }
  std::uint64_t elements(std::uint64_t chunk) const { return chunks_[chunk + 1].before - chunks_[chunk].before; }
  /// Where a run begins along a dimension of the array.
  std::uint64_t at(Run const& run, std::size_t d) const {
    return d + 1 == rank_ ? run.first : places_[run.place * rank_ + d];
  }

 private:
  struct Chunk {
    std::uint64_t first_run, before;  // elements of those before it
  };

  struct Units {
    Extents const& chunk;
    Extents const& group;
    bool is_plain;

    int compare_chunks(ChunkRuns const& runs, Run const& a, Run const& b) const {
      for (std::size_t d = 0; d < chunk.rank() && !is_plain; ++d) {
        auto const x = runs.at(a, d) / chunk[d] / group[d], y = runs.at(b, d) / chunk[d] / group[d];
        if (x != y) return x < y ? -1 : 1;
      }
      for (std::size_t d = 0; d < chunk.rank(); ++d) {
        auto const x = runs.at(a, d) / chunk[d], y = runs.at(b, d) / chunk[d];
        if (x != y) return x < y ? -1 : 1;
      }
      return 0;
    }
  };

  // Where runs go on into the next chunk.
  void cut(std::size_t places, std::span<std::uint64_t const> counts, Extents const& chunk_shape) {
    runs_.reserve(places);
    std::uint64_t target = 0;
    for (std::size_t i = 0; i < places; ++i) {
      auto first = rank_ == 0 ? 0 : places_[(i + 1) * rank_ - 1];
      for (auto left = counts.empty() ? 1 : counts[i]; left > 0;) {
        auto const length = rank_ == 0 ? 1 : chunk_shape[rank_ - 1];
        auto const count = std::min(left, length - first % length);
        runs_.push_back({i, first, count, target});
        left -= count, target += count, first += rank_ == 0 ? 0 : count;
      }
    }
  }

  bool is_same_place(Run const& a, Run const& b) const {
    for (std::size_t d = 0; d < rank_; ++d)
      if (at(a, d) != at(b, d)) return false;
    return true;
  }

  void drop_repeats() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i)
      if (i + 1 == runs_.size() || !is_same_place(runs_[i], runs_[i + 1])) runs_[kept++] = runs_[i];
    runs_.resize(kept);
  }

  void join(Units const& units) {
    std::uint64_t kept = 0, elements = 0;
    for (auto const& run : runs_) {
      bool const is_of_last = kept > 0 && units.compare_chunks(*this, runs_[kept - 1], run) == 0;
      if (!is_of_last) chunks_.push_back({kept, elements});
      elements += run.count;
      if (is_of_last && is_continued(runs_[kept - 1], run))
        runs_[kept - 1].count += run.count;
      else
        runs_[kept++] = run;
    }
    runs_.resize(kept);
    chunks_.push_back({kept, elements});
  }
  bool is_continued(Run const& a, Run const& b) const {
    if (rank_ == 0 || a.first + a.count != b.first || a.target + a.count != b.target) return false;
    for (std::size_t d = 0; d + 1 < rank_; ++d)
      if (at(a, d) != at(b, d)) return false;
    return true;
  }

  std::uint64_t const* places_ = nullptr;
  std::size_t rank_ = 0;
  std::vector<Run> runs_;
  std::vector<Chunk> chunks_;
};

}  // namespace detail
}  // namespace tessera::inline v0
