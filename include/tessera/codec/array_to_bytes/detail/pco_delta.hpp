// PcoDelta: how a pcodec chunk stores values as differences from earlier ones; PcoHistory adds them up.
// PcoVariable: a latent variable of a pcodec chunk. Its values are in bins: tANS, with four alternating states, encodes
// the bin; the offset in the bin is stored plainly.
// PcoBits: the bits of a pcodec file, from the lowest bit of each byte on, with a check before each read.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <tessera/memory/bytes.hpp>

namespace tessera { inline namespace v0 { namespace detail {

class PcoBits {
 public:
  explicit PcoBits(ByteView<space::Host> from) : from_{from} {}

  std::uint64_t left() const;

  /// Throws: CodecError, if fewer bits are left.
  void expect(std::uint64_t count, std::string_view what) const;
  /// The next bits, 64 at most. Throws: CodecError, if fewer are left.
  std::uint64_t take(unsigned count);
  /// Moves to the end of a byte. Throws: CodecError, if the skipped bits are not zero.
  void align(std::string_view what);

 private:
  ByteView<space::Host> from_;
  std::uint64_t at_ = 0;  // bits
};

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

struct PcoDelta {
  enum class Kind : std::uint8_t {
    none,
    consecutive,  ///< differences of order `kept`
    lookback,     ///< from the value that another variable selects
    convolution,  ///< from a prediction by the `kept` values before
  };
  Kind kind = Kind::none;
  bool is_of_second = false;  ///< whether it applies to the second variable, too
  std::size_t kept = 0;       ///< values at the beginning of each page
  std::uint64_t window = 0;   ///< the farthest lookback
  unsigned shift = 0;
  std::int64_t bias = 0;
  std::array<std::int64_t, 32> weights{};

  /// Throws: CodecError.
  void read(PcoBits& from, unsigned version);
  /// Throws: CodecError, if predictions may overflow integers of twice the width: the format does not define these.
  void expect_fits(PcoVariable const& variable) const;
};

/// The values of one variable of a page, stored as differences.
class PcoHistory {
 public:
  /// Throws: CodecError.
  void begin(PcoBits& from, PcoDelta const& delta, unsigned width);

  /// Replaces `read` differences in `batch` by `count` values. The last values' differences are not stored, because
  /// values lag behind by as many as are kept. Throws: CodecError.
  void add_up(PcoDelta const& delta, PcoVariable const& variable, PcoBatch const& lookbacks, std::size_t read,
              std::size_t count, PcoBatch& batch);

 private:
  void sum(std::uint64_t mask, std::size_t count, PcoBatch& batch);
  // Zeros precede the kept values.
  std::uint64_t at_lookback(PcoDelta const& delta, std::uint64_t lookback) const;
  std::uint64_t predicted(PcoDelta const& delta) const;
  // Drops values that no lookback reaches.
  void forget(PcoDelta const& delta);

  std::vector<std::uint64_t> values_{};
  std::size_t done_ = 0;  // how many of them were returned
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/array_to_bytes/detail/pco_delta.ipp>
#endif
