#pragma once
#include <tessera/parallel/detail/part_rows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tessera { inline namespace v0 { namespace detail {

inline RankPart part_within(RankPart const& part, IndexBounds const& bounds) {
  RankPart found(part.size());
  for (std::size_t d = 0; d < part.size(); ++d) {
    for (auto const& run : part[d]) {
      auto const first = std::max(run.first, bounds.first[d]), stop = std::min(run.first + run.count, bounds.stop[d]);
      if (first < stop) found[d].push_back({first, stop - first, run.at + (first - run.first)});
    }
    if (found[d].empty()) return RankPart(part.size());
  }
  return found;
}

inline std::uint64_t elements_of(RankPart const& part) {
  std::uint64_t count = 1;
  for (auto const& runs : part) {
    std::uint64_t length = 0;
    for (auto const& run : runs) length += run.count;
    count *= length;
  }
  return count;
}

inline IndexBounds bounds_of(RankPart const& part) {
  IndexBounds bounds;
  for (auto const& runs : part) {
    bounds.first.push_back(runs.front().first);
    bounds.stop.push_back(runs.back().first + runs.back().count);
  }
  return bounds;
}

inline Region region_of(IndexBounds const& bounds) {
  Region region{bounds.first, {}, Extents::filled(bounds.first.rank(), 1)};
  for (std::size_t d = 0; d < bounds.first.rank(); ++d) region.count.push_back(bounds.stop[d] - bounds.first[d]);
  return region;
}

inline void for_each_row(RankPart const& part, FunctionRef<void(PartRow const&)> f) {
  auto const rank = part.size();
  if (rank == 0) return f({{}, {}, 1});
  for (auto const& runs : part)
    if (runs.empty()) return;
  // Nothing is allocated: rows are also copied between two messages, where a rank must not fail.
  auto run = Extents::filled(rank, 0), offset = run;  // of the runs; within each
  Extents index, at;
  for (std::size_t d = 0; d < rank; ++d) index.push_back(part[d][0].first), at.push_back(part[d][0].at);
  for (;;) {
    for (auto const& last : part[rank - 1]) {
      index[rank - 1] = last.first;
      at[rank - 1] = last.at;
      f({index, at, last.count});
    }
    auto d = rank - 1;
    for (;; --d) {
      if (d == 0) return;
      auto const e = d - 1;
      if (++offset[e] == part[e][run[e]].count) {
        offset[e] = 0;
        if (++run[e] == part[e].size()) run[e] = 0;
      }
      index[e] = part[e][run[e]].first + offset[e];
      at[e] = part[e][run[e]].at + offset[e];
      if (offset[e] != 0 || run[e] != 0) break;
    }
  }
}

inline std::byte* PartMemory::at(Extents const& index) const {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < index.rank(); ++d)
    offset += (static_cast<std::int64_t>(index[d]) - static_cast<std::int64_t>(origin[d])) * strides[d];
  return data + offset;
}

inline PartMemory memory_of(IndexBounds const& bounds, std::byte* data, std::size_t item) {
  PartMemory memory{data, bounds.first, Strides::filled(bounds.first.rank(), 0)};
  auto stride = static_cast<std::int64_t>(item);
  for (std::size_t d = bounds.first.rank(); d-- > 0;) {
    memory.strides[d] = stride;
    stride *= static_cast<std::int64_t>(bounds.stop[d] - bounds.first[d]);
  }
  return memory;
}

inline void copy_row(std::byte* to, std::int64_t to_stride, std::byte const* from, std::int64_t from_stride,
                           std::uint64_t count, std::size_t item) {
  auto const next = static_cast<std::int64_t>(item);
  if (to_stride == next && from_stride == next) {
    std::memcpy(to, from, count * item);
    return;
  }
  for (; count > 0; --count, to += to_stride, from += from_stride) std::memcpy(to, from, item);
}

// Of a row; an array without dimensions has one element.
inline std::int64_t row_stride(PartMemory const& memory, std::size_t item) {
  auto const rank = memory.strides.rank();
  return rank == 0 ? static_cast<std::int64_t>(item) : memory.strides[rank - 1];
}

inline void copy_to_indices(RankPart const& part, PartMemory const& from_places, PartMemory const& to,
                                  std::size_t item) {
  for_each_row(part, [&](PartRow const& row) {
    copy_row(to.at(row.index), row_stride(to, item), from_places.at(row.at), row_stride(from_places, item), row.count,
             item);
  });
}
inline void copy_to_places(RankPart const& part, PartMemory const& from_indices, PartMemory const& to,
                                 std::size_t item) {
  for_each_row(part, [&](PartRow const& row) {
    copy_row(to.at(row.at), row_stride(to, item), from_indices.at(row.index), row_stride(from_indices, item), row.count,
             item);
  });
}

inline void pack(RankPart const& part, bool by_places, PartMemory const& from, std::byte* to, std::size_t item) {
  for_each_row(part, [&](PartRow const& row) {
    copy_row(to, static_cast<std::int64_t>(item), from.at(by_places ? row.at : row.index), row_stride(from, item),
             row.count, item);
    to += row.count * item;
  });
}
inline void unpack(RankPart const& part, bool by_places, std::byte const* from, PartMemory const& to,
                         std::size_t item) {
  for_each_row(part, [&](PartRow const& row) {
    copy_row(to.at(by_places ? row.at : row.index), row_stride(to, item), from, static_cast<std::int64_t>(item),
             row.count, item);
    from += row.count * item;
  });
}

}}}  // namespace tessera::v0::detail
