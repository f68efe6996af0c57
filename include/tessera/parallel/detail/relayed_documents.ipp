#pragma once
#include <tessera/parallel/detail/relayed_documents.hpp>

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <tessera/parallel/detail/travelling.hpp>

namespace tessera { inline namespace v0 { namespace detail {

inline std::optional<std::size_t> RelayedDocuments::read(Key const& key, ByteRange range,
                                                               Destination<Host> destination, Queue<Host>&) const {
  auto found = state_->values.find(key.path);
  if (found == state_->values.end()) {
    auto value = state_->value_of ? state_->value_of(key) : std::nullopt;
    found = state_->values.emplace(key.path, std::move(value)).first;
  }
  if (!found->second) return std::nullopt;
  auto const [offset, size] = range.resolve(found->second->size());
  auto const to = destination(static_cast<std::size_t>(size));
  if (size != 0) std::memcpy(to.data, found->second->data() + offset, static_cast<std::size_t>(size));
  return static_cast<std::size_t>(size);
}

inline void RelayedDocuments::relay(ErasedCommunicator& ranks) const {
  TravellingText parts;
  for (auto const& [key, value] : state_->values) {
    parts.add(key);
    parts.add(value ? "there" : "missing");
    parts.add(value ? *value : "");
  }
  TravellingText arrived{broadcast_text(ranks, std::move(parts).text(), 0)};
  state_->value_of = nullptr;
  state_->is_folder = nullptr;
  if (ranks.rank() == 0) return;
  while (!arrived.is_at_end()) {
    auto key = arrived.take();
    bool const is_there = arrived.take() == "there";
    auto value = arrived.take();
    state_->values[std::move(key)] = is_there ? std::optional{std::move(value)} : std::nullopt;
  }
}

}}}  // namespace tessera::v0::detail
