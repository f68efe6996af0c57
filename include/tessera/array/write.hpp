// The write path: plan, gather, encode, store. Whole chunks go through it in mini-batches; a chunk that is written in
// part is read, changed and written back while its key is locked.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/array/read.hpp>
#include <tessera/cast/concept.hpp>
#include <tessera/store/key_lock.hpp>

namespace tessera::inline v0 {

struct WriteOptions {
  std::size_t mini_batch = 0;      ///< chunks that go through the pipeline in lock step; 0: about a MiB, at most 32
  bool store_fill_chunks = false;  ///< write chunks of nothing but the fill value too; else their keys are erased
};

/// Where elements come from: the first one's address, and how far apart they are in bytes.
template <MemorySpace Space>
struct Origin {
  std::byte const* data;
  Strides strides;
};

namespace detail {

/// A mini-batch at work. Its vectors and scratch are kept by the queue and used again.
template <class S, class P>
class WriteBatch {
  using bytes_space = typename P::bytes_space;
  using array_space = typename P::array_space;
  using Queue = typename P::queue_type;

  struct Slot {
    Piece piece;
    Key key;
    ByteSpan<array_space> chunk;  // in the layout that the pipeline encodes from
    bool is_new;                  // nothing of an older value is kept
  };

 public:
  /// What writing needs to know beside the source.
  struct To {
    ChunkSource<S, P> const& source;
    Extents const& shape;  ///< of the array: what lies beyond it in a chunk is filled
    Origin<array_space> origin;
    KeyLocks& locks;  ///< used where the store has none of its own
    WriteOptions options;
  };

  /// Writes the pieces [first, last) of a plan.
  void run(To const& to, Plan const& plan, std::uint64_t first, std::uint64_t last, Queue& on) {
    used_ = 0;
    for (auto i = first; i < last; ++i)
      if (auto const piece = plan.piece(i); is_whole(to, piece)) add(to, piece);
    auto const whole = used_;
    if (whole > 0) pass(to, on, [&] { store_each(to, on, [&](Key const& key) { return lock(to, key); }); });
    if (whole == last - first) return;
    for (auto i = first; i < last; ++i)
      if (auto const piece = plan.piece(i); !is_whole(to, piece)) update(to, piece, on);
  }

 private:
  // Every element of the chunk that lies in the array is given.
  static bool is_whole(To const& to, Piece const& piece) {
    auto const& chunk = to.source.form.layout.shape;
    for (std::size_t d = 0; d < chunk.rank(); ++d)
      if (piece.count[d] != std::min(chunk[d], to.shape[d] - piece.chunk[d] * chunk[d])) return false;
    return true;
  }

  void add(To const& to, Piece const& piece) {
    if (slots_.size() == used_) slots_.emplace_back();
    auto& slot = slots_[used_++];
    slot.piece = piece;
    slot.key.path = to.source.prefix;
    to.source.key_encoding.append(slot.key.path, piece.chunk);
    slot.is_new = true;
  }

  // Reads one chunk, changes it and writes it back; nobody else does so with this key meanwhile.
  void update(To const& to, Piece const& piece, Queue& on) {
    used_ = 0;
    add(to, piece);
    auto const held = lock(to, slots_[0].key);
    pass(to, on, [&] { store_each(to, on, [](Key const&) { return 0; }); });
  }

  // All slots through gather and encode, then `store`. Errors name the key.
  template <class Store>
  void pass(To const& to, Queue& on, Store&& store) try {
    auto const size = to.source.form.decoded_size;
    auto const room = chunks_.take(checked_size(checked_product(used_, size, "a mini-batch"), "a mini-batch"),
                                   queue_in<array_space>(on));
    for (std::size_t i = 0; i < used_; ++i) slots_[i].chunk = room.sub(i * size, size);
    gather(to, on);
    encode(to, room, on);
    store();
  } catch (Error& error) {
    auto const chunk = error.chunk();  // of the one that is read, or of those that are encoded
    error.in_key(slots_[chunk && used_ > 1 ? encoded_[*chunk] : 0].key.path).in_store(name_of(to.source.store));
    throw;
  }

  void gather(To const& to, Queue& on) {
    auto const& layout = to.source.form.layout;
    placements_.clear();
    for (std::size_t i = 0; i < used_; ++i) {
      auto& slot = slots_[i];
      if (!is_whole(to, slot.piece)) slot.is_new = !read_old(to, slot, on);
      if (slot.is_new && slot.piece.count != layout.shape)
        placements_.push_back({nullptr, slot.chunk.data, layout.shape});
    }
    stored_fill(to);
    ByteView<space::Host> const fill{fill_.data(), fill_.size()};
    PlacementForm form{layout.item_size, 1, fill, layout.strides, layout.strides};
    placer<array_space>::place(placements_, form, queue_in<array_space>(on));
    placements_.clear();
    form.swapped = layout.swapped;
    form.from_strides = to.origin.strides;
    for (std::size_t i = 0; i < used_; ++i) placements_.push_back(placement(to, slots_[i], form));
    placer<array_space>::place(placements_, form, queue_in<array_space>(on));
  }

