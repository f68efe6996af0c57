// Which chunks of an array reach beyond a shape: what is looked at when it grows or shrinks.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/key/chunk_key.hpp>
#include <tessera/plan/boxes.hpp>
#include <tessera/plan/chunk_edges.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/unfinished.hpp>
#include <tessera/transfer/batches.hpp>
#include <tessera/view/box.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The chunks that have elements of one shape, `shown`, beyond another, `kept`.
class ChunksOutside {
 public:
  /// `edges` of a rectilinear grid; else empty.
  ChunksOutside(Extents const& kept, Extents const& shown, Extents const& chunk_shape,
                std::vector<ChunkEdges> const& edges = {})
      : kept_{kept}, chunk_shape_{chunk_shape} {
    for (std::size_t d = 0; d < edges.size(); ++d) {
      ChunkAxis const axis{edges[d], shown[d]};
      auto const& whole = axes_.emplace_back(edges[d], axis.end());  // of chunks of full length
      grid_.push_back(axis.chunks());
      within_.push_back(kept[d] >= shown[d] ? axis.chunks() : whole.chunk_of(kept[d]));
    }
    for (auto d = edges.size(); d < shown.rank(); ++d) {
      auto const length = chunk_shape[d], chunks = shown[d] / length + (shown[d] % length != 0);
      grid_.push_back(chunks);
      within_.push_back(kept[d] >= shown[d] ? chunks : kept[d] / length);
    }
    size_ = element_count(grid_, "the number of chunks") - element_count(within_, "the number of chunks");
  }

  std::uint64_t size() const { return size_; }

  /// The shape of an array of all chunks that have elements of `shown`.
  Extents whole_chunks() const {
    auto whole = grid_;
    for (std::size_t d = 0; d < whole.rank(); ++d)
      whole[d] = axes_.empty() ? grid_[d] * chunk_shape_[d] : axes_[d].end();
    return whole;
  }

  /// Whether the chunk has elements of `kept` too: then it is cut, else nothing of it is kept.
  bool is_cut(Extents const& chunk) const {
    for (std::size_t d = 0; d < chunk.rank(); ++d)
      if (chunk_at(d, chunk[d]).first >= kept_[d]) return false;
    return true;
  }

  /// Calls f(Region) for boxes that together are what a chunk that is cut has beyond `kept`, to its own end.
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

  /// Calls f(chunk) for each of them that may be in the store, by the threads of the queue. Where they are many, the
  /// store is asked what it has, if it can list. Throws: Cancelled, if `stop` is given and becomes true.
  template <class S, class F>
  void for_each(S const& store, std::string_view path, ChunkKeyEncoding encoding, Queue<space::Host>& on, F&& f,
                std::atomic<bool> const* stop = nullptr) const {
    constexpr std::uint64_t few = 1000;  // whose keys cost less to try than a listing of the array
    if constexpr (ListableStore<S>)
      if (size_ > few) return for_each_listed(store, path, encoding, on, f, stop);
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
    std::vector<std::uint64_t> found;  // places, counted in C order: of few bytes, for they may be many
    expect_going(stop);
    store.list(path, [&](Listed const& entry) {
      expect_going(stop);
      expect_no_link(store, entry);
      auto const key = entry.path.substr(path.empty() ? 0 : path.size() + 1);
      if (auto const place = encoding.place_of(key, grid_.rank()); place && has(*place))
        found.push_back(number(*place));
    });
    auto const origin = Extents::filled(grid_.rank(), 0);
    on.for_each(found.size(), [&](std::size_t i) { f(place_in(origin, grid_, found[i])); });
  }

  ChunkAxis::Placed chunk_at(std::size_t d, std::uint64_t place) const {
    if (!axes_.empty()) return axes_[d].chunk(place);
    return {place * chunk_shape_[d], chunk_shape_[d]};
  }

  bool has(Extents const& place) const {
    bool within = true;
    for (std::size_t d = 0; d < place.rank(); ++d) {
      if (place[d] >= grid_[d]) return false;
      within = within && place[d] < within_[d];
    }
    return !within;
  }

  std::uint64_t number(Extents const& place) const {
    std::uint64_t n = 0;
    for (std::size_t d = 0; d < place.rank(); ++d) n = n * grid_[d] + place[d];
    return n;
  }
  static Extents place_in(Extents const& first, Extents const& count, std::uint64_t n) {
    auto place = first;
    for (auto d = count.rank(); d-- > 0; n /= count[d]) place[d] += n % count[d];
    return place;
  }

  Extents kept_, chunk_shape_, grid_, within_;
  std::vector<ChunkAxis> axes_{};  // of a rectilinear grid
  std::uint64_t size_;
};

}}}  // namespace tessera::v0::detail
