// BoxTurns: where the dimensions of each box are in its memory, and which of them run backwards there.
#pragma once
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/array/detail/orientation.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Of no box, or of every box of a list.
class BoxTurns {
 public:
  void clear() { turns_.clear(); }
  /// Of the next box. Throws: SelectionError, if a dimension is not among `rank`, or is given twice.
  TESSERA_DECL void add(Orientation const& orientation, std::size_t rank);

  bool are_any() const { return !turns_.empty(); }
  /// The dimension of the memory that has dimension d of the box.
  std::size_t in_memory(std::size_t box, std::size_t d) const { return are_any() ? turns_[box].in_memory[d] : d; }
  bool is_flipped(std::size_t box, std::size_t d) const { return are_any() && turns_[box].flipped[d]; }
  std::uint64_t held() const { return turns_.capacity() * sizeof(Turn); }  ///< bytes

 private:
  struct Turn {
    std::uint8_t in_memory[max_rank];
    std::bitset<max_rank> flipped;
  };
  std::vector<Turn> turns_{};
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/array/detail/box_turns.ipp>
#endif
