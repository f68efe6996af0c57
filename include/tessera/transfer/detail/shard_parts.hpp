// ShardParts, copy_encoded_shard: write new shards whose chunks may not fit in memory together, from parts of elements
// or from another array's encoded chunks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/shard/detail/growing_shard.hpp>
#include <tessera/shard/detail/shard_store.hpp>
#include <tessera/store/detail/value_watch.hpp>
#include <tessera/transfer/detail/write_shards.hpp>

namespace tessera { inline namespace v0 {

/// Whether shards of these chunks can be written in parts: the store can append, and the shards are not nested, have
/// their index at the end, and no codec after sharding_indexed.
template <class P>
bool takes_parts(ChunkAccess<P> const& chunks) {
  return chunks.shards && chunks.writing &&
         detail::GrowingShard<typename P::bytes_space>::suits(chunks.shards->grid(), chunks.writing->store);
}

namespace detail {

// A shard's first chunk.
TESSERA_DECL Extents first_chunk_of(ShardGrid const& grid, Extents place);

template <class P>
Key key_of_shard(ChunkAccess<P> const& chunks, Extents const& place) {
  Key key;
  chunks.names.put_key(key, first_chunk_of(chunks.shards->grid(), place));
  return key;
}

// Adds the shard to errors of f.
template <class P, class F>
decltype(auto) of_shard(ChunkAccess<P> const& chunks, Key const& key, F&& f) try {
  return f();
} catch (Error& error) {
  error.in_key(key.path).in_store(chunks.store.name());
  throw;
}

}  // namespace detail

/// Writes a shard, not yet in the store, from elements. Holds the index and the encoded chunks of one part. Requires:
/// takes_parts(chunks); nothing else reads or writes the shard before it is finished.
template <class P>
class ShardParts {
  using Space = typename P::bytes_space;
  using Queue = typename P::queue_type;

 public:
  /// The shard at `place` in the grid of an array of that shape. The arguments must outlive this.
  ShardParts(ChunkAccess<P> const& chunks, Extents const& shape, Extents const& place)
      : chunks_{chunks},
        shape_{shape},
        key_{detail::key_of_shard(chunks, place)},
        growing_{chunks.shards->grid(), chunks.writing->store, key_} {}
  ShardParts(ShardParts const&) = delete;

  /// Writes inner chunks, each as far as it lies in the array, from memory at `origin`. Parts follow each other in C
  /// order. Throws: StoreError, CodecError with the key.
  void write(Region const& part, StridedView<typename P::array_space> const& origin, Queue& on,
             WriteOptions const& options = {}) {
    detail::of_shard(chunks_, key_, [&] {
      detail::ShardStore<Space, Growing> const in_shard{growing_, chunks_.store};
      detail::ShardChunkNames<Space, Growing> const names{growing_, key_};
      typename ChunkAccess<P>::Writing const writing{in_shard, chunks_.writing->encodes};
      ChunkAccess<P> const inner{in_shard, names, chunks_.pipeline, chunks_.form, chunks_.fill, nullptr, {}, &writing};
      Plan const plan{ResolvedSelection{part}, chunks_.form.layout.shape, {}, Repeats::last};
      detail::write_pieces(inner, shape_, plan, 0, plan.size(), origin, on, options);
      growing_.flush(queue_in<Space>(on));
    });
  }

  /// Completes the shard; a shard without chunks is not stored. Throws: StoreError.
  void finish(Queue& on) {
    detail::of_shard(chunks_, key_, [&] { growing_.finish(queue_in<Space>(on)); });
  }

 private:
  using Growing = detail::GrowingShard<Space>;

