// Many crops of an array at once: each chunk that they touch is decoded once, and kept for the crops that follow.
#include "array.hpp"
#include "kept_chunks.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <nanobind/ndarray.h>

namespace python {
namespace {

using tessera::Extents, tessera::Layout, tessera::Piece, tessera::Slice;
using Origins = nb::ndarray<std::int64_t const, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Number = KeptChunks::Number;

/// `read` is for one thread at a time, `stop` and the counts for any.
class Crops {
 public:
  Crops(Array const& array, std::vector<std::uint64_t> const& crop, std::uint64_t budget, std::size_t threads)
      : array_{array},
        crop_{extents_of(crop)},
        chunk_{Layout::c_order(array.inner_chunk_shape(), array.type().size)},
        on_{threads == 0 ? queue() : tessera::Queue<Host>{threads}} {
    if (auto const slots = slots_within(budget); slots > 0)
      kept_.emplace(slots, static_cast<std::size_t>(chunk_bytes()));
  }

  /// Memory for so many crops, which begins on a cache line and asks for huge pages.
  Tensor memory(std::uint64_t count) {
    Extents shape{count};
    for (auto n : crop_) shape.push_back(n);
    auto const bytes = tessera::checked_product(tessera::element_count(shape, "a batch"), item_size(), "a batch");
    auto tensor = tessera::dlpack::share(tessera::HostBuffer{tessera::checked_size(bytes, "a batch")});
    tensor.type = array_.type();
    tensor.layout = Layout::c_order(shape, item_size());
    memory_ += bytes;
    return tensor;
  }

  /// Throws: as a read; Cancelled after `stop`.
  void read(Origins const& origins, nb::handle out) {
    auto const memory = borrow(out);
    expect_type(array_, memory);
    auto const count = static_cast<std::size_t>(origins.shape(0));
    std::vector<Crop> crops;
    for (std::size_t i = 0; i < count; ++i) crops.push_back(crop_at(origins, i, memory.elements));
    nb::gil_scoped_release const released;
    std::lock_guard const one_at_a_time{reading_};
    if (kept_)
      read_through_kept(crops);
    else
      on_.for_each(count, [&](std::size_t i) { read_alone(crops[i]); });
  }

  /// Ends the read that is under way, and all that follow.
  void stop() { stop_ = true; }

  std::uint64_t decoded() const { return decoded_; }
  std::uint64_t hits() const { return hits_; }
  std::uint64_t bytes() const { return kept_ ? kept_->slots() * chunk_bytes() : 0; }

 private:
  struct Crop {
    tessera::ResolvedSelection what;
    tessera::StridedSpan<Host> to;
  };
  // What a crop takes from a chunk.
  struct Share {
    std::size_t crop;
    Number chunk;
    Piece piece;
  };

  std::size_t item_size() const { return chunk_.item_size; }
  std::uint64_t chunk_bytes() const {
    return tessera::checked_product(tessera::element_count(chunk_.shape, "a chunk"), item_size(), "a chunk");
  }

  // None: each crop is better read alone. Chunks that are stored as they are in memory can be read in part, so they are
  // kept only if there is room for all of them.
  std::size_t slots_within(std::uint64_t budget) {
    auto const rank = crop_.rank();
    if (rank == 0 || !array_.edges().empty()) return 0;
    auto const shape = array_.shape();
    std::uint64_t touched = 1;  // chunks, by one crop at most
    Extents grid;
    for (std::size_t d = 0; d < rank; ++d) {
      auto const length = chunk_.shape[d];
      grid.push_back(shape[d] / length + (shape[d] % length != 0));
      auto const most = (crop_[d] + length - 2) / length + 1;
      touched = tessera::checked_product(touched, std::min(grid[d], most), "a crop");
    }
    grid_ = grid;
    auto const all = tessera::element_count(grid, "the grid of chunks"), room = budget / chunk_bytes();
    if (room < touched || (room < all && are_stored_as_they_are())) return 0;
    return static_cast<std::size_t>(std::min(all, room));
  }
  bool are_stored_as_they_are() {
    auto const none = Extents::filled(crop_.rank(), 0);
    tessera::Region const nothing{none, none, Extents::filled(crop_.rank(), 1)};
    bool found = false;
    array_.for_chunks(nothing, tessera::Strides::filled(crop_.rank(), 0), on_,
                      [&](auto const& chunks) { found = chunks.form.is_view(); });
    return found;
  }

  Crop crop_at(Origins const& origins, std::size_t i, tessera::dlpack::Elements const& memory) const {
    std::vector<Slice> slices;
    for (std::size_t d = 0; d < crop_.rank(); ++d) {
      auto const first = static_cast<std::uint64_t>(origins(i, d));
      slices.emplace_back(first, first + crop_[d]);
    }
    tessera::Strides strides;
    for (std::size_t d = 0; d < crop_.rank(); ++d) strides.push_back(memory.layout.strides[d + 1]);
    auto* const data = memory.data + static_cast<std::ptrdiff_t>(i) * memory.layout.strides[0];
    return {tessera::Box{std::move(slices)}.resolve(array_.shape()), {data, strides}};
  }

  tessera::ReadOptions options() const { return {.stop = &stop_}; }
  void read_alone(Crop const& crop) { array_.read(crop.what, crop.to, on_, options()); }

