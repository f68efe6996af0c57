// PcoVariable: a latent variable of a pcodec chunk. Its values are in bins: tANS, with four alternating states, encodes
// the bin; the offset in the bin is stored plainly.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/codec/array_to_bytes/detail/pco_bits.hpp>

namespace tessera { inline namespace v0 { namespace detail {

inline constexpr std::size_t pco_batch = 256;  ///< values of a variable that are stored together

/// Values of a variable, of any width: arithmetic is modulo 2^width.
using PcoBatch = std::array<std::uint64_t, pco_batch>;

class PcoVariable {
 public:
  unsigned width = 0;  ///< bits of a value: 8, 16, 32 or 64

  std::uint64_t mask() const;
  /// Differences are centred on it.
  std::uint64_t middle() const;
  bool has_bins() const { return !bins_.empty(); }
  /// Throws: CodecError, if a bin's lowest value is outside this range.
  void expect_lower(std::uint64_t least, std::uint64_t most) const;

  /// Throws: CodecError.
  void read_bins(PcoBits& from, unsigned bits);
  void read_states(PcoBits& from);
  /// The next `count` values, at most a batch.
  void read(PcoBits& from, std::size_t count, PcoBatch& to);

 private:
  struct Bin {
    std::uint64_t lower = 0;
    std::uint32_t weight = 0;  ///< its number of states
    std::uint8_t offset_bits = 0;
  };
  // The next state is `next` plus the value of the next `bits`.
  struct State {
    std::uint64_t lower = 0;
    std::uint32_t next = 0;
    std::uint8_t bits = 0, offset_bits = 0;
  };

  // Spreads bins over the states in steps of about three fifths of their number; the step is odd and so reaches all.
  void fill_table();

  unsigned log_ = 0;  // log2 of the number of states
  std::vector<Bin> bins_{};
  std::vector<State> table_{};
  std::vector<std::uint32_t> of_states_{}, next_{};
  std::array<std::uint32_t, 4> states_{};
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/array_to_bytes/detail/pco_variable.ipp>
#endif
