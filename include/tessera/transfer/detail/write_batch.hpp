// WriteBatch: one mini-batch of a write: gather, encode, store. Whole chunks pass through it together; a chunk written
// in part is read, changed and written back while its key is locked.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/pipeline/detail/batch.hpp>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/plan/detail/boxes.hpp>
#include <tessera/plan/detail/plan.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/store/detail/value_changed.hpp>
#include <tessera/store/detail/write_many.hpp>
#include <tessera/transfer/detail/chunk_access.hpp>
#include <tessera/transfer/detail/write_placer.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A mini-batch under way. The queue keeps its buffers for reuse.
template <class P>
class WriteBatch {
  using bytes_space = typename P::bytes_space;
  using array_space = typename P::array_space;
  using Queue = typename P::queue_type;
  using Slot = ChunkWrite<array_space>;

 public:
  /// The arguments of a write.
  struct To {
    ChunkAccess<P> const& source;
    Plan const& plan;
    Extents const& shape;  ///< of the array: the part of a chunk beyond it is filled
    StridedView<array_space> origin;
    bool stores_fill_chunks;
    std::size_t most;  ///< chunks of a mini-batch; memory is allocated for this many, so that it does not grow later
    Stop stop;
  };

  /// Writes those of the pieces [first, last) of the plan that are whole chunks. Returns their number.
  std::uint64_t write_whole(To const& to, std::uint64_t first, std::uint64_t last, Queue& on) {
    used_ = 0;
    to.plan.for_each_piece(first, last, [&](Piece const& piece) {
      if (is_whole(to, piece)) add(to, piece, true);
    });
    if (used_ > 0) pass(to, on, [&] { store_all(to, on); });
    return used_;
  }

  /// Reads one chunk, changes it and writes it back, with exclusive access to its key.
  void update(To const& to, Piece const& piece, Queue& on) {
    until_unchanged([&] {
      used_ = 0;
      add(to, piece, false);
      auto const held = to.source.store.lock(slots_[0].key, to.stop);
      pass(to, on, [&] {
        auto& queue = queue_in<bytes_space>(on);
        if (tasks_.empty())
          to.source.writing->store.erase(slots_[0].key, queue);
        else
          to.source.writing->store.write(slots_[0].key, tasks_[0].encoded, queue);
      });
    });
  }

  /// Whether every element of the chunk that lies in the array is given.
  static bool is_whole(To const& to, Piece const& piece) {
    return to.plan.elements(piece) == elements_of_chunk(to.source.form.layout.shape, to.shape, piece.chunk);
  }

 private:
  void add(To const& to, Piece const& piece, bool is_new) {
    if (slots_.size() == used_) slots_.emplace_back();
    auto& slot = slots_[used_++];
    slot.piece = piece;
    to.source.names.put_key(slot.key, piece.chunk);
    slot.is_new = is_new;
  }

  // Gathers and encodes all slots, then calls `store`. Errors name the key.
  template <class Store>
  void pass(To const& to, Queue& on, Store&& store) try {
    auto const size = to.source.form.decoded_size;
    auto const bytes = checked_size(checked_product(to.most, size, "a mini-batch"), "a mini-batch");
    auto const destination = seen_in<array_space>(chunks_.take(bytes, queue_in<typename P::array_staging>(on)));
    for (std::size_t i = 0; i < used_; ++i) slots_[i].chunk = destination.sub(i * size, size);
    gather(to, on);
    encode(to, destination, on);
    store();
  } catch (Error& error) {
    auto const chunk = error.chunk();  // of the chunk read, or of those encoded
    auto const& slot = slots_[chunk && used_ > 1 && *chunk < encoded_.size() ? encoded_[*chunk] : 0];
    to.source.blame(error, slot.key, slot.piece.chunk);
    throw;
  }

  void gather(To const& to, Queue& on) {
    auto const& layout = to.source.form.layout;
    put_stored_fill(fill_, to.source.fill, layout);
    for (std::size_t i = 0; i < used_; ++i) slots_[i].is_new = slots_[i].is_new || !read_old(to, slots_[i], on);
    ByteView<space::Host> const fill{fill_.data(), fill_.size()};
    std::span<Slot const> const slots{slots_.data(), used_};
    WritePlacer<P>{layout, to.plan, to.origin, fill, placing_, on}.place(slots);
  }

