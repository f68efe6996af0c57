// cheapest_way: the cheapest way of a chunk through codecs that have several implementations in several spaces, from
// numbers alone.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera { inline namespace v0 { namespace detail {

/// A length known at run time, from a document; other lengths are constants.
inline constexpr auto any_number = ~std::size_t{0};
template <class T, std::size_t N>
using ListOf = std::conditional_t<N == any_number, std::vector<T>, std::array<T, N == any_number ? 0 : N>>;
using Flag = unsigned char;  // std::vector<bool> compiles slowly
constexpr std::size_t one_more(std::size_t n) { return n == any_number ? n : n + 1; }

/// Implementations of a chain's codecs, in the order of their priority, and the cost of each in each space.
template <std::size_t Length, std::size_t Implementations, std::size_t Spaces>
struct Choices {
  static constexpr auto impossible = ~std::uint64_t{0};

  /// Of codec k by implementation i in space s: [k][i][s]; `impossible`: i is not of that codec, or does not run there.
  ListOf<ListOf<std::array<std::uint64_t, Spaces>, Implementations>, Length> running{};
  /// Of a crossing before codec k, or behind the last: [k][from][to].
  ListOf<std::array<std::array<std::uint64_t, Spaces>, Spaces>, one_more(Length)> crossing{};
  /// Implementations that need a checking one right behind them, and those that check bytes.
  ListOf<Flag, Implementations> needs_checked_bytes{}, checks_bytes{};
};

/// An implementation and a space for each codec.
template <std::size_t Length>
struct Way {
  bool is_there = false;
  std::uint64_t cost = 0;
  std::size_t crossings = 0;
  ListOf<std::size_t, Length> implementation{}, space{};
  ListOf<Flag, one_more(Length)> crosses{};  ///< before codec k, or behind the last

  /// Lower cost; then fewer crossings; then implementations earlier in the list, of the codec nearest to the stored
  /// bytes first; then crossings nearer to the stored bytes.
  constexpr bool is_better_than(Way const& other) const {
    if (!is_there || !other.is_there) return is_there;
    if (cost != other.cost) return cost < other.cost;
    if (crossings != other.crossings) return crossings < other.crossings;
    for (auto k = implementation.size(); k-- > 0;)
      if (implementation[k] != other.implementation[k]) return implementation[k] < other.implementation[k];
    for (std::size_t k = 0; k < crosses.size(); ++k)
      if (crosses[k] != other.crosses[k]) return other.crosses[k] != 0;
    return false;
  }
};

/// The best way from elements in the space `first` to stored bytes in `last`. For each place in the chain and each
/// space, it finds the best way on, from the stored bytes back.
template <std::size_t Length, std::size_t Implementations, std::size_t Spaces>
constexpr Way<Length> cheapest_way(Choices<Length, Implementations, Spaces> const& choices, std::size_t first,
                                   std::size_t last) {
  using Ways = std::array<std::array<Way<Length>, 2>, Spaces>;  // from each space; [1]: through checked bytes
  auto const length = choices.running.size(), count = choices.checks_bytes.size();
  auto const cross = [&](Way<Length> way, std::size_t k, std::size_t from, std::size_t to) {
    way.crosses[k] = from != to;
    if (from == to) return way;
    way.crossings += 1;
    way.cost += choices.crossing[k][from][to];
    return way;
  };
  Ways on{};
  for (std::size_t s = 0; s < Spaces; ++s) {
    Way<Length> end{};
    end.is_there = true;
    if constexpr (Length == any_number) {
      end.implementation.resize(length);
      end.space.resize(length);
      end.crosses.resize(length + 1);
    }
    on[s][false] = cross(end, length, s, last);
  }
  for (auto k = length; k-- > 0;) {
    Ways from_here{};
    for (std::size_t to = 0; to < Spaces; ++to)
      for (std::size_t i = 0; i < count; ++i) {
        auto const& rest = on[to][choices.needs_checked_bytes[i]];
        if (choices.running[k][i][to] == choices.impossible || !rest.is_there) continue;
        auto way = rest;
        way.cost += choices.running[k][i][to];
        way.implementation[k] = i;
        way.space[k] = to;
        for (std::size_t s = 0; s < Spaces; ++s) {
          auto crossed = cross(way, k, s, to);
          if (choices.checks_bytes[i] && crossed.is_better_than(from_here[s][true])) from_here[s][true] = crossed;
          if (crossed.is_better_than(from_here[s][false])) from_here[s][false] = std::move(crossed);
        }
      }
    on = std::move(from_here);
  }
  return on[first][false];
}

}}}  // namespace tessera::v0::detail
