// PcoDelta: how a pcodec chunk stores values as differences from earlier ones; PcoHistory adds them up.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/codec/array_to_bytes/detail/pco_variable.hpp>

namespace tessera { inline namespace v0 { namespace detail {

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