  ChunkAccess<P> const& chunks_;
  Extents const& shape_;
  Key const key_;
  Growing growing_;
};

namespace detail {

// False: the source was written meanwhile.
template <class P>
bool copy_chunks_once(ChunkAccess<P> const& from, Key const& source, GrowingShard<typename P::bytes_space>& to,
                      std::uint64_t part, queue_for<typename P::bytes_space>& on, Stop stop) {
  using Space = typename P::bytes_space;
  using Host = space::Host;
  constexpr std::size_t most = 4096;  // chunks requested at once
  std::optional<ValueWatch> watch;
  if (from.store.can.watches) watch.emplace(from.store.watch(source));
  if (watch && !watch->version().is_there) return true;
  bool is_held = true;
  auto const& index = *from.shards->grid().levels().front().index;
  auto entries = room_for_index(index, index.size());
  {
    auto const room = [&](std::size_t n) {
      if (n > index.size())
        throw CodecError{to_text({"the shard's index: found ", n, " bytes, expected ", index.size()})};
      return bytes_in(entries, n);
    };
    ReadRequest<Host> request{&source, index.range(), {room, ReadLimits{index.size(), stop}}};
    if (watch) request.watch = &*watch;
    from.store.get_many_on_host({&request, 1}, on);
    if (!request.size) return true;
    is_held = request.is_of_watch;
    if (*request.size != index.size())
      throw CodecError{to_text({"the shard's index: found ", *request.size, " bytes, expected ", index.size()})};
    decode_in_place(index, entries, index.size(), queue_in<Host>(on));
  }
  struct Room {
    GrowingShard<Space>* to;
    queue_for<Space>* on;
    std::uint64_t number, size;
    ByteSpan<Space> bytes{};
    ByteSpan<Space> operator()(std::size_t n) {
      if (n != size) throw CodecError{to_text({"the shard's index: found ", size, " bytes, but the shard has ", n})};
      return bytes = to->destination(n, *on);
    }
  };
  std::vector<Room> rooms;
  std::vector<ReadRequest<Space>> requests;
  std::uint64_t sum = 0;
  auto const fetch = [&] {
    requests.clear();
    for (auto& room : rooms) {
      auto const& entry = entries[static_cast<std::size_t>(room.number)];
      auto& request = requests.emplace_back(
          ReadRequest<Space>{&source, {entry.offset, entry.size}, {room, ReadLimits{entry.size, stop}}});
      if (watch) request.watch = &*watch;
    }
    if (!requests.empty()) from.store.get_many(requests, on);
    for (std::size_t i = 0; i < rooms.size(); ++i) {
      if (!requests[i].size) throw StoreError{"the shard was erased while it was copied"};
      is_held = is_held && requests[i].is_of_watch;
      to.put(rooms[i].number, rooms[i].bytes);
    }
    to.flush(on);
    rooms.clear();
    sum = 0;
  };
  for (std::uint64_t i = 0; i < entries.size(); ++i) {
    auto const& entry = entries[static_cast<std::size_t>(i)];
    entry.expect_within(ShardEntry::none - 1);
    if (entry.is_missing()) continue;
    expect_at_most(entry.size, most_encoded(from.form));
    if (rooms.size() == most || (sum > 0 && sum + entry.size > part)) fetch();
    sum += entry.size;
    rooms.push_back({&to, &on, i, entry.size});
  }
  fetch();
  if (!watch || !watch->version().is_there) return true;
  return is_held ? watch->is_unchanged() : from.store.watch(source).version().is_same(watch->version());
}

}  // namespace detail

/// Copies another array's shard, without decoding, to one that the store does not have yet. Holds the index and about
/// `part` bytes, or one chunk. Requires: takes_parts(to), and both arrays have the same shape, grids, codecs and fill
/// value. Throws: StoreError, CodecError with the key; Cancelled.
template <class P>
void copy_encoded_shard(ChunkAccess<P> const& from, ChunkAccess<P> const& to, Extents const& place, std::uint64_t part,
                        typename P::queue_type& on, Stop stop = nullptr) {
  using Space = typename P::bytes_space;
  auto& queue = queue_in<Space>(on);
  auto const source = detail::key_of_shard(from, place), target = detail::key_of_shard(to, place);
  for (int tries = 0; tries < 3; ++tries) {
    detail::GrowingShard<Space> growing{to.shards->grid(), to.writing->store, target};
    auto const copy_once = [&] { return detail::copy_chunks_once(from, source, growing, part, queue, stop); };
    if (detail::of_shard(from, source, copy_once))
      return detail::of_shard(to, target, [&] { growing.finish(queue); });
    to.writing->store.erase(target, queue);
  }
  throw StoreError{"the shard kept changing while it was copied"}
      .in_key(source.path)
      .in_store(from.store.name());
}

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/transfer/detail/shard_parts.ipp>
#endif
