// Route: a pipeline for which the compiler chooses the implementation of each codec, and where chunks cross.
#pragma once
#include <concepts>
#include <type_traits>

#include <tessera/pipeline/detail/bus_traffic.hpp>
#include <tessera/pipeline/detail/route_checks.hpp>
#include <tessera/pipeline/detail/route_choices.hpp>
#include <tessera/pipeline/pipeline.hpp>
#include <tessera/pipeline/sharding.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Stands for a route after a compile error, so that no second one follows: any comparison of its crossings is true.
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

/// The pipeline that decodes stored bytes in BytesSpace to elements in ArraySpace at the least cost, with codecs from
/// the list `Available`, of which several may have one name. It is an ordinary Pipeline: `Route<Codecs<codec::Bytes,
/// codec::Zstd>, space::Device, space::Host, Chain<"bytes", "zstd">>` is `Pipeline<space::Device, codec::Bytes,
/// CastTo<space::Host>, codec::Zstd>`. The order of the spaces is AnyPipeline's.
///
/// Of ways with equal cost it is the one with the fewest crossings; then the one whose codecs come first in the list,
/// the codec nearest to the stored bytes before the others; then the one that crosses nearest to the stored bytes. A
/// codec whose behaviour is undefined for damaged bytes is chosen only if the codec directly after it checks them. For
/// reading: codecs may only decode.
template <class Available, class ArraySpace, class BytesSpace, class Specification, class Cost = BusTraffic>
using Route = typename detail::route<Available, BytesSpace, ArraySpace, Specification, Cost, detail::ToRead>::type;

/// A route for writing too: as Route, of codecs that decode and encode.
template <class Available, class ArraySpace, class BytesSpace, class Specification, class Cost = BusTraffic>
using WritableRoute = typename detail::route<Available, BytesSpace, ArraySpace, Specification, Cost, detail::ToWrite>::type;

}}  // namespace tessera::v0
