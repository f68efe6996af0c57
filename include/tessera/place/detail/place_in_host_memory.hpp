// place_in_host_memory: placer<space::Host>::place, for headers that need no more of place/detail/placer.hpp.
#pragma once
#include <cstdint>
#include <span>

#include <tessera/core/config.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/placement.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::uint64_t place_in_host_memory(std::span<Placement<space::Host> const> batch,
                                                PlacementForm const& form, Queue<space::Host>& on);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/place/detail/place_in_host_memory.ipp>
#endif
