// read_entries: the entries of a shard's index, for rewriting the shard.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/detail/checked.hpp>
#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/pipeline/detail/shard_index.hpp>
#include <tessera/shard/detail/grid.hpp>
#include <tessera/store/detail/erased_store.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The entries of the shard at `place` of a value; their offsets are in the value. `part(offset, to)` reads bytes of
/// the value into host memory. Throws: CodecError, if the index is damaged.
template <class Part>
std::vector<ShardEntry> read_entries(ShardIndexFormat const& index, ShardEntry const& place, Part&& part,
                                     Queue<space::Host>& on) {
  if (place.size < index.size())
    throw CodecError{
        to_text({"found a shard of ", place.size, " bytes, expected at least ", index.size(), " for its index"})};
  auto entries = room_for_index(index, index.size());
  part(index.at_start() ? place.offset : place.offset + place.size - index.size(), bytes_in(entries, index.size()));
  decode_in_place(index, entries, index.size(), on);
  for (auto& entry : entries) {
    entry.expect_within(place.size);
    if (!entry.is_missing()) entry.offset += place.offset;
  }
  return entries;
}

/// A `part` for a value in a store.
template <MemorySpace S>
auto parts_in(ErasedStore<S> const& store, Key const& key, queue_for<S>& on, Stop stop) {
  return [&store, &key, &on, stop](std::uint64_t offset, ByteSpan<space::Host> to) {
    auto const destination = [&](std::size_t n) {
      if (n > to.size) throw StoreError{to_text({"found ", n, " bytes, expected at most ", to.size})};
      return to.sub(0, n);
    };
    ReadRequest<space::Host> request{&key, {offset, to.size}, {destination, ReadLimits{to.size, stop}}};
    store.get_many_on_host({&request, 1}, on);
    if (request.size != to.size)
      throw CodecError{to_text({"the shard's index: found ", request.size.value_or(0), " bytes, expected ", to.size})};
  };
}

/// Whether the shard at `place` of a value is as if written at once: chunks in the order of the index, no bytes between
/// them, and no shard without chunks.
template <class Part>
bool is_tidy(ShardGrid const& grid, std::size_t level, ShardEntry const& place, Part&& part, Queue<space::Host>& on) {
  auto const& index = *grid.levels()[level].index;
  auto next = place.offset + (index.at_start() ? index.size() : 0);
  bool has_any = false;
  for (auto const& entry : read_entries(index, place, part, on)) {
    if (entry.is_missing()) continue;
    if (entry.offset != next) return false;
    if (level + 1 < grid.levels().size() && !is_tidy(grid, level + 1, entry, part, on)) return false;
    next += entry.size;
    has_any = true;
  }
  return has_any && next + (index.at_start() ? 0 : index.size()) == place.offset + place.size;
}

}}}  // namespace tessera::v0::detail
