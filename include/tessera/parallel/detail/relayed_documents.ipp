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

inline std::string RelayedDocuments::text() const {
  state_->value_of = nullptr;
  state_->is_folder = nullptr;
  TravellingText parts;
  for (auto const& [key, value] : state_->values) {
    parts.add(key);
    parts.add(value ? "there" : "missing");
    parts.add(value ? *value : "");
  }
  return std::move(parts).text();
}

inline void RelayedDocuments::take(std::string text) const {
  TravellingText arrived{std::move(text)};
  while (!arrived.is_at_end()) {
    auto key = arrived.take();
    bool const is_there = arrived.take() == "there";
    auto value = arrived.take();
    state_->values[std::move(key)] = is_there ? std::optional{std::move(value)} : std::nullopt;
  }
}

}}}  // namespace tessera::v0::detail
