#pragma once
#include <tessera/parallel/detail/two_phase.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/detail/checked.hpp>
#include <tessera/parallel/detail/agreed.hpp>

namespace tessera { inline namespace v0 { namespace detail {

inline ExchangeRoom room_for(ExchangePlan const& plan, std::uint64_t most_of_round, std::uint64_t memory,
                                   std::size_t item) {
  std::uint64_t travelling = 0;
  for (auto const& value : plan.foreign) travelling += elements_of(value.own) * item;
  return {HostBuffer{static_cast<std::size_t>(most_of_round)},
          HostBuffer{static_cast<std::size_t>(std::min(travelling, memory))}};
}

inline void send_counted(ErasedCommunicator& ranks, std::span<std::byte const> bytes, int rank,
                               Exchanged& counts) {
  ranks.send(bytes, rank);
  ++counts.messages;
  counts.bytes += bytes.size();
}

// Each owner tells the others in which of its rounds it handles the values that they share.
inline std::vector<ExchangeRound> agreed_rounds(ErasedCommunicator& ranks, ExchangePlan& plan,
                                                      Exchanged& counts) {
  std::map<int, std::vector<std::uint32_t>> told, heard;
  for (auto const& value : plan.owned)
    for (auto const& [rank, part] : value.others) told[rank].push_back(value.round);
  for (auto const& value : plan.foreign) heard[value.owner].push_back(0);
  for (auto& [owner, rounds] : heard) ranks.receive(std::as_writable_bytes(std::span{rounds}), owner);
  for (auto const& [rank, rounds] : told) send_counted(ranks, std::as_bytes(std::span{rounds}), rank, counts);
  ranks.wait();
  std::vector<ExchangeRound> all;
  auto const in = [&](std::uint32_t round) -> ExchangeRound& {
    if (all.size() <= round) all.resize(round + std::size_t{1});
    return all[round];
  };
  std::map<int, std::size_t> next;
  for (auto& value : plan.foreign) value.round = heard[value.owner][next[value.owner]++];
  for (auto const& value : plan.owned) in(value.round).owned.push_back(&value);
  for (auto const& value : plan.foreign) in(value.round).foreign[value.owner].push_back(&value);
  counts.rounds += all.size();
  return all;
}

/// Where an owner has the elements of a round: first those of each value, at their indices, then the message from or to
/// each rank.
class RoundMemory {
 public:
  RoundMemory(std::vector<SharedValue const*> const& owned, std::byte* data, std::size_t item) : item_{item} {
    for (auto const* value : owned) {
      values_.push_back(memory_of(value->span, data, item));
      data += element_count(region_of(value->span).count, "a value") * item;
      for (auto const& [rank, part] : value->others) messages_[rank].size += elements_of(part) * item;
    }
    for (auto& [rank, message] : messages_) {
      message.data = data;
      data += message.size;
    }
  }

  struct Message {
    std::byte* data = nullptr;
    std::size_t size = 0;
  };
  std::map<int, Message> const& messages() const { return messages_; }
  PartMemory const& value(std::size_t i) const { return values_[i]; }

  /// Calls f(part, value, bytes) for each part of another rank; the bytes are those of its message.
  template <class F>
  void for_each_part(std::vector<SharedValue const*> const& owned, F&& f) const {
    std::map<int, std::size_t> done;
    for (std::size_t i = 0; i < owned.size(); ++i)
      for (auto const& [rank, part] : owned[i]->others) {
        auto& offset = done[rank];
        f(part, values_[i], messages_.at(rank).data + offset);
        offset += elements_of(part) * item_;
      }
  }

