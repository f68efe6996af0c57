#pragma once
#include <tessera/array/detail/box_turns.hpp>

#include <bitset>
#include <cstddef>
#include <cstdint>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void BoxTurns::add(Orientation const& orientation, std::size_t rank) {
  auto const& [flip, axes] = orientation;
  Turn turn{};
  for (auto const d : flip) {
    if (d >= rank || turn.flipped[d])
      throw SelectionError{
          to_text({"found flip = ", to_string(flip), ", expected dimensions of ", rank, ", each once"})};
    turn.flipped[d] = true;
  }
  std::bitset<max_rank> found;
  for (std::size_t d = 0; d < axes.rank(); ++d) {
    if (axes.rank() > rank || axes[d] >= axes.rank() || found[axes[d]])
      throw SelectionError{
          to_text({"found axes = ", to_string(axes), ", expected the first of ", rank, " dimensions, each once"})};
    found[axes[d]] = true;
    turn.in_memory[axes[d]] = static_cast<std::uint8_t>(d);
  }
  for (auto d = axes.rank(); d < rank; ++d) turn.in_memory[d] = static_cast<std::uint8_t>(d);
  turns_.push_back(turn);
}

}}}  // namespace tessera::v0::detail
