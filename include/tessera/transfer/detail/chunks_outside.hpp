// ChunksOutside: the chunks of an array that reach beyond a shape, for growing and shrinking.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/plan/detail/boxes.hpp>
#include <tessera/plan/detail/chunk_edges.hpp>
#include <tessera/plan/detail/places.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/unfinished.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The chunks with elements that are inside the shape `shown` but outside `kept`.
class ChunksOutside {
 public:
  /// `edges`: of a rectilinear grid; otherwise empty.
  ChunksOutside(Extents const& kept, Extents const& shown, Extents const& chunk_shape,
                std::vector<ChunkEdges> const& edges = {});

  /// The number of these chunks, at most 2^64 - 1.
  std::uint64_t size() const { return size_; }

  /// The shape of an array made of all chunks that have elements inside `shown`.
  Extents whole_chunks() const;

  /// Whether the chunk also has elements inside `kept`, and so is cut; otherwise none of it is kept.
  bool is_cut(Extents const& chunk) const;

  /// Calls f(Region) for boxes that together are a cut chunk's part outside `kept`, up to its own end.
  template <class F>
  void for_each_part(Extents const& chunk, F&& f) const {
    auto const zero = Extents::filled(chunk.rank(), 0);
    auto begin = chunk, left = chunk_shape_, length = chunk_shape_;
    for (std::size_t d = 0; d < chunk.rank(); ++d) {
      auto const placed = chunk_at(d, chunk[d]);
      begin[d] = placed.first;
      length[d] = placed.elements;
      left[d] = std::min(length[d], kept_[d] - begin[d]);
    }
    for_each_beside(zero, left, length, [&](Extents const& first, Extents const& count) {
      Region part{begin, count, Extents::filled(chunk.rank(), 1)};
      for (std::size_t d = 0; d < chunk.rank(); ++d) part.first[d] += first[d];
      f(part);
    });
  }

  /// Calls f(chunk) on the queue's threads for each of these chunks that may be in the store; lists the array, if they
  /// are many and the store can list. Throws: Cancelled, if `stop` is given and becomes true.
  template <class S, class F>
  void for_each(S const& store, std::string_view path, ChunkKeyEncoding encoding, Queue<space::Host>& on, F&& f,
                std::atomic<bool> const* stop = nullptr) const {
    constexpr std::uint64_t few = 1000;  // trying this many keys costs less than listing the array
    if constexpr (requires(Visitor visit) { store.list(path, visit); })
      if (size_ > few && can_list(store)) return for_each_listed(store, path, encoding, on, f, stop);
    auto const origin = Extents::filled(grid_.rank(), 0);
    for_each_beside(origin, within_, grid_, [&](Extents const& first, Extents const& count) {
      on.for_each(static_cast<std::size_t>(element_count(count, "the number of chunks")),
                  [&](std::size_t i) { f(place_in(first, count, i)); });
    });
  }

 private:
  template <class S, class F>
  void for_each_listed(S const& store, std::string_view path, ChunkKeyEncoding encoding, Queue<space::Host>& on, F&& f,
                       std::atomic<bool> const* stop) const {
    Places found{grid_.rank()};
    expect_going(stop);
    store.list(path, [&](Listed const& entry) {
      expect_going(stop);
      expect_no_link(store, entry);
      auto const key = entry.path.substr(path.empty() ? 0 : path.size() + 1);
      if (auto const place = encoding.place_of(key, grid_.rank()); place && has(*place)) found.add(*place);
    });
    on.for_each(found.size(), [&](std::size_t i) { f(found[i]); });
  }

  ChunkAxis::Placed chunk_at(std::size_t d, std::uint64_t place) const;
  bool has(Extents const& place) const;
  static Extents place_in(Extents const& first, Extents const& count, std::uint64_t n);

  Extents kept_, chunk_shape_, grid_, within_;
  std::vector<ChunkAxis> axes_{};  // of a rectilinear grid
  std::uint64_t size_;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/transfer/detail/chunks_outside.ipp>
#endif
