#pragma once
#include <tessera/parallel/detail/two_phase.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include <tessera/core/detail/checked.hpp>
#include <tessera/parallel/detail/agreed.hpp>

namespace tessera { inline namespace v0 { namespace detail {

inline std::shared_ptr<ExchangeRoom> room_for(ExchangePlan const& plan, std::uint64_t most_of_round,
                                              std::uint64_t memory, std::size_t item, DeviceSender* sender) {
  std::uint64_t travelling = 0;
  for (auto const& value : plan.foreign) travelling += elements_of(value.own) * item;
  auto const size = static_cast<std::size_t>(std::min(travelling, memory));
  auto room = std::make_shared<ExchangeRoom>();
  room->values = HostBuffer{static_cast<std::size_t>(most_of_round)};
  room->sender = sender;
  if (sender) {
    room->of_device = sender->begin(plan, size);
    room->block = {room->of_device.get(), size};
  } else {
    room->travelling = HostBuffer{size};
    room->block = {room->travelling.span().data, size};
  }
  return room;
}

// As one box, if its elements fill one; or box by box, which keeps what lies between them.
inline void write_value(SharedValue const& value, PartMemory const& memory, LocalCall const& call) {
  auto elements = elements_of(value.own);
  for (auto const& [rank, part] : value.others) elements += elements_of(part);
  auto const span = region_of(value.span);
  if (elements == element_count(span.count, "a value")) return call.move(span, memory.data, memory.strides);
  auto const write = [&](RankPart const& part) {
    for (auto const& box : boxes_of(part)) {
      auto const bounds = bounds_of(box);
      call.move(region_of(bounds), memory.at(bounds.first), memory.strides);
    }
  };
  write(value.own);
  for (auto const& [rank, part] : value.others) write(part);
}

// Nothing from here to the last message allocates memory, but a sender, whose errors wait.
inline std::exception_ptr exchange_round(ErasedCommunicator& ranks, ExchangeRound const& now, ExchangeRoom& room,
                                         PartMemory const& own, std::size_t item, Exchanged& counts) {
  auto* const values = room.values.span().data;
  // All receives are under way before this rank waits for a send: so no two ranks wait for each other.
  for (auto const& [rank, at, size] : now.messages) ranks.receive({values + at, size}, rank);
  std::exception_ptr error;
  std::size_t used = 0;
  for (auto const& [owner, of] : now.foreign) {
    if (used + of.size > room.block.size()) {
      ranks.wait_for_sends();
      used = 0;
    }
    auto* const begin = room.block.data() + used;
    auto* to = begin;
    for (auto const* value : of.values) {
      if (!room.sender)
        pack(value->own, true, own, to, item);
      else if (!error)
        error = error_of([&] { room.sender->pack(value->own, to); });
      to += elements_of(value->own) * item;
    }
    send_counted(ranks, {begin, of.size}, owner, counts);
    used += of.size;
  }
  for (std::size_t i = 0; i < now.owned.size(); ++i)
    copy_to_indices(now.owned[i]->own, own, now.value(i, values, item), item);
  ranks.wait();
  for (auto const& [elements, value, at] : now.parts)
    unpack(*elements, false, values + at, now.value(value, values, item), item);
  return error;
}

inline std::exception_ptr SharedWrite::exchange(ErasedCommunicator& ranks, std::size_t round,
                                                std::shared_ptr<ExchangeRoom> const& room, PartMemory const& own,
                                                std::size_t item, Exchanged& counts) const {
  return keeping(ranks, room, [&] { return exchange_round(ranks, rounds_[round], *room, own, item, counts); });
}

inline void SharedWrite::write(std::size_t round, ByteSpan<space::Host> values, LocalCall const& call) const {
  auto const& now = rounds_[round];
  call.for_each(now.owned.size(),
                [&](std::size_t i) { write_value(*now.owned[i], now.value(i, values.data, call.item), call); });
}

inline std::exception_ptr write_shared(ErasedCommunicator& ranks, ExchangePlan& plan,
                                       std::shared_ptr<ExchangeRoom> const& room, LocalCall const& call,
                                       Exchanged& counts) {
  SharedWrite const shared{ranks, plan, call.item, counts};
  std::exception_ptr error;
  for (std::size_t round = 0; round < shared.rounds(); ++round) {
    auto const unsent = shared.exchange(ranks, round, room, call.memory, call.item, counts);
    if (!error) error = unsent;
    if (!error) error = error_of([&] { shared.write(round, room->values.span(), call); });
  }
  return error;
}

/// Elements that other owners have read, which arrive through a block of memory.
class ArrivingElements {
  using Owners = std::map<int, ExchangeRound::OfOwner>;

