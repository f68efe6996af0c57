// BatchReader: reads planned batches of an array, and keeps chunks from one to the next.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array/any_array.hpp>
#include <tessera/array/detail/box_placer.hpp>
#include <tessera/array/detail/box_targets.hpp>
#include <tessera/array/detail/padding.hpp>
#include <tessera/array/detail/place_padding.hpp>
#include <tessera/array/detail/read_boxes.hpp>
#include <tessera/buffer/concept.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/loader/detail/keeping_placer.hpp>
#include <tessera/loader/detail/kept_chunks.hpp>
#include <tessera/loader/detail/planned_batch.hpp>
#include <tessera/loader/detail/stored_values.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/place/detail/non_temporal.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/plan/detail/chunk_edges.hpp>
#include <tessera/plan/detail/piece.hpp>
#include <tessera/store/detail/value_watch.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/layout.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// For one thread at a time. The kept chunks are used in the order of the array's queue.
template <class S, class P>
class BatchReader {
  using Space = typename P::array_space;
 public:
  using Stored = StoredValues<typename P::bytes_space>;
  using Targets = BoxTargets<Space>;
  using Later = std::span<std::unique_ptr<PlannedBatch> const>;

  /// Keeps nothing until it is told to. `value`: the bytes of the element that pads the array. Throws: SelectionError,
  /// if the padding does not suit the array.
  BatchReader(AnyArray<S, P> array, Padding const& padding, ByteView<space::Host> value)
      : array_{std::move(array)},
        shape_{array_.shape()},
        padding_{padding},
        padding_value_(value.data, value.data + value.size),
        item_size_{array_.type().size},
        axes_{axes_of_chunks(array_, shape_)},
        chunk_{Layout::c_order(array_.inner_chunk_shape(), item_size_)},
        chunk_bytes_{checked_product(element_count(chunk_.shape, "a chunk"), item_size_, "a chunk")} {
    in_document(array_.store(), array_.document(), [&] { return padding_.padded(shape_); });
    for (std::size_t d = 0; d < shape_.rank(); ++d) {
      grid_.push_back(axes_.empty() ? shape_[d] / chunk_.shape[d] + (shape_[d] % chunk_.shape[d] != 0)
                                    : axes_[d].chunks());
      group_.push_back(array_.chunk_shape()[d] / chunk_.shape[d]);
    }
  }

  /// Allocates memory for kept chunks, once; none, if the array has 2^64 chunks or more. `budget`: bytes. Throws:
  /// Error, DeviceError, if there is too little memory; then nothing is kept.
  void keep(std::uint64_t budget) {
    auto const chunks = count_or_most(grid_);
    if (chunks == ~std::uint64_t{0}) return;  // 64 bits cannot number them
    auto const slots = std::min(chunks, budget / std::max<std::uint64_t>(chunk_bytes_, 1));
    if (slots == 0) return;
    auto const bytes = checked_size(checked_product(slots, chunk_bytes_, "kept chunks"), "kept chunks");
    memory_ = buffer_in_t<Space>(bytes, queue_in<Space>(array_.queue()));
    kept_.emplace(static_cast<std::size_t>(slots));
  }

  /// Keeps stored values instead, and allocates memory for them when they are read. `budget`: bytes.
  void keep_stored(std::uint64_t budget) {
    constexpr bool watches = HasWatch<S> && !VersionsOnlyReads<S>;
    if (budget > 0) stored_ = std::make_unique<Stored>(array_.readable(), watches, budget);
  }
  /// The bytes of all chunks, decoded; 2^64 - 1, if there are more.
  std::uint64_t decoded_bytes() const {
    auto const chunks = count_or_most(grid_), each = std::max<std::uint64_t>(chunk_bytes_, 1);
    return chunks > ~std::uint64_t{0} / each ? ~std::uint64_t{0} : chunks * each;
  }

  /// The array's shape when this was made, in which boxes are resolved.
  Extents const& shape() const { return shape_; }
  bool keeps() const { return kept_.has_value(); }  ///< decoded chunks
  Stored const* stored() const { return stored_.get(); }  ///< null: no stored values are kept
  AnyArray<S, P> const& array() const { return array_; }
  auto& queue() const { return array_.queue(); }

  /// The usual budget of keep(): the bytes of `batches` batches like this one, of the array's elements. 0, if chunks
  /// are stored as they are in memory and larger than a box: to keep one, more of it is fetched than boxes want.
  std::uint64_t usual_budget(PlannedBatch const& batch, std::uint64_t batches) const {
    auto const boxes = batch.boxes.size();
    auto const bytes =
        checked_product(element_count(batch.chunks.shape_of_all(), "the boxes"), item_size_, "the boxes");
    if (boxes == 0 || (bytes / boxes < chunk_bytes_ && array_.has_chunks_as_in_memory())) return 0;
    return checked_product(bytes, batches, "kept chunks");
  }

