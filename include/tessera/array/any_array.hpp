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
#include <tessera/core/data_type.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/metadata/array_metadata.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/selected.hpp>

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

  /// Reads a selection into memory of array_space. Strides are in bytes, one per dimension of the memory. Throws:
  /// StoreError, CodecError, with the key; SelectionError; Cancelled. What is thrown is thrown when nothing is under
  /// way any more.
  auto read(Selected const& selected, Target<array_space> to, queue_type& on, ReadOptions const& options = {}) const {
    if constexpr (detail::check_placer<array_space>()) {
      expect_inside(selected, to.strides);
      return complete(on, [&] { read_chunks(source(), selected, to, on, options); });
    } else {
      return detail::Mistaken{};
    }
  }
  auto read(Selected const& selected, Target<array_space> to, ReadOptions const& options = {}) const {
    return read(selected, to, state_->on, options);
  }

  /// Writes a selection from memory of array_space. What is written in part of a chunk leaves the rest of it as it is,
  /// among all threads that write through this store and its copies. Throws: as read.
  auto write(Selected const& selected, Origin<array_space> from, queue_type& on,
             WriteOptions const& options = {}) const {
    if constexpr (detail::check_writable<S>() && detail::check_placer<array_space>()) {
      expect_inside(selected, from.strides);
      return complete(on, [&] { write_chunks(source(), shape(), selected, from, state_->locks, on, options); });
    } else {
      return detail::Mistaken{};
    }
  }
  auto write(Selected const& selected, Origin<array_space> from, WriteOptions const& options = {}) const {
    return write(selected, from, state_->on, options);
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
  ChunkSource<S, P> source() const {
    auto const& s = *state_;
    return {s.store,    s.prefix, s.metadata.key_encoding,
            s.pipeline, s.form,   {s.metadata.fill.data(), s.metadata.fill.size()}};
  }

  // What is selected need not come from a selection, which would have seen to it.
  void expect_inside(Selected const& selected, Strides const& strides) const {
    if (strides.rank() != selected.shape.rank())
      throw SelectionError{text({"found ", strides.rank(), " strides, expected ", selected.shape.rank()})};
    selected.expect_inside(shape());
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