 private:
  std::size_t item_;
  std::vector<PartMemory> values_{};
  std::map<int, Message> messages_{};
};

inline std::size_t bytes_of(std::vector<SharedValue const*> const& values, std::size_t item) {
  std::size_t bytes = 0;
  for (auto const* value : values) bytes += elements_of(value->own) * item;
  return bytes;
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

inline SharedWrite::SharedWrite(ErasedCommunicator& ranks, ExchangePlan& plan, Exchanged& counts)
    : rounds_{agreed_rounds(ranks, plan, counts)} {}

inline void SharedWrite::exchange(ErasedCommunicator& ranks, std::size_t round, ByteSpan<space::Host> values,
                                        HostBuffer& travelling, PartMemory const& own, std::size_t item,
                                        Exchanged& counts) const {
  auto const& [owned, foreign] = rounds_[round];
  // All receives are under way before this rank waits for a send: so no two ranks wait for each other.
  RoundMemory const memory{owned, values.data, item};
  for (auto const& [rank, message] : memory.messages()) ranks.receive({message.data, message.size}, rank);
  std::size_t used = 0;
  for (auto const& [owner, of_owner] : foreign) {
    auto const size = bytes_of(of_owner, item);
    if (used + size > travelling.view().size) {
      ranks.wait_for_sends();
      used = 0;
    }
    auto* const begin = travelling.span().data + used;
    auto* to = begin;
    for (auto const* value : of_owner) {
      pack(value->own, true, own, to, item);
      to += elements_of(value->own) * item;
    }
    send_counted(ranks, {begin, size}, owner, counts);
    used += size;
  }
  for (std::size_t i = 0; i < owned.size(); ++i) copy_to_indices(owned[i]->own, own, memory.value(i), item);
  ranks.wait();
  memory.for_each_part(owned, [&](RankPart const& part, PartMemory const& value, std::byte const* bytes) {
    unpack(part, false, bytes, value, item);
  });
}

inline void SharedWrite::write(std::size_t round, ByteSpan<space::Host> values, LocalCall const& call) const {
  auto const& owned = rounds_[round].owned;
  RoundMemory const memory{owned, values.data, call.item};
  call.for_each(owned.size(), [&](std::size_t i) { write_value(*owned[i], memory.value(i), call); });
}

inline void write_shared(ErasedCommunicator& ranks, ExchangePlan& plan, ExchangeRoom& room, LocalCall const& call,
                               Exchanged& counts) {
  SharedWrite const shared{ranks, plan, counts};
  std::exception_ptr error;
  for (std::size_t round = 0; round < shared.rounds(); ++round) {
    shared.exchange(ranks, round, room.values.span(), room.travelling, call.memory, call.item, counts);
    if (!error) error = error_of([&] { shared.write(round, room.values.span(), call); });
  }
  if (error) std::rethrow_exception(error);
}

inline void read_shared(ErasedCommunicator& ranks, ExchangePlan& plan, ExchangeRoom& room, LocalCall const& call,
                              Exchanged& counts) {
  auto const rounds = agreed_rounds(ranks, plan, counts);
  std::exception_ptr error;
  for (auto const& round : rounds) {
    auto const& owned = round.owned;
    RoundMemory const memory{owned, room.values.span().data, call.item};
    if (!error)
      error = error_of([&] {
        call.for_each(owned.size(), [&](std::size_t i) {
          auto const& value = memory.value(i);
          call.move(region_of(owned[i]->span), value.data, value.strides);
          copy_to_places(owned[i]->own, value, call.memory, call.item);
        });
      });
    // After an error too: the others wait for these bytes, and then learn of the error.
    if (!error)
      memory.for_each_part(owned, [&](RankPart const& part, PartMemory const& value, std::byte* bytes) {
        pack(part, false, value, bytes, call.item);
      });
    for (auto const& [rank, message] : memory.messages())
      send_counted(ranks, {message.data, message.size}, rank, counts);
    std::size_t used = 0;
    std::vector<std::pair<std::vector<SharedValue const*> const*, std::byte const*>> arriving;
    auto const take = [&] {
      ranks.wait_for_receives();  // not for sends: the others may have no room for them yet
      for (auto [values, bytes] : arriving)
        for (auto const* value : *values) {
          unpack(value->own, true, bytes, call.memory, call.item);
          bytes += elements_of(value->own) * call.item;
        }
      arriving.clear();
      used = 0;
    };
    for (auto const& [owner, values] : round.foreign) {
      auto const size = bytes_of(values, call.item);
      if (used + size > room.travelling.view().size) take();
      auto* const to = room.travelling.span().data + used;
      ranks.receive({to, size}, owner);
      arriving.emplace_back(&values, to);
      used += size;
    }
    take();
    ranks.wait();
  }
  if (error) std::rethrow_exception(error);
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

inline HostBuffer copied_alone(ExchangePlan const& plan, PartMemory const& own, std::size_t item) {
  std::uint64_t elements = 0;
  for (auto const& box : plan.alone) elements += elements_of(box);
  HostBuffer copy{checked_size(elements * item, "the copy of a rank's memory")};
  auto* to = copy.span().data;
  for (auto const& box : plan.alone) {
    pack(box, true, own, to, item);
    to += elements_of(box) * item;
  }
  return copy;
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
