// An array whose element type and rank are known when it is opened. Array is its typed front.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <tessera/array/read.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/metadata/array_metadata.hpp>
#include <tessera/view/box.hpp>

namespace tessera::inline v0 {

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

  /// Reads a region into memory of array_space and waits. Strides are in bytes, one per dimension.
  /// Throws: StoreError, CodecError, with the key; SelectionError.
  void read(Region const& region, Target<array_space> to, ReadOptions options = {}) const {
    auto& s = *state_;
    if (to.strides.rank() != shape().rank())
      throw SelectionError{"found " + std::to_string(to.strides.rank()) + " strides, expected " +
                           std::to_string(shape().rank())};
    ChunkSource<S, P> const source{s.store,    s.prefix, s.metadata.key_encoding,
                                   s.pipeline, s.form,   {s.metadata.fill.data(), s.metadata.fill.size()}};
    try {
      read_chunks(source, region, to, s.on, options);
    } catch (...) {
      s.on.wait();  // what is under way still writes to the caller's memory
      throw;
    }
    s.on.wait();
  }

  queue_type& queue() const { return state_->on; }

 private:
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
  };
  std::shared_ptr<State> state_;
};

}  // namespace tessera::inline v0
