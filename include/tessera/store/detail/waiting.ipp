#pragma once
#include <tessera/store/detail/waiting.hpp>

#include <algorithm>
#include <chrono>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::chrono::steady_clock::time_point end_of(std::chrono::seconds patience) {
  constexpr std::chrono::seconds most = std::chrono::hours{24 * 365};
  return std::chrono::steady_clock::now() + std::clamp(patience, std::chrono::seconds{0}, most);
}

}}}  // namespace tessera::v0::detail