  Number number_of(Extents const& chunk) const {
    Number number = 0;
    for (std::size_t d = 0; d < chunk.rank(); ++d) number = number * grid_[d] + chunk[d];
    return number;
  }

  // As many crops at a time as have all of their chunks in memory.
  void read_through_kept(std::vector<Crop> const& crops) {
    std::vector<Share> shares;
    std::unordered_set<Number> wanted;
    for (std::size_t i = 0; i < crops.size(); ++i) {
      auto const of_crop = shares.size();
      tessera::Plan const plan{crops[i].what, chunk_.shape};
      plan.for_each_piece(0, plan.size(), [&](Piece const& piece) {
        shares.push_back({i, number_of(piece.chunk), piece});
      });
      auto together = wanted;
      for (auto s = of_crop; s < shares.size(); ++s) together.insert(shares[s].chunk);
      if (together.size() > kept_->slots()) {
        move(crops, std::span{shares}.first(of_crop));
        shares.erase(shares.begin(), shares.begin() + static_cast<std::ptrdiff_t>(of_crop));
        together.clear();
        for (auto const& share : shares) together.insert(share.chunk);
      }
      wanted = std::move(together);
    }
    move(crops, shares);
  }

  void move(std::vector<Crop> const& crops, std::span<Share const> shares) {
    decode(shares);
    std::vector<std::byte const*> from;
    for (auto const& share : shares) from.push_back(kept_->data(kept_->use(share.chunk)));
    // Before a batch is looked at the others are written. But short rows, which come from memory too, take longer so.
    constexpr std::uint64_t short_row = 256;  // bytes
    bool const past_caches =
        memory_ >= tessera::detail::beyond_caches && crop_[crop_.rank() - 1] * item_size() >= short_row;
    on_.for_each(shares.size(), [&](std::size_t i) {
      tessera::detail::expect_going(&stop_);
      auto const& [data, strides] = crops[shares[i].crop].to;
      auto const& part = shares[i].piece.part;
      tessera::Placement<Host> const placement{tessera::detail::address(from[i], part.first, chunk_.strides),
                                               tessera::detail::address(data, part.target, strides), part.count};
      tessera::placer<Host>::place({&placement, 1}, {item_size(), 1, {}, chunk_.strides, strides, past_caches}, on_);
    });
  }

  // Those that are not there, by one read. Those that are there make no room for others.
  void decode(std::span<Share const> shares) {
    std::unordered_map<Number, Extents> missing;
    std::unordered_set<Number> there;
    for (auto const& share : shares)
      if (kept_->has(share.chunk))
        kept_->use(share.chunk), there.insert(share.chunk);
      else
        missing.emplace(share.chunk, share.piece.chunk);
    hits_ += there.size();
    if (missing.empty()) return;

    struct Slot {
      Number shard, chunk;
      std::size_t slot;
    };
    std::vector<Slot> slots;
    std::vector<tessera::PlacedChunk> placed;
    auto const elements = tessera::element_count(chunk_.shape, "a chunk");
    for (auto const& [number, chunk] : missing) slots.push_back({shard_of(chunk), number, 0});
    std::ranges::sort(slots, [](Slot const& a, Slot const& b) {
      return std::pair{a.shard, a.chunk} < std::pair{b.shard, b.chunk};
    });
    for (auto& one : slots) {
      one.slot = kept_->make_room();
      placed.push_back({missing.at(one.chunk), one.slot * elements});
    }
    try {
      array_.read_listed(placed, {kept_->data(), chunk_.strides}, on_, options());
    } catch (...) {
      for (auto const& one : slots) kept_->give_back(one.slot);
      throw;
    }
    for (auto const& one : slots) kept_->keep(one.chunk, one.slot);
    decoded_ += slots.size();
  }
  Number shard_of(Extents const& chunk) const {
    Number number = 0;
    auto const& shard = array_.chunk_shape();
    for (std::size_t d = 0; d < chunk.rank(); ++d) number = number * grid_[d] + chunk[d] * chunk_.shape[d] / shard[d];
    return number;
  }

  Array array_;
  Extents crop_, grid_{};  // the grid is that of inner chunks
  Layout chunk_;
  tessera::Queue<Host> on_;
  std::optional<KeptChunks> kept_{};
  std::mutex reading_{};
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> decoded_{0}, hits_{0}, memory_{0};  // memory: bytes of all batches
};

}  // namespace

void add_crops(nb::module_& module) {
  nb::class_<Crops>(module, "Crops", "Reads crops of one shape; chunks are decoded once and kept within a budget.")
      .def(nb::init<Array const&, std::vector<std::uint64_t> const&, std::uint64_t, std::size_t>(), nb::arg("array"),
           nb::arg("crop"), nb::arg("budget"), nb::arg("threads"))
      .def("memory", &Crops::memory, nb::arg("count"), "A batch of that many crops, uninitialised.")
      .def("read", &Crops::read, nb::arg("origins"), nb::arg("out"))
      .def("stop", &Crops::stop)
      .def_prop_ro("decoded", &Crops::decoded, "Chunks that were read and decoded.")
      .def_prop_ro("hits", &Crops::hits, "Chunks that were there when crops needed them.")
      .def_prop_ro("kept_bytes", &Crops::bytes, "What decoded chunks may take; 0: crops are read one by one.");
}

}  // namespace python