  // Decodes the chunk's present value. False: it has none.
  bool read_old(To const& to, Slot& slot, Queue& on) {
    auto const limit = most_encoded(to.source.form);
    ByteSpan<bytes_space> found;
    auto destination = [&](std::size_t n) {
      expect_at_most(n, limit);
      return found = seen_in<bytes_space>(values_.take(n, queue_in<typename P::bytes_staging>(on)));
    };
    Destination<bytes_space> const reader{destination, {limit, to.stop}};
    auto const size = to.source.store.read(slot.key, {}, reader, queue_in<bytes_space>(on));
    expect_given(size, found.size, slot.key);
    if (!size) return false;
    DecodeTask<bytes_space, array_space> task{found, slot.chunk, {}};
    to.source.pipeline.decode(to.source.form, std::span{&task, 1}, decoding_, on);
    if (task.decoded.data != slot.chunk.data) {
      if constexpr (std::same_as<bytes_space, array_space>)
        crossing<array_space, array_space>::copy(task.decoded, slot.chunk, queue_in<array_space>(on));
    }
    return true;
  }

  void encode(To const& to, ByteView<array_space> chunks, Queue& on) {
    auto const& form = to.source.form;
    filled_.assign(used_, 0);
    if (form.varying && !to.stores_fill_chunks)
      form.varying->find_filled({chunks.data, chunks.size}, form.decoded_size, {fill_.data(), fill_.size()}, filled_);
    else if (!to.stores_fill_chunks)
      placer<array_space>::find_filled(chunks, form.decoded_size, {fill_.data(), fill_.size()}, std::span{filled_},
                                       queue_in<array_space>(on));
    tasks_.clear();
    encoded_.clear();
    for (std::size_t i = 0; i < used_; ++i)
      if (!filled_[i]) {
        tasks_.push_back({slots_[i].chunk});
        encoded_.push_back(i);
      }
    slab_ = {};
    if constexpr (std::same_as<bytes_space, array_space>) slab_ = chunks;
    if (form.varying) slab_ = {};  // each value stays where it was encoded
    if (!form.is_view() && !form.varying) {
      auto const bound = form.encoded_bound();
      auto const bytes = checked_size(checked_product(to.most, bound, "a mini-batch"), "a mini-batch");
      auto const destination = seen_in<bytes_space>(values_.take(bytes, queue_in<typename P::bytes_staging>(on)));
      for (std::size_t t = 0; t < tasks_.size(); ++t) tasks_[t].to = destination.sub(t * bound, bound);
      slab_ = destination;
    }
    encoding_.most = to.most;
    to.source.pipeline.encode(form, std::span{tasks_}, encoding_, on);
  }

  // Locks each key while it changes.
  void store_all(To const& to, Queue& on) {
    auto const& store = to.source.writing->store;
    auto& queue = queue_in<bytes_space>(on);
    for (std::size_t i = 0; i < used_; ++i) try {
        if (!filled_[i]) continue;
        until_unchanged([&] {
          auto const held = store.lock(slots_[i].key, to.stop);
          store.erase(slots_[i].key, queue);
        });
      } catch (Error& error) {
        to.source.blame(error, slots_[i].key, slots_[i].piece.chunk);
        throw;
      }
    requests_.clear();
    for (std::size_t t = 0; t < tasks_.size(); ++t)
      requests_.push_back({&slots_[encoded_[t]].key, tasks_[t].encoded, slab_, to.stop});
    store.write_many(requests_, queue);
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  typename WritePlacer<P>::Buffers placing_;
  std::vector<EncodeTask<bytes_space, array_space>> tasks_;
  std::vector<std::size_t> encoded_;  // the slot of each task
  std::vector<WriteRequest<bytes_space>> requests_;
  ByteView<bytes_space> slab_;  // memory that the encoded values share, if any
  std::vector<std::byte> fill_;
  std::vector<std::uint8_t> filled_;
  Scratch<typename P::array_staging> chunks_;
  Scratch<typename P::bytes_staging> values_;
  typename P::Decoding decoding_;
  typename P::Encoding encoding_;
};

}}}  // namespace tessera::v0::detail
