#include "stages.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <tessera/place/detail/place_runs.hpp>
#include <tessera/shard/detail/index_cache.hpp>
#include <tessera/store/get.hpp>
#include <tessera/transfer/detail/chunk_access.hpp>
#include <tessera/transfer/detail/chunk_reads.hpp>

namespace cli {
namespace {

// As in a read: its data stays in the cache from one step to the next.
std::size_t batch_of(std::size_t chunk) {
  constexpr std::size_t most_bytes = 1 << 20, most_chunks = 32;
  return std::clamp<std::size_t>(most_bytes / std::max<std::size_t>(chunk, 1), 1, most_chunks);
}

std::uint64_t bytes_of(Objects const& objects) {
  std::uint64_t bytes = 0;
  std::visit(
      [&](auto const& all) {
        for (auto const& one : all) bytes += one.size();
      },
      objects);
  return bytes;
}

// A chunk's place in its shard; nullopt: it is missing. Reads indexes that are not cached yet.
template <class Chunks>
std::optional<tessera::ByteRange> range_in_shard(Chunks const& chunks, tessera::Key const& key,
                                                 tessera::Extents const& chunk, Queue& on) {
  auto const shard = chunks.shards->open(key, chunks.store.changes(key));
  for (;;) {
    auto location = chunks.shards->find(shard, chunk);
    if (location.is_known) return location.chunk;
    if (!location.claim) {
      chunks.shards->wait(*shard, chunk);
      continue;
    }
    tessera::HostBuffer index;
    auto const destination = [&](std::size_t n) { return (index = tessera::HostBuffer{n}).span(); };
    bool const is_there = chunks.store.read(key, location.claim->range(), destination, on).has_value();
    location.claim->keep(is_there ? std::optional{index.view()} : std::nullopt, on);
  }
}

}  // namespace

Stages::Stages(Array const& array, tessera::Region const& part)
    : array_{array},
      part_{part},
      workers_{array.queue()},
      pipeline_{Pipeline::from(array.metadata().codecs)},
      form_{pipeline_.resolve({array.chunk_shape(), array.type(), array.metadata().fill,
                               tessera::detail::components_of(array.metadata().fields)})},
      target_{tessera::Layout::c_order(part.count, array.type().size)},
      batch_{batch_of(form_.decoded_size)} {
  if (!array.type().varies()) elements_ = memory_.take(size_in_bytes(part.count, array.type()), workers_.queue());
  read_noted();
  load();
}

void Stages::read(tessera::Traffic& traffic) {
  if (array_.type().varies())
    objects_ = read_objects(array_, part_, traffic);
  else
    read_elements(array_, part_, {elements_.data, elements_.size}, traffic);
}
void Stages::read() {
  tessera::Traffic nobody_asks;
  read(nobody_asks);
}

void Stages::read_noted() {
  ReadLog log;
  {
    NotedReads const noting{array_.store(), log};
    read(traffic_);
  }
  requests_.emplace(array_.store(), log.take(), elements_, workers_.queue());
}

void Stages::load() {
  tessera::ResolvedSelection const selected{part_};
  array_.on(workers_.queue()).for_chunks(selected, target_.strides, [&](Chunks const& chunks) {
    tessera::Plan const plan{selected, form_.layout.shape,
                             chunks.shards ? chunks.shards->grid().chunks_per_shard() : tessera::Extents{}};
    load(chunks, plan);
  });
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i)
    if (pieces_[i].is_stored) {
      found_.push_back(i);
      bytes += pieces_[i].value.view().size;
    }
  if (found_.empty()) return;
  auto const mean = bytes / found_.size();
  usual_ = *std::ranges::min_element(found_, {}, [&](std::size_t i) {
    auto const size = pieces_[i].value.view().size;
    return size > mean ? size - mean : mean - size;
  });
}

void Stages::load(Chunks const& chunks, tessera::Plan const& plan) {
  from_strides_ = tessera::detail::stepped(form_.layout.strides, plan.steps());
  pieces_.resize(plan.size());
  workers_.share(pieces_.size(), 1, [&](Memory&, std::size_t i, std::size_t) {
    pieces_[i].where = plan.piece(i);
    load(pieces_[i], chunks);
  });
  // If elements are stored unencoded, a read holds only those in the part.
  most_to_place_ = form_.decoded_size;
  if (form_.is_view() && !pieces_.empty()) {
    auto const size_of = [&](Piece const& piece) {
      return tessera::detail::bytes_of(form_.layout, plan.steps(), piece.where.part).size;
    };
    most_to_place_ = static_cast<std::size_t>(size_of(*std::ranges::max_element(pieces_, {}, size_of)));
  }
}

