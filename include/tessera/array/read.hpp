// The read path: plan, fetch, decode, place. Chunks go through it in mini-batches; the queue's threads take one each.
#pragma once
#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/array/plan.hpp>
#include <tessera/buffer/scratch.hpp>
#include <tessera/key/chunk_key.hpp>
#include <tessera/pipeline/batch.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/store/get.hpp>
#include <tessera/view/copy.hpp>

namespace tessera::inline v0 {

/// What a read moved, in bytes: fetched from the store, decoded by codecs that run, placed element by element.
struct Traffic {
  std::atomic<std::uint64_t> chunks{0}, missing{0}, fetched{0}, decoded{0}, placed{0};
};

struct ReadOptions {
  std::size_t mini_batch = 0;  ///< chunks that go through the pipeline in lock step; 0: about a MiB, at most 32
  Traffic* traffic = nullptr;  ///< added to, if given
};

/// Chunks in a store and how to read them: an array's, or the inner chunks of a shard.
template <class S, class P>
struct ChunkSource {
  S const& store;
  std::string_view prefix;  ///< of the keys, with its '/'
  ChunkKeyEncoding key_encoding;
  P const& pipeline;
  ChunkForm const& form;
  ByteView<space::Host> fill;  ///< one element, in the machine's byte order
};

/// Where elements go: the first one's address, and how far apart they are in bytes.
template <MemorySpace Space>
struct Target {
  std::byte* data;
  Strides strides;
};

namespace detail {

/// A mini-batch at work. Its vectors and scratch are kept by the queue and used again.
template <class S, class P>
class ReadBatch {
  using bytes_space = typename P::bytes_space;
  using array_space = typename P::array_space;
  using Queue = typename P::queue_type;

  struct Slot {
    Piece piece;
    Key key;
    Scratch<bytes_space> scratch;
    ByteSpan<bytes_space> encoded;
    ByteSpan<array_space> direct;  // the user's memory, where the chunk can be decoded right into it
    std::uint64_t most;            // bytes that the chunk's value may have
    bool is_view;                  // its bytes are its elements
    Queue* on;

    ByteSpan<bytes_space> operator()(std::size_t n) {
      expect_at_most(n, most);
      if constexpr (std::same_as<bytes_space, array_space>)
        if (is_view && direct.data && n == direct.size) return encoded = direct;
      return encoded = scratch.take(n, queue_in<bytes_space>(*on));
    }
  };

 public:
  /// Reads the pieces [first, last) of a plan.
  void run(ChunkSource<S, P> const& source, Plan const& plan, std::uint64_t first, std::uint64_t last,
           Target<array_space> target, Queue& on, Traffic* traffic) try {
    select(source, plan, first, last, target, on);
    fetch(source, on);
    decode(source, on);
    auto const placed = place(source, target, on);
    if (!traffic) return;
    traffic->chunks += used_;
    traffic->missing += used_ - tasks_.size();
    for (auto const& task : tasks_) traffic->fetched += task.encoded.size;
    if (!source.form.is_view()) traffic->decoded += tasks_.size() * source.form.decoded_size;
    traffic->placed += placed;
  } catch (Error& error) {
    auto const chunk = error.chunk();
    if (used_ > 0) error.in_key(slots_[chunk && *chunk < found_.size() ? found_[*chunk] : 0].key.path);
    error.in_store(name_of(source.store));
    throw;
  }

 private:
  void select(ChunkSource<S, P> const& source, Plan const& plan, std::uint64_t first, std::uint64_t last,
              Target<array_space> target, Queue& on) {
    used_ = 0;
    if (slots_.size() < last - first) slots_.resize(last - first);
    for (auto i = first; i < last; ++i) {
      auto& slot = slots_[used_++];
      slot.piece = plan.piece(i);
      slot.key.path = source.prefix;
      source.key_encoding.append(slot.key.path, slot.piece.chunk);
      slot.is_view = source.form.is_view();
      slot.most = most_encoded(source.form);
      slot.on = &on;
      slot.direct = {};
      if (is_contiguous(source.form.layout, slot.piece, target.strides))
        slot.direct = {at(target, slot.piece), source.form.decoded_size};
    }
  }

  void fetch(ChunkSource<S, P> const& source, Queue& on) {
    requests_.clear();
    for (std::size_t i = 0; i < used_; ++i) requests_.push_back({&slots_[i].key, {}, slots_[i]});
    get_many(source.store, std::span{requests_}, queue_in<bytes_space>(on));
  }

  void decode(ChunkSource<S, P> const& source, Queue& on) {
    tasks_.clear();
    found_.clear();
    for (std::size_t i = 0; i < used_; ++i)
      if (requests_[i].size) {
        tasks_.push_back({slots_[i].encoded, slots_[i].direct});
        found_.push_back(i);
      }
    auto const size = source.form.decoded_size;
    if (!source.form.is_view()) {
      std::size_t rest = 0;  // those that are not decoded right into the target
      for (auto const& task : tasks_) rest += !task.to.data;
      auto const room = decoded_.take(checked_product(rest, size, "a mini-batch"), queue_in<array_space>(on));
      std::size_t next = 0;  // in their order: neighbours cross in one copy
      for (auto& task : tasks_)
        if (!task.to.data) task.to = room.sub(next++ * size, size);
    }
    source.pipeline.decode(source.form, std::span{tasks_}, on);
  }

