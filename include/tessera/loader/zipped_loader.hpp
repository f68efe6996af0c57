// ZippedLoader: the same boxes of several arrays in batches, such as crops of an image and of its labels.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tessera/array/array.hpp>
#include <tessera/loader/detail/loader_options.hpp>
#include <tessera/loader/detail/shared_draws.hpp>
#include <tessera/loader/loader.hpp>
#include <tessera/loader/sampler.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

template <class L>
inline constexpr bool is_loader = false;
template <class T, std::size_t Rank, class S, class P, class Program>
inline constexpr bool is_loader<Loader<T, Rank, S, P, Program>> = true;

template <class A>
struct LoaderOf;
template <class T, std::size_t Rank, class S, class P>
struct LoaderOf<Array<T, Rank, S, P>> {
  using type = Loader<T, Rank, S, P>;
  static constexpr std::size_t rank = Rank;
};

}  // namespace detail

/// Several loaders that read the same boxes from several arrays, each in its own thread:
///
///     ZippedLoader loader{std::tie(image, labels), crops, {.batch = 16}};
///     while (auto batches = loader.next()) {
///       auto const& [of_image, of_labels] = *batches;  // each a LoadedBatch
///       train(of_image.view(), of_labels.view());
///     }
///
/// The arrays may differ in everything but their shape. An array may also have more dimensions than the boxes, ahead of
/// the common ones, such as channels; every index of these is read. Boxes have as many dimensions as the array that has
/// the fewest. Kept chunks, `ahead` and `horizon` are those of each loader.
template <class... L>
class ZippedLoader {
 public:
  using batches_type = std::tuple<typename L::batch_type...>;

  /// Begins to read. Each box is drawn once, by the thread that is ahead. The padding is of as many dimensions as the
  /// boxes. Throws: as the constructors of the loaders.
  template <Sampler F, class... A>
  ZippedLoader(std::tuple<A&...> const& arrays, F sampler, LoaderOptions const& options = {})
      : ZippedLoader{arrays, options, std::make_shared<detail::SharedDraws>(std::move(sampler), sizeof...(A)),
                     std::index_sequence_for<A...>{}} {}
  /// Of loaders whose options differ, or that loader_as made: their samplers must draw the same boxes.
  explicit ZippedLoader(L... loaders) requires(detail::is_loader<L>&&...) : loaders_{std::move(loaders)...} {}

  /// The next batches, one of each loader, or nothing after the last ones. Otherwise as Loader::next: throws the error
  /// of the first loader that has one; the other batches are dropped then.
  std::optional<batches_type> next() {
    return next_by([](auto& loader) { return loader.next(); });
  }
  /// For use in the order of this queue, if all arrays have such queues.
  template <class Q>
  std::optional<batches_type> next(Q& on) {
    return next_by([&](auto& loader) { return loader.next(on); });
  }

  /// As Loader::cancel.
  void cancel() {
    std::apply([](auto&... loader) { (loader.cancel(), ...); }, loaders_);
  }
  std::uint64_t position() const { return loader<0>().position(); }  ///< as Loader::position
  /// The loader of the i-th array, for its statistics.
  template <std::size_t i>
  auto const& loader() const {
    return std::get<i>(loaders_);
  }

 private:
  using Draws = std::shared_ptr<detail::SharedDraws>;

  template <class... A, std::size_t... i>
  ZippedLoader(std::tuple<A&...> const& arrays, LoaderOptions const& options, Draws const& draws,
               std::index_sequence<i...>)
      : loaders_{begun<L>(std::get<i>(arrays), std::min({detail::LoaderOf<std::remove_const_t<A>>::rank...}), options,
                          draws, i)...} {}
  template <class One, class A>
  static One begun(A const& array, std::size_t rank, LoaderOptions const& options, Draws const& draws, std::size_t i) {
    auto const ahead = detail::LoaderOf<A>::rank - rank;
    return One{array, detail::SharedDraws::reader(draws, i, rank, ahead), detail::widened(options, ahead)};
  }

  template <class Next>
  std::optional<batches_type> next_by(Next const& next) {
    std::lock_guard const lock{*mutex_};
    std::exception_ptr error;
    auto const take = [&](auto& loader) -> decltype(next(loader)) {
      try {
        return next(loader);
      } catch (...) {
        if (!error) error = std::current_exception();
        return std::nullopt;
      }
    };
    // Also after an error: the loaders stay in step.
    auto taken = std::apply([&](auto&... loader) { return std::tuple{take(loader)...}; }, loaders_);
    if (error) std::rethrow_exception(error);
    return std::apply(
        [](auto&... batch) -> std::optional<batches_type> {
          if (!(batch && ...)) return std::nullopt;
          return batches_type{*std::move(batch)...};
        },
        taken);
  }

  std::tuple<L...> loaders_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  // of calls of next
};

template <Sampler F, class... A>
ZippedLoader(std::tuple<A&...>, F, LoaderOptions const& = {})
    -> ZippedLoader<typename detail::LoaderOf<std::remove_const_t<A>>::type...>;

}}  // namespace tessera::v0
