#pragma once
#include <tessera/place/detail/place_in_host_memory.hpp>

#include <cstdint>
#include <span>

#include <tessera/memory/queue.hpp>
#include <tessera/place/detail/placer.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::uint64_t place_in_host_memory(std::span<Placement<space::Host> const> batch,
                                                PlacementForm const& form, Queue<space::Host>& on) {
  return placer<space::Host>::place(batch, form, on);
}

}}}  // namespace tessera::v0::detail
