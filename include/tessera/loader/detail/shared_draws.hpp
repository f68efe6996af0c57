// SharedDraws: a sampler whose boxes are drawn once for several readers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <tessera/array/detail/orientation.hpp>
#include <tessera/core/config.hpp>
#include <tessera/loader/detail/loader_options.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// For boxes with `ahead` dimensions more, ahead of the others: none of them is padded.
TESSERA_DECL LoaderOptions widened(LoaderOptions options, std::size_t ahead);
/// The box, which has `rank` dimensions, with every index of them. Throws: SelectionError, if it has other dimensions.
TESSERA_DECL OrientedBox widened(OrientedBox const& box, std::size_t rank, std::size_t ahead);

/// Thread-safe. Keeps the boxes that some reader has not had yet.
class SharedDraws {
 public:
  using Draw = std::function<std::optional<OrientedBox>()>;

  TESSERA_DECL SharedDraws(Draw draw, std::size_t readers);

  /// The next box for a reader, or nothing at the end. Throws: what the sampler threw, to each reader.
  TESSERA_DECL std::optional<OrientedBox> next(std::size_t reader);
  /// The i-th reader, as a sampler. Its boxes of `rank` dimensions get `ahead` more.
  TESSERA_DECL static Draw reader(std::shared_ptr<SharedDraws> const& draws, std::size_t i, std::size_t rank,
                                  std::size_t ahead);

 private:
  std::mutex mutex_{};
  Draw draw_;
  std::deque<OrientedBox> boxes_{};
  std::uint64_t first_ = 0;        // the number of the first of them
  std::vector<std::uint64_t> at_;  // of each reader
  bool has_ended_ = false;
  std::exception_ptr error_{};
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/loader/detail/shared_draws.ipp>
#endif
