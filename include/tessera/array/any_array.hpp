// An array whose element type and rank are known when it is opened. Array is its typed front.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array/read.hpp>
#include <tessera/array/write.hpp>
#include <tessera/array/write_shards.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/metadata/array_metadata.hpp>
#include <tessera/view/box.hpp>

namespace tessera::inline v0 {
namespace detail {

// What is returned where a message was given: unlike a Pending it may be dropped, so that no second one follows.
struct Mistaken {
  void wait() const {}
  void leave() const {}
};

}  // namespace detail

/// A handle: copies show the same array. Safe to read from many threads at once.
template <class S, class P>
class AnyArray {
 public:
  using store_type = S;
  using pipeline_type = P;
  using array_space = typename P::array_space;
  using queue_type = typename P::queue_type;

  /// Throws: MetadataError, if the pipeline cannot take chunks of this shape and type.
  AnyArray(S store, std::string path, ArrayMetadata metadata, queue_type on)
      : state_{std::make_shared<State>(std::move(store), std::move(path), std::move(metadata), std::move(on))} {}

  ArrayMetadata const& metadata() const { return state_->metadata; }
  Extents const& shape() const { return state_->metadata.shape; }
  DataType type() const { return state_->metadata.type; }
  Extents const& chunk_shape() const { return state_->metadata.chunk_shape; }
  std::string const& path() const { return state_->path; }  ///< in the store; the root's is empty
  S const& store() const { return state_->store; }

  /// What a read or a write returns: nothing, when the host's memory is read into or written from, for then it is done;
  /// else Pending, for the queue has work to do yet, and until it is done the memory is in use.
  using Completion = std::conditional_t<std::same_as<array_space, space::Host>, void, Pending>;

  /// Reads a region into memory of array_space. Strides are in bytes, one per dimension. Throws: StoreError,
  /// CodecError, with the key; SelectionError; Cancelled. What is thrown is thrown when nothing is under way any more.
  auto read(Region const& region, Target<array_space> to, queue_type& on, ReadOptions const& options = {}) const {
    if constexpr (detail::check_placer<array_space>()) {
      expect_inside(region, to.strides);
      return complete(on, [&] {
        auto const shards = directory();
        read_chunks(source(shards), region, to, on, options);
      });
    } else {
      return detail::Mistaken{};
    }
  }
  auto read(Region const& region, Target<array_space> to, ReadOptions const& options = {}) const {
    return read(region, to, state_->on, options);
  }

  /// Writes a region from memory of array_space. What is written in part of a chunk leaves the rest of it as it is,
  /// among all threads that write through this store and its copies. Throws: as read.
  auto write(Region const& region, Origin<array_space> from, queue_type& on, WriteOptions const& options = {}) const {
    if constexpr (detail::check_writable<S>() && detail::check_placer<array_space>()) {
      expect_inside(region, from.strides);
      return complete(on, [&] {
        auto const shards = directory();
        if constexpr (P::may_be_sharded)
          if (shards) return write_shards(source(shards), shape(), region, from, state_->locks, on, options);
        write_chunks(source(shards), shape(), region, from, state_->locks, on, options);
      });
    } else {
      return detail::Mistaken{};
    }
  }
  auto write(Region const& region, Origin<array_space> from, WriteOptions const& options = {}) const {
    return write(region, from, state_->on, options);
  }

  /// What of the array is in one chunk, given by its place in the grid. Throws: SelectionError.
  Box chunk_box(Extents const& chunk) const {
    auto const grid = grid_shape();
    if (chunk.rank() != grid.rank())
      throw SelectionError{text({"a chunk's place of ", chunk.rank(), " dimensions, expected ", grid.rank()})};
    std::vector<Slice> slices;
    for (std::size_t d = 0; d < grid.rank(); ++d) {
      if (chunk[d] >= grid[d])
        throw SelectionError{text({"dimension ", d, ": found chunk ", chunk[d], ", expected one below ", grid[d]})};
      auto const length = chunk_shape()[d], first = chunk[d] * length;
      slices.emplace_back(first, first + std::min(length, shape()[d] - first));
    }
    return Box{std::move(slices)};
  }
  /// How many chunks there are along each dimension.
  Extents grid_shape() const {
    auto grid = shape();
    for (std::size_t d = 0; d < grid.rank(); ++d)
      grid[d] = grid[d] / chunk_shape()[d] + (grid[d] % chunk_shape()[d] != 0);
    return grid;
  }

  queue_type& queue() const { return state_->on; }

 private:
  using Leaf = typename P::leaf_type;
  using Shards = std::unique_ptr<ShardDirectory>;

  // Of the shards that a read passes.
  Shards directory() const {
    constexpr std::size_t most = std::size_t{64} << 20;  // bytes of indexes: those of some shards at a time
    return state_->form.shards.empty() ? nullptr : std::make_unique<ShardDirectory>(state_->form.shards, most);
  }
  ChunkSource<S, Leaf> source(Shards const& shards) const {
    auto const& s = *state_;
    return {s.store, s.prefix,
            s.metadata.key_encoding, s.pipeline.leaf(),
            s.form,  {s.metadata.fill.data(), s.metadata.fill.size()},
            shards.get()};
  }

  // A Region need not come from a Box, which would have seen to it.
  void expect_inside(Region const& region, Strides const& strides) const {
    auto const rank = shape().rank();
    if (strides.rank() != rank) throw SelectionError{text({"found ", strides.rank(), " strides, expected ", rank})};
    if (region.first.rank() != rank || region.count.rank() != rank || region.step.rank() != rank)
      throw SelectionError{text({"a region of other than the array's ", rank, " dimensions"})};
    for (std::size_t d = 0; d < rank; ++d) {
      auto const first = region.first[d], count = region.count[d], step = region.step[d], n = shape()[d];
      if (count > 0 && (step == 0 || first >= n || (count - 1) > (n - 1 - first) / step))
        throw SelectionError{text({"dimension ", d, ": found ", count, " indices from ", first, " on, ", step,
                                   " apart, expected indices below ", n})};
    }
  }

  // The caller's memory is in use until the queue is done, whatever f throws.
  template <class F>
  Completion complete(queue_type& on, F&& f) const {
    try {
      f();
      if constexpr (std::is_void_v<Completion>)
        on.wait();
      else
        return on.pending(path());
    } catch (...) {
      try {
        on.wait();
      } catch (Error const&) {  // the first one is thrown
      }
      throw;
    }
  }

  struct State {
    State(S&& chunks, std::string&& at, ArrayMetadata&& document, queue_type&& queue)
        : store{std::move(chunks)},
          path{std::move(at)},
          prefix{path.empty() ? "" : path + '/'},
          metadata{std::move(document)},
          pipeline{P::from(metadata.codecs)},
          form{pipeline.resolve({metadata.chunk_shape, metadata.type, metadata.fill})},
          on{std::move(queue)} {}
    S store;
    std::string path, prefix;
    ArrayMetadata metadata;
    P pipeline;
    ChunkForm form;
    queue_type on;
    KeyLocks locks{};
  };
  std::shared_ptr<State> state_;
};

}  // namespace tessera::inline v0