  static Placement<array_space> placement(To const& to, Slot const& slot, PlacementForm& form) {
    auto const& layout = to.source.form.layout;
    Placement<array_space> result{to.origin.data, slot.chunk.data, slot.piece.count};
    for (std::size_t d = 0; d < layout.shape.rank(); ++d) {
      result.from += static_cast<std::int64_t>(slot.piece.target[d]) * to.origin.strides[d];
      result.to += static_cast<std::int64_t>(slot.piece.first[d]) * layout.strides[d];
      if (slot.piece.count[d] > 1)
        form.to_strides[d] = layout.strides[d] * static_cast<std::int64_t>(slot.piece.step[d]);
    }
    return result;
  }

  // The fill value as it stands in decoded bytes: in the stored byte order.
  void stored_fill(To const& to) {
    auto const& layout = to.source.form.layout;
    fill_.resize(layout.item_size);
    for (std::size_t part = 0; part < layout.item_size; part += layout.swapped)
      std::reverse_copy(to.source.fill.data + part, to.source.fill.data + part + layout.swapped, fill_.data() + part);
  }

  // The chunk's value until now, decoded. False: there is none.
  bool read_old(To const& to, Slot& slot, Queue& on) {
    auto const limit = most_encoded(to.source.form);
    ByteSpan<bytes_space> found;
    auto room = [&](std::size_t n) {
      expect_at_most(n, limit);
      return found = encoded_scratch_.take(n, queue_in<bytes_space>(on));
    };
    if (!to.source.store.read(slot.key, {}, room, queue_in<bytes_space>(on))) return false;
    DecodeTask<bytes_space, array_space> task{found, slot.chunk, {}};
    to.source.pipeline.decode(to.source.form, std::span{&task, 1}, on);
    if (task.decoded.data != slot.chunk.data) {
      if constexpr (std::same_as<bytes_space, array_space>)
        crossing<array_space, array_space>::copy(task.decoded, slot.chunk, queue_in<array_space>(on));
    }
    return true;
  }

  void encode(To const& to, ByteView<array_space> chunks, Queue& on) {
    auto const bound = to.source.form.encoded_bound();
    ByteView<space::Host> const fill{fill_.data(), fill_.size()};
    filled_.assign(used_, 0);
    if (!to.options.store_fill_chunks)
      placer<array_space>::find_filled(chunks, to.source.form.decoded_size, fill, std::span{filled_},
                                       queue_in<array_space>(on));
    tasks_.clear();
    encoded_.clear();
    for (std::size_t i = 0; i < used_; ++i)
      if (!filled_[i]) {
        tasks_.push_back({slots_[i].chunk});
        encoded_.push_back(i);
      }
    if (!to.source.form.is_view()) {
      auto const room =
          encoded_scratch_.take(checked_size(checked_product(tasks_.size(), bound, "a mini-batch"), "a mini-batch"),
                                queue_in<bytes_space>(on));
      for (std::size_t t = 0; t < tasks_.size(); ++t) tasks_[t].to = room.sub(t * bound, bound);
    }
    to.source.pipeline.encode(to.source.form, std::span{tasks_}, on);
  }

  template <class Lock>
  void store_each(To const& to, Queue& on, Lock&& lock_key) {
    std::size_t t = 0;
    for (std::size_t i = 0; i < used_; ++i) try {
        [[maybe_unused]] auto const held = lock_key(slots_[i].key);
        if (t < tasks_.size() && encoded_[t] == i)
          to.source.store.write(slots_[i].key, tasks_[t++].encoded, queue_in<bytes_space>(on));
        else
          to.source.store.erase(slots_[i].key, queue_in<bytes_space>(on));
      } catch (Error& error) {
        error.in_key(slots_[i].key.path);
        throw;
      }
  }

  static auto lock(To const& to, Key const& key) {
    if constexpr (requires { to.source.store.lock(key); })
      return to.source.store.lock(key);
    else
      return to.locks.lock(key);
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::vector<Placement<array_space>> placements_;
  std::vector<EncodeTask<bytes_space, array_space>> tasks_;
  std::vector<std::size_t> encoded_;  // the slot of each task
  std::vector<std::byte> fill_;
  std::vector<std::uint8_t> filled_;
  Scratch<array_space> chunks_;
  Scratch<bytes_space> encoded_scratch_;
};

}  // namespace detail

/// Writes a region from memory at `origin`, in the queue's order. Of chunks that are written in part, the rest stays as
/// it is, whoever else writes to it through this store and its copies. `shape` is that of the array. Throws:
/// StoreError, CodecError with the key; then some of the region may be written, every chunk wholly or not at all.
template <class S, class P>
void write_chunks(ChunkSource<S, P> const& source, Extents const& shape, Region const& region,
                  Origin<typename P::array_space> origin, KeyLocks& locks, typename P::queue_type& on,
                  WriteOptions options = {}) {
  Plan const plan{region, source.form.layout.shape};
  auto const batch = detail::mini_batch(options.mini_batch, plan.size(), source.form.decoded_size, on.host().threads());
  using Batch = detail::WriteBatch<S, P>;
  typename Batch::To const to{source, shape, origin, locks, options};
  on.host().for_each((plan.size() + batch - 1) / batch, [&](std::size_t i) {
    auto const work = on.template lease<Batch>();
    work->run(to, plan, i * batch, std::min((i + 1) * batch, plan.size()), on);
  });
}

}  // namespace tessera::inline v0
