#pragma once
#include <tessera/parallel/detail/exchange_rounds.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/parallel/detail/agreed.hpp>

namespace tessera { inline namespace v0 { namespace detail {

inline void send_counted(ErasedCommunicator& ranks, ByteView<space::Host> bytes, int rank, Exchanged& counts) {
  ranks.send({bytes.data, bytes.size}, rank);
  ++counts.messages;
  counts.bytes += bytes.size;
}

/// The numbers of rounds that travel, by rank.
struct NumbersOfRounds {
  std::map<int, std::vector<std::uint32_t>> told{}, heard{};
};

// Each owner tells the others in which of its rounds it handles the values that they share.
inline NumbersOfRounds exchanged_numbers(ErasedCommunicator& ranks, ExchangePlan const& plan, Exchanged& counts) {
  std::shared_ptr<NumbersOfRounds> numbers;
  agreed(ranks, [&] {
    numbers = std::make_shared<NumbersOfRounds>();
    auto& [told, heard] = *numbers;
    std::uint64_t bytes = 0;
    for (auto const& value : plan.owned)
      for (auto const& [rank, part] : value.others) told[rank].push_back(value.round), bytes += sizeof value.round;
    for (auto const& value : plan.foreign) heard[value.owner].push_back(0), bytes += sizeof value.round;
    ranks.prepare(std::max(told.size(), heard.size()), bytes);
  });
  keeping(ranks, numbers, [&] {
    auto& [told, heard] = *numbers;
    for (auto& [owner, rounds] : heard) ranks.receive(std::as_writable_bytes(std::span{rounds}), owner);
    for (auto const& [rank, rounds] : told) {
      auto const bytes = std::as_bytes(std::span{rounds});
      send_counted(ranks, {bytes.data(), bytes.size()}, rank, counts);
    }
    ranks.wait();
  });
  return std::move(*numbers);
}

// Gives each value and each message its place.
inline void place_round(ExchangeRound& round, std::size_t item) {
  std::map<int, ExchangeRound::Message> messages;
  std::size_t at = 0;
  for (auto const* value : round.owned) {
    round.values_at.push_back(at);
    at += static_cast<std::size_t>(element_count(region_of(value->span).count, "a value")) * item;
    for (auto const& [rank, part] : value->others)
      messages[rank].size += static_cast<std::size_t>(elements_of(part)) * item;
  }
  for (auto& [rank, message] : messages) {
    message.rank = rank;
    message.at = at;
    at += message.size;
    round.messages.push_back(message);
  }
  for (std::size_t i = 0; i < round.owned.size(); ++i)
    for (auto const& [rank, part] : round.owned[i]->others) {
      auto& next = messages[rank].at;
      round.parts.push_back({&part, i, next});
      next += static_cast<std::size_t>(elements_of(part)) * item;
    }
  for (auto& [owner, of] : round.foreign)
    for (auto const* value : of.values) of.size += static_cast<std::size_t>(elements_of(value->own)) * item;
}

inline std::vector<ExchangeRound> agreed_rounds(ErasedCommunicator& ranks, ExchangePlan& plan, std::size_t item,
                                                Exchanged& counts) {
  auto const numbers = exchanged_numbers(ranks, plan, counts);
  std::vector<ExchangeRound> all;
  agreed(ranks, [&] {
    auto const in = [&](std::uint32_t round) -> ExchangeRound& {
      if (all.size() <= round) all.resize(round + std::size_t{1});
      return all[round];
    };
    std::map<int, std::size_t> next;
    for (auto& value : plan.foreign) value.round = numbers.heard.at(value.owner)[next[value.owner]++];
    for (auto const& value : plan.owned) in(value.round).owned.push_back(&value);
    for (auto const& value : plan.foreign) in(value.round).foreign[value.owner].values.push_back(&value);
    std::size_t messages = 0;
    std::uint64_t most = 0;
    for (auto& round : all) {
      place_round(round, item);
      std::uint64_t bytes = 0;
      for (auto const& message : round.messages) bytes += message.size;
      for (auto const& [owner, of] : round.foreign) bytes += of.size;
      messages = std::max({messages, round.messages.size(), round.foreign.size()});
      most = std::max(most, bytes);
    }
    ranks.prepare(messages, most);
  });
  counts.rounds += all.size();
  return all;
}

}}}  // namespace tessera::v0::detail
