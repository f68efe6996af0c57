// Choice: the implementations that run a document's codecs, and the side of the pipeline where they run.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/codec/concept.hpp>
#include <tessera/core/config.hpp>
#include <tessera/pipeline/detail/cheapest_way.hpp>
#include <tessera/pipeline/detail/implementations.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The cheapest way, as for Route, of chunks that are decoded from the bytes' side to `end`. If both are one side, all
/// codecs run there.
class Choice {
 public:
  struct Taken {
    Implementation const* by;
    Side side;
  };
  using Traffic = std::uint64_t (*)(std::uint64_t bytes);  ///< the cost of a crossing

  /// Requires: each codec is known and runs on a side. Of several implementations with its name, those that refuse its
  /// configuration are skipped. Throws: MetadataError, if all refuse it, or if bytes that need a check have none.
  Choice(std::span<Implementation const> known, std::span<Specification const> codecs, Side end, Traffic crossing);

  /// One for each codec. If the codec is read through, `side` is where chunks are at that point.
  std::vector<Taken> const& taken() const { return taken_; }

 private:
  static constexpr std::size_t number(Side side) { return side == Side::bytes; }

  // No way exists: a codec needs checked bytes, and the one behind it does not check them.
  [[noreturn]] void refuse(std::span<Specification const> codecs) const;

  Choices<any_number, any_number, 2> choices_{};
  std::vector<Taken> taken_{};
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/pipeline/detail/choice.ipp>
#endif