  // A bool in C++ is 0 or 1; any other byte would be undefined behaviour in the user's program.
  static void expect_booleans(Placement<array_space> const& placement, Strides const& strides, std::size_t chunk) {
    for (auto n : placement.count)
      if (n == 0) return;
    Axes const axes{placement.count, strides, strides};
    axes.for_each(placement.to, placement.from, [&](std::byte*, std::byte const* element) {
      if (*element <= std::byte{1}) return;
      throw CodecError{text({"found an element ", std::to_integer<int>(*element), ", expected 0 or 1 for a bool"})}
          .in_chunk(chunk);
    });
  }

  std::uint64_t place(ChunkSource<S, P> const& source, Target<array_space> target, Queue& on) {
    auto const& layout = source.form.layout;
    PlacementForm form{layout.item_size, layout.swapped, source.fill, layout.strides, target.strides};
    placements_.clear();
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      auto const& slot = slots_[found_[t]];
      Placement<array_space> placement{tasks_[t].decoded.data, at(target, slot.piece), slot.piece.count};
      for (std::size_t d = 0; d < layout.shape.rank(); ++d) {
        placement.from += static_cast<std::int64_t>(slot.piece.first[d]) * layout.strides[d];
        if (slot.piece.count[d] > 1)  // only then is the step known to be shorter than the chunk
          form.from_strides[d] = layout.strides[d] * static_cast<std::int64_t>(slot.piece.step[d]);
      }
      if constexpr (array_space::host_accessible)
        if (source.form.chunk.type.kind == DataKind::boolean) expect_booleans(placement, form.from_strides, t);
      if (tasks_[t].decoded.data == slot.direct.data && slot.direct.data) continue;
      placements_.push_back(placement);
    }
    for (std::size_t i = 0; i < used_; ++i)
      if (!requests_[i].size) {
        auto const& piece = slots_[i].piece;
        placements_.push_back({nullptr, at(target, piece), piece.count});
      }
    return placer<array_space>::place(placements_, form, queue_in<array_space>(on));
  }

  static std::byte* at(Target<array_space> target, Piece const& piece) {
    for (std::size_t d = 0; d < piece.target.rank(); ++d)
      target.data += static_cast<std::int64_t>(piece.target[d]) * target.strides[d];
    return target.data;
  }

  // The whole chunk is wanted, and lies in the target as it lies in its decoded bytes.
  static bool is_contiguous(Layout const& layout, Piece const& piece, Strides const& target) {
    if (layout.swapped != 1 || piece.count != layout.shape) return false;
    for (std::size_t d = 0; d < target.rank(); ++d)
      if (layout.shape[d] != 1 && layout.strides[d] != target[d]) return false;
    return true;
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::vector<ReadRequest<bytes_space>> requests_;
  std::vector<DecodeTask<bytes_space, array_space>> tasks_;
  std::vector<std::size_t> found_;  // the slot of each task
  std::vector<Placement<array_space>> placements_;
  Scratch<array_space> decoded_;
};

// How many of so many chunks go through the pipeline in lock step: about a MiB, but so that every thread has some, and of
// small chunks not so many that what is known of them displaces their elements from the cache.
inline std::uint64_t mini_batch(std::uint64_t wanted, std::uint64_t chunks, std::uint64_t chunk_bytes,
                                std::uint64_t threads) {
  if (wanted != 0) return std::clamp<std::uint64_t>(wanted, 1, std::max<std::uint64_t>(chunks, 1));  // sums do not wrap
  auto const in_a_mebibyte = (std::uint64_t{1} << 20) / std::max<std::uint64_t>(chunk_bytes, 1);
  return std::clamp<std::uint64_t>(std::min(in_a_mebibyte, chunks / (4 * threads)), 1, 32);
}

}  // namespace detail

/// Reads a region into the target, in the queue's order. Missing chunks are the fill value.
/// Throws: StoreError, CodecError with the key; then some of the target may be written.
template <class S, class P>
void read_chunks(ChunkSource<S, P> const& source, Region const& region, Target<typename P::array_space> target,
                 typename P::queue_type& on, ReadOptions options = {}) {
  Plan const plan{region, source.form.layout.shape};
  auto const batch = detail::mini_batch(options.mini_batch, plan.size(), source.form.decoded_size, on.host().threads());
  on.host().for_each((plan.size() + batch - 1) / batch, [&](std::size_t i) {
    auto const work = on.template lease<detail::ReadBatch<S, P>>();
    work->run(source, plan, i * batch, std::min((i + 1) * batch, plan.size()), target, on, options.traffic);
  });
}

}  // namespace tessera::inline v0
