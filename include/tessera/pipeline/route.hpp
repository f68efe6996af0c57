// A pipeline that the compiler chooses: which implementation of each codec, and where chunks cross.
#pragma once
#include <concepts>
#include <type_traits>

#include <tessera/pipeline/bus_traffic.hpp>
#include <tessera/pipeline/chain.hpp>
#include <tessera/pipeline/pipeline.hpp>
#include <tessera/pipeline/route_checks.hpp>
#include <tessera/pipeline/route_choices.hpp>
#include <tessera/pipeline/sharding.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// What stands for a route where the compiler gave a message, so that no second one follows. It crosses as often as the
/// program says.
template <class From, class To>
struct NoRoute {
  using array_space = To;
  using bytes_space = From;
  static constexpr bool refused = true;
  static constexpr struct {
    constexpr bool operator==(int) const { return true; }
    constexpr bool operator<(int) const { return true; }
    constexpr bool operator<=(int) const { return true; }
  } crossings{};
};

template <class Available, class From, class To, class Specification, class Cost, class Use>
struct route {
  static consteval auto find() {
    using None = std::type_identity<NoRoute<From, To>>;
    using Routes = routes<Available, From, To, Specification, Cost>;
    if constexpr (!check_ends<Available, From, To>())
      return None{};
    else if constexpr (!check_chain<Specification>())
      return None{};
    else if constexpr (!check_are_listed<Routes>())
      return None{};
    else if constexpr (!check_legal<Routes, Use>())
      return None{};
    else
      return std::type_identity<typename Routes::template pipeline<Use>>{};
  }
  using type = typename decltype(find())::type;
};
template <class Available, class From, class To, class Inner, class Cost, class Use>
struct route<Available, From, To, Shards<Inner>, Cost, Use> {
  using inner = typename route<Available, From, To, Inner, Cost, Use>::type;
  template <class P>
  struct around {
    using type = Pipeline<To, codec::Sharding<P>>;
  };
  using type = typename std::conditional_t<std::same_as<inner, NoRoute<From, To>>, std::type_identity<inner>,
                                           around<inner>>::type;
};

}  // namespace detail

/// The pipeline that brings chunks from stored bytes in the space `From` to elements in the space `To` at the least
/// cost, by codecs of the list `Available`, of which several may have a name. An ordinary Pipeline, which could be
/// written out: `Route<Codecs<codec::Bytes, codec::Zstd>, space::Host, space::Device, Chain<"bytes", "zstd">>` is
/// `Pipeline<space::Device, codec::Bytes, CastTo<space::Host>, codec::Zstd>`.
///
/// Of ways that cost the same it is the one that crosses least often; then the one whose codecs come first in the list,
/// the codec nearest to the stored bytes before the others; then the one that crosses nearest to the stored bytes. A
/// codec whose behaviour damaged bytes make undefined is taken only where one right behind it checks them. This is for
/// reading: codecs may be such as only decode.
template <class Available, class From, class To, class Specification, class Cost = BusTraffic>
using Route = typename detail::route<Available, From, To, Specification, Cost, detail::ToRead>::type;

/// The same, to write too: of codecs that decode and encode.
template <class Available, class From, class To, class Specification, class Cost = BusTraffic>
using WritableRoute = typename detail::route<Available, From, To, Specification, Cost, detail::ToWrite>::type;

}}  // namespace tessera::v0
