// What the index of one shard says, for who writes it anew.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/checked.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/pipeline/shard_index.hpp>
#include <tessera/shard/grid.hpp>
#include <tessera/store/erased_store.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Where in a value the entries of a shard lie that is itself at `place` of it. `part(offset, to)` reads bytes of the
/// value into host memory. Throws: CodecError, if the index is damaged.
template <class Part>
std::vector<ShardEntry> read_entries(ShardIndexFormat const& index, ShardEntry const& place, Part&& part,
                                     Queue<space::Host>& on) {
  if (place.size < index.size())
    throw CodecError{text({"a shard of ", place.size, " bytes, expected at least its index of ", index.size()})};
  std::vector<std::byte> bytes(index.size());
  part(index.at_start() ? place.offset : place.offset + place.size - bytes.size(),
       ByteSpan<space::Host>{bytes.data(), bytes.size()});
  std::vector<ShardEntry> entries(index.entries());
  index.decode({bytes.data(), bytes.size()}, entries, on);
  for (auto& entry : entries) {
    entry.expect_within(place.size);
    if (!entry.is_missing()) entry.offset += place.offset;
  }
  return entries;
}

/// For `part`: of a value that is in a store.
template <MemorySpace S>
auto parts_in(ErasedStore<S> const& store, Key const& key, queue_for<S>& on) {
  return [&](std::uint64_t offset, ByteSpan<space::Host> to) {
    auto const destination = [&](std::size_t n) {
      if (n > to.size) throw StoreError{text({"found ", n, " bytes, expected at most ", to.size})};
      return to.sub(0, n);
    };
    ReadRequest<space::Host> request{&key, {offset, to.size}, destination};
    store.get_many_on_host({&request, 1}, on);
    if (request.size != to.size)
      throw CodecError{text({"the shard's index: found ", request.size.value_or(0), " bytes, expected ", to.size})};
  };
}

/// Whether a shard at `place` of a value is as one that is written at once: chunks in the order of the index, no bytes
/// between them, nothing that could be left out.
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
