#pragma once
#include <tessera/parallel/detail/local_call.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include <tessera/core/detail/checked.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

inline Extents origin_in(TogetherCall const& together, int ranks) {
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

// What ranks must agree on: with other arguments they would wait for each other's messages, or write each other's
// elements.
inline std::string arguments_of(TogetherCall const& together) {
  auto const& partition = together.partition;
  auto const origin = together.origin.rank() == 0 ? Extents::filled(together.shape.rank(), 0) : together.origin;
  auto const sharing = together.reads_shared ? static_cast<std::uint64_t>(*together.reads_shared) : 0;
  return to_text({"an array of ", to_string(together.shape), ", a partition of ", to_string(partition.shape()),
                  " (fingerprint ", partition.fingerprint(), "), origin ", to_string(origin), ", memory ",
                  together.memory, ", sharing ", sharing});
}

inline PreparedCall prepared(ErasedCommunicator& ranks, TogetherCall const& together,
                                   FunctionRef<PartMemory(Extents const&)> memory_of_shape, std::size_t item) {
  auto const rank = ranks.rank();
  PreparedCall call;
  std::uint64_t needed = 0;
  std::string own, first;
  auto const no_text = error_of([&] {
    own = arguments_of(together);
    if (rank == 0) first = own;
  });
  auto const missing = broadcast_text(ranks, first, 0);
  auto const error = error_of([&] {
    for (auto const& failed : {no_text, missing})
      if (failed) std::rethrow_exception(failed);
    if (own != first) throw SelectionError{to_text({"found ", own, ", expected those of rank 0: ", first})};
    auto const origin = origin_in(together, ranks.size());
    call.own = memory_of_shape(together.partition.memory_shape(rank));
    auto const axes = axes_of(together.edges, together.chunk_shape, together.shape);
    SharedGrid const grid{together.partition, origin, axes, item};
    if (together.reads_shared == ReadSharing::none) {
      call.plan.alone = boxes_of(own_part(grid, rank, true));
      return;
    }
    auto const node = ranks.node_of(rank);
    call.plan = exchange_plan(grid, rank, together.reads_shared.has_value(), [&](int other) {
      return together.reads_shared != ReadSharing::node || ranks.node_of(other) == node;
    });
    if (!together.in_one_round) {
      needed = largest_value(call.plan);
      return;
    }
    for (auto const& value : call.plan.owned)
      needed = checked_size(needed + value.memory, "the values that a rank writes for several ranks");
    if (together.memory != 0 && needed > together.memory / 2)
      throw BudgetError{to_text({"the values that this rank writes for several ranks need ", needed,
                                 " bytes, expected at most ", together.memory / 2, ", half of the option memory"})};
  });
  // Each owned value needs memory: where no rank needs any, nothing is shared.
  auto const most = agreed_most(ranks, needed, error);
  call.is_shared = most != 0;
  // Half for the values that a rank owns, half for elements that travel to or from other owners.
  constexpr auto usual = std::uint64_t{128} << 20;
  call.memory = together.memory != 0 ? together.memory / 2 : std::max(usual, most);
  return call;
}

inline std::shared_ptr<ExchangeRoom> room_of_rounds(PreparedCall& call, std::size_t item, DeviceSender* sender) {
  return room_for(call.plan, set_rounds(call.plan, call.memory), call.memory, item, sender);
}

inline void add_counts(Exchanged* to, Exchanged const& counts) {
  if (!to) return;
  to->messages += counts.messages;
  to->bytes += counts.bytes;
  to->rounds += counts.rounds;
  to->memory = std::max(to->memory, counts.memory);
}

inline void move_together(ErasedCommunicator& ranks, TogetherCall const& together,
                                FunctionRef<PartMemory(Extents const&)> memory_of_shape, LocalCall local) {
  Exchanged counts;
  auto call = prepared(ranks, together, memory_of_shape, local.item);
  local.memory = call.own;
  std::shared_ptr<ExchangeRoom> room;
  auto error = error_of([&] { room = room_of_rounds(call, local.item, local.sender); });
  if (call.is_shared) {
    agree(ranks, error);
    counts.memory = room->values.view().size + room->block.size();
    error = together.reads_shared ? read_shared(ranks, call.plan, room, local, counts)
                                  : write_shared(ranks, call.plan, room, local, counts);
  }
  agreed(ranks, [&] {
    if (error) std::rethrow_exception(error);
    move_alone(call.plan, local);
  });
  add_counts(together.exchanged, counts);
}

}}}  // namespace tessera::v0::detail