  /// Finds the boxes and their chunks. Errors name the array.
  void plan(PlannedBatch& batch) const {
    in_document(array_.store(), array_.document(), [&] {
      batch.chunks.resolve({batch.boxes, batch.orientations}, shape_, padding_, !batch.is_several);
    });
    batch.chunks.find_chunks(chunk_.shape, group_, item_size_, axes_);
    batch.number_chunks(grid_);
  }

  /// Reads a batch into memory of its boxes, and returns how many of its chunks were kept. `later`: the batches that
  /// are known to follow. `part_placer`: what places elements in the memory, if that is not a copy; kept chunks have
  /// the array's elements. Use the memory in the queue's order. Throws: as a read.
  std::size_t read(PlannedBatch& batch, Later later, Targets const& to, ReadOptions const& options,
                   AnyPlacer<Space> const* part_placer = nullptr) {
    auto const made_size = PlacerOrUsual<Space>{part_placer}.placed_size(item_size_);
    auto const bytes = checked_product(batch.chunks.elements(), made_size, "the boxes");
    BoxPlacer<Space> const boxes{batch.chunks, to, bytes, part_placer};
    ByteView<space::Host> const value{padding_value_.data(), padding_value_.size()};
    if (batch.chunks.has_constant())
      in_document(array_.store(), array_.document(),
                  [&] { place_padding<Space>(batch.chunks, to, value, array_.queue(), part_placer); });
    if (!kept_) {
      read_listed(batch.chunks.chunks(), {boxes.listed(), batch.chunks.strides(), &boxes, item_size_}, options);
      return 0;
    }
    kept_->begin(batch.wanted);
    for (auto i = later.size(); i-- > 0;) kept_->need_later(later[i]->wanted);
    kept_->decide();
    try {
      place_hits(batch, boxes, options);
      read_missing(batch, boxes, options);
    } catch (...) {
      kept_->forget_missing();
      throw;
    }
    return kept_->hits().size();
  }

 private:
  void read_listed(std::span<PlacedChunk const> listed, StridedSpan<Space> const& to, ReadOptions const& options) {
    if (listed.empty()) return;
    auto const* const from = stored_ ? &stored_->store() : nullptr;
    if constexpr (std::is_void_v<typename AnyArray<S, P>::Completion>)
      array_.read_listed_into(listed, to, options, from);
    else
      array_.read_listed_into(listed, to, options, from).detach();
  }

  std::byte* slot(std::size_t i) { return memory_.span().data + i * chunk_bytes_; }

  // First, because chunks that are read may take the slots of those that are no longer needed.
  void place_hits(PlannedBatch const& batch, BoxPlacer<Space> const& boxes, ReadOptions const& options) {
    hits_.clear();
    for (auto const& [index, from] : kept_->hits()) {
      auto const& wanted = *batch.chunks.chunks()[index].wanted;
      hits_.push_back(
          {address(slot(from), wanted.first, chunk_.strides), boxes.listed() + index * chunk_bytes_, wanted.count});
    }
    PlacementForm const form{item_size_, 1, {}, chunk_.strides, {}};
    auto& on = array_.queue();
    if constexpr (std::same_as<Space, space::Host>)
      on.for_each(hits_.size(), [&](std::size_t i) {
        expect_going(options.stop);
        boxes.place({&hits_[i], 1}, form, on);
      });
    else if (!hits_.empty())
      boxes.place(hits_, form, on);
  }

  void read_missing(PlannedBatch& batch, BoxPlacer<Space> const& boxes, ReadOptions const& options) {
    listed_.clear();
    slots_.assign(batch.chunks.chunks().size(), nullptr);
    for (auto const& [index, to] : kept_->missing()) {
      if (to != KeptChunks::none) {
        slots_[index] = slot(to);
        batch.chunks.want_whole(index);
      }
      listed_.push_back(batch.chunks.chunks()[index]);
    }
    KeepingPlacer<Space> const placer{boxes, chunk_bytes_, slots_, memory_.view().size >= beyond_caches};
    read_listed(listed_, {boxes.listed(), batch.chunks.strides(), &placer, item_size_}, options);
  }

  AnyArray<S, P> array_;
  Extents const shape_;
  Padding const padding_;
  std::vector<std::byte> const padding_value_;
  std::size_t const item_size_;
  std::vector<ChunkAxis> const axes_;  // of a rectilinear grid
  Layout const chunk_;                 // the longest, of such a grid
  std::uint64_t const chunk_bytes_;
  Extents grid_{}, group_{};  // chunks of the array, and of a shard

  std::unique_ptr<Stored> stored_{};
  std::optional<KeptChunks> kept_{};
  buffer_in_t<Space> memory_{};
  std::vector<Placement<Space>> hits_{};
  std::vector<PlacedChunk> listed_{};
  std::vector<std::byte*> slots_{};  // of the batch's chunks; null: not kept
};

}}}  // namespace tessera::v0::detail
