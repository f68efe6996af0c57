#pragma once
#include <tessera/parallel/detail/local_call.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL Extents origin_in(TogetherCall const& together, int ranks) {
  auto const& shape = together.partition.shape();
  auto const origin = together.origin.rank() == 0 ? Extents::filled(shape.rank(), 0) : together.origin;
  if (together.partition.ranks() != ranks)
    throw SelectionError{
        to_text({"found a partition among ", together.partition.ranks(), " ranks, expected ", ranks, " ranks"})};
  if (shape.rank() != together.shape.rank() || origin.rank() != together.shape.rank())
    throw SelectionError{to_text({"found a partition of ", shape.rank(), " dimensions at an origin of ", origin.rank(),
                                  ", expected ", together.shape.rank(), " dimensions"})};
  for (std::size_t d = 0; d < shape.rank(); ++d)
    if (origin[d] > together.shape[d] || shape[d] > together.shape[d] - origin[d])
      throw SelectionError{to_text({"dimension ", d, ": found a partition of ", shape[d], " elements at ", origin[d],
                                    ", expected one inside the array, whose length is ", together.shape[d]})};
  return origin;
}

TESSERA_DECL void move_together(ErasedCommunicator& ranks, TogetherCall const& together,
                                FunctionRef<PartMemory(Extents const&)> memory_of_shape, LocalCall local) {
  auto const rank = ranks.rank();
  bool const reads = together.reads_shared.has_value();
  Exchanged counts;
  ExchangePlan plan;
  agreed(ranks, [&] {
    auto const origin = origin_in(together, ranks.size());
    local.memory = memory_of_shape(together.partition.memory_shape(rank));
    auto const axes = axes_of(together.edges, together.chunk_shape, together.shape);
    SharedGrid const grid{together.partition, origin, axes, local.item};
    auto const node = ranks.node_of(rank);
    if (together.reads_shared == ReadSharing::none) {
      plan.alone = boxes_of(own_part(grid, rank, true));
      return;
    }
    plan = exchange_plan(grid, rank, reads, [&](int other) {
      return !reads || together.reads_shared == ReadSharing::all ||
             (together.reads_shared == ReadSharing::node && ranks.node_of(other) == node);
    });
  });
  // Half for the values that a rank owns, half for elements that travel to or from other owners.
  constexpr auto usual = std::uint64_t{128} << 20;
  auto const half = together.memory != 0 ? together.memory / 2 : std::max(usual, ~ranks.least(~largest_value(plan)));
  ExchangeRoom room;
  agreed(ranks, [&] { room = room_for(plan, set_rounds(plan, half), half, local.item); });
  counts.memory = room.values.view().size + room.travelling.view().size;
  agreed(ranks, [&] {
    reads ? read_shared(ranks, plan, room, local, counts) : write_shared(ranks, plan, room, local, counts);
    move_alone(plan, local);
  });
  if (!together.exchanged) return;
  together.exchanged->messages += counts.messages;
  together.exchanged->bytes += counts.bytes;
  together.exchanged->rounds += counts.rounds;
  together.exchanged->memory = std::max(together.exchanged->memory, counts.memory);
}

}}}  // namespace tessera::v0::detail