void Stages::load(Piece& piece, Chunks const& chunks) {
  auto& on = workers_.queue();
  auto const& where = piece.where;
  if (!array_.type().varies() &&
      tessera::detail::is_contiguous(form_.layout, where.part, form_.decoded_size, target_.strides))
    piece.direct = {tessera::detail::address(elements_.data, where.part.target, target_.strides), form_.decoded_size};
  tessera::Key key;
  chunks.names.put_key(key, where.chunk);
  std::optional<tessera::ByteRange> range{tessera::ByteRange{}};
  if (chunks.shards) {
    range = range_in_shard(chunks, key, where.chunk, on);
    if (!range) return;
  }
  if (form_.is_view()) {
    piece.is_stored = chunks.shards || chunks.store.size(key, on);
    return;
  }
  auto const destination = [&](std::size_t n) { return (piece.value = tessera::HostBuffer{n}).span(); };
  piece.is_stored = chunks.store.read(key, *range, destination, on).has_value();
}

void Stages::count(Figures& figures) const {
  figures.chunks = traffic_.chunks;
  figures.missing = traffic_.missing;
  figures.files = requests_->files().size();
  figures.requests = requests_->count();
  figures.fetched = requests_->bytes();
  figures.elements = elements_.size;
  figures.stored = traffic_.fetched;
  figures.decoded = traffic_.decoded;
  figures.placed = traffic_.placed;
  figures.chunk_bytes = form_.decoded_size;
  if (array_.type().varies()) {  // bytes of the objects, and a chunk's share if all are alike
    figures.elements = figures.placed = bytes_of(objects_);
    auto const count = tessera::element_count(part_.count, "the part"),
               in_chunk = tessera::element_count(form_.layout.shape, "a chunk");
    figures.chunk_bytes = figures.elements * in_chunk / count;
  }
  figures.is_sharded = !form_.shards.empty();
  figures.is_encoded_whole =
      std::ranges::any_of(form_.shards, [](auto const& level) { return level.behind != nullptr; });
}

void Stages::decode() {
  auto const size = form_.decoded_size;
  workers_.share(found_.size(), batch_, [&](Memory& own, std::size_t first, std::size_t last) {
    auto const destination = own.chunks.take(batch_ * size, workers_.queue());
    own.tasks.clear();
    for (auto i = first; i < last; ++i) {
      auto const& piece = pieces_[found_[i]];
      own.tasks.push_back(
          {piece.value.view(), piece.direct.data ? piece.direct : destination.sub((i - first) * size, size)});
    }
    own.decoding.most = batch_;
    pipeline_.leaf().decode(form_, std::span{own.tasks}, own.decoding, workers_.queue());
  });
}

void Stages::decode_one() {
  workers_.share(found_.size(), 1, [&](Memory& own, std::size_t, std::size_t) {
    own.tasks.assign(1, {pieces_[usual_].value.view(), own.chunks.take(form_.decoded_size, workers_.queue())});
    own.decoding.most = 1;
    pipeline_.leaf().decode(form_, std::span{own.tasks}, own.decoding, workers_.queue());
  });
}

// The result of placing: objects with bytes of their own.
void Stages::place_objects() {
  std::visit(
      [&]<class All>(All const& all) {
        constexpr std::size_t piece = 1 << 10;
        workers_.share((all.size() + piece - 1) / piece, 1, [&](Memory& own, std::size_t i, std::size_t) {
          auto const first = all.begin() + static_cast<std::ptrdiff_t>(i * piece);
          own.objects.emplace<All>(first, first + static_cast<std::ptrdiff_t>(std::min(piece, all.size() - i * piece)));
        });
      },
      objects_);
}

void Stages::place() {
  if (array_.type().varies()) return place_objects();
  auto const fill = array_.metadata().fill;
  tessera::PlacementForm const form{form_.layout.item_size,
                                    form_.layout.swapped,
                                    {fill.data(), fill.size()},
                                    from_strides_,
                                    target_.strides,
                                    elements_.size >= tessera::detail::beyond_caches,  // as a read does it
                                    form_.layout.runs};
  bool const places_all = traffic_.placed == elements_.size;
  workers_.share(pieces_.size(), batch_, [&](Memory& own, std::size_t first, std::size_t last) {
    auto const destination = own.chunks.take(batch_ * most_to_place_, workers_.queue());
    own.placements.clear();
    for (auto i = first; i < last; ++i) {
      auto const& [where, value, is_stored, direct] = pieces_[i];
      if (is_stored && direct.data && !places_all) continue;
      auto const* chunk = destination.data + (i - first) * most_to_place_;
      if (!form_.is_view()) chunk = tessera::detail::address(chunk, where.part.first, form_.layout.strides);
      own.placements.push_back({is_stored ? chunk : nullptr,
                                tessera::detail::address(elements_.data, where.part.target, target_.strides),
                                where.part.count});
    }
    for (tessera::detail::PlacedRuns run{own.placements, form}; run.next();)
      tessera::placer<Host>::place(own.placements, run.form(), workers_.queue());
  });
}

void Stages::copy() {
  constexpr std::size_t piece = 1 << 20;
  workers_.share((elements_.size + piece - 1) / piece, 1, [&](Memory& own, std::size_t i, std::size_t) {
    auto const from = own.chunks.take(piece, workers_.queue());
    std::memcpy(elements_.data + i * piece, from.data, std::min(piece, elements_.size - i * piece));
  });
}

}  // namespace cli
