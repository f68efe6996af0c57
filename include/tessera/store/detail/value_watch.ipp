#pragma once
#include <tessera/store/detail/value_watch.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace tessera { inline namespace v0 {

TESSERA_DECL ValueWatch& ValueWatch::operator=(ValueWatch&& other) noexcept {
  std::swap(seen_, other.seen_), std::swap(owner_, other.owner_), std::swap(handle_, other.handle_);
  return *this;
}

TESSERA_DECL std::optional<std::intptr_t> ValueWatch::handle_of(Owner const& owner) const {
  return owner_ == &owner ? std::optional{handle_} : std::nullopt;
}

}}  // namespace tessera::v0