 public:
  ArrivingElements(ErasedCommunicator& ranks, std::span<std::byte> block, LocalCall const& call)
      : ranks_{ranks}, block_{block}, call_{call} {}

  void receive(Owners const& foreign) {
    auto first = foreign.begin();
    std::size_t used = 0;
    for (auto owner = foreign.begin(); owner != foreign.end(); ++owner) {
      auto const size = owner->second.size;
      if (used + size > block_.size()) {
        take(first, owner);
        first = owner;
        used = 0;
      }
      ranks_.receive({block_.data() + used, size}, owner->first);
      used += size;
    }
    take(first, foreign.end());
  }

 private:
  void take(Owners::const_iterator first, Owners::const_iterator stop) {
    ranks_.wait_for_receives();  // not for sends: the others may have no room for them yet
    std::byte const* bytes = block_.data();
    for (; first != stop; ++first)
      for (auto const* value : first->second.values) {
        unpack(value->own, true, bytes, call_.memory, call_.item);
        bytes += elements_of(value->own) * call_.item;
      }
  }

  ErasedCommunicator& ranks_;
  std::span<std::byte> block_;
  LocalCall const& call_;
};

inline std::exception_ptr read_rounds(ErasedCommunicator& ranks, std::vector<ExchangeRound> const& rounds,
                                      ExchangeRoom& room, LocalCall const& call, Exchanged& counts) {
  auto* const data = room.values.span().data;
  ArrivingElements arriving{ranks, room.block, call};
  std::exception_ptr error;
  for (auto const& now : rounds) {
    if (!error)
      error = error_of([&] {
        call.for_each(now.owned.size(), [&](std::size_t i) {
          auto const value = now.value(i, data, call.item);
          call.move(region_of(now.owned[i]->span), value.data, value.strides);
          copy_to_places(now.owned[i]->own, value, call.memory, call.item);
        });
      });
    // After an error too: the others wait for these bytes, and then learn of the error.
    if (!error)
      for (auto const& [elements, value, at] : now.parts)
        pack(*elements, false, now.value(value, data, call.item), data + at, call.item);
    for (auto const& [rank, at, size] : now.messages) send_counted(ranks, {data + at, size}, rank, counts);
    arriving.receive(now.foreign);
    ranks.wait();
  }
  return error;
}

inline std::exception_ptr read_shared(ErasedCommunicator& ranks, ExchangePlan& plan,
                                      std::shared_ptr<ExchangeRoom> const& room, LocalCall const& call,
                                      Exchanged& counts) {
  auto const rounds = agreed_rounds(ranks, plan, call.item, counts);
  return keeping(ranks, room, [&] { return read_rounds(ranks, rounds, *room, call, counts); });
}

inline void move_alone(ExchangePlan const& plan, LocalCall const& call) {
  call.for_each(plan.alone.size(), [&](std::size_t i) {
    auto const& box = plan.alone[i];
    if (elements_of(box) == 0) return;
    Extents places;
    for (auto const& runs : box) places.push_back(runs.front().at);
    call.move(region_of(bounds_of(box)), call.memory.at(places), call.memory.strides);
  });
}

inline void copy_alone(ExchangePlan const& plan, PartMemory const& own, std::size_t item, HostBuffer& copy) {
  std::uint64_t elements = 0;
  for (auto const& box : plan.alone) elements += elements_of(box);
  auto const size = checked_size(elements * item, "the copy of a rank's memory");
  if (copy.view().size != size) copy = {}, copy = HostBuffer{size};
  auto* to = copy.span().data;
  for (auto const& box : plan.alone) {
    pack(box, true, own, to, item);
    to += elements_of(box) * item;
  }
}

inline void move_copied(ExchangePlan const& plan, HostBuffer& copy, LocalCall const& call) {
  std::vector<std::byte*> begins;
  auto* from = copy.span().data;
  for (auto const& box : plan.alone) {
    begins.push_back(from);
    from += elements_of(box) * call.item;
  }
  call.for_each(plan.alone.size(), [&](std::size_t i) {
    auto const& box = plan.alone[i];
    if (elements_of(box) == 0) return;
    auto const memory = memory_of(bounds_of(box), begins[i], call.item);
    call.move(region_of(bounds_of(box)), memory.data, memory.strides);
  });
}

}}}  // namespace tessera::v0::detail
