#pragma once
#include <tessera/place/detail/placement_table.hpp>

#include <bit>
#include <cstdint>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL Division::Division(std::uint32_t by)
    : divisor{by}, shift{31 + static_cast<std::uint32_t>(std::bit_width(by - 1))} {
  magic = static_cast<std::uint32_t>(((std::uint64_t{1} << shift) - 1) / by + 1);
}

}}}  // namespace tessera::v0::detail
