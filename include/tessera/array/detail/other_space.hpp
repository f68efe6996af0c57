// Array::through: choosing store and codecs for another memory space.
#pragma once
#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tessera/array/detail/check_pipeline.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/pipeline/pipeline.hpp>
#include <tessera/pipeline/sharding.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/host_side.hpp>
#include <tessera/store/routed_store.hpp>
#include <tessera/store/split_store.hpp>
#include <tessera/store/wrapper_store.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// Whether a store's values are in host memory, or are available there without a crossing.
template <class S>
inline constexpr bool has_host_side = std::same_as<space_of<S>, space::Host> || requires(S const& store) {
  store.host_side();
};
template <class Meta, class Chunks>
inline constexpr bool has_host_side<SplitStore<Meta, Chunks>> = has_host_side<Chunks>;
template <class First, class Second, class Rule>
inline constexpr bool has_host_side<RoutedStore<First, Second, Rule>> = has_host_side<First> && has_host_side<Second>;
template <class S>
inline constexpr bool has_host_side<PrefixStore<S>> = has_host_side<S>;
template <class S>
inline constexpr bool has_host_side<ReadOnlyStore<S>> = has_host_side<S>;

// The store, or its host side if the pipeline ends in host memory.
template <class S, class Bytes>
inline constexpr bool is_other_side =
    std::same_as<Bytes, space::Host> && !std::same_as<space_of<S>, space::Host> && has_host_side<S>;
template <class S, class P>
inline constexpr bool ends_on_other_side = false;
template <class S, PipelineType P>
inline constexpr bool ends_on_other_side<S, P> = is_other_side<S, typename P::bytes_space>;
template <class Bytes, class S, class AnyQueue>
auto side_of(S const& store, [[maybe_unused]] AnyQueue& on) {
  if constexpr (is_other_side<S, Bytes>)
    return host_side(store, queue_in<space_of<S>>(on));
  else
    return store;
}

// The codec itself, if it runs on the host; else the host codec of that name, if it needs no header; else void.
template <class C>
struct codec_of_host {
  using type = std::conditional_t<RunsIn<C, space::Host>, C,
                                  std::conditional_t<C::name == codec::Crc32c::name, codec::Crc32c, void>>;
};

template <class To>
struct codec_of_host<CastTo<To>> {
  using type = CastTo<To>;
};

// Done: codecs that run on the host so far. Next: the next stage on the host. More: the other stages.
template <class Done, class Next, class... More>
struct with_stage;
template <class Done, class... More>
struct with_stages;
template <class... Done>
struct with_stages<std::tuple<Done...>> {
  using type = Pipeline<space::Host, Done...>;
};
template <class Done, class Next, class... More>
struct with_stages<Done, Next, More...> : with_stage<Done, typename codec_of_host<Next>::type, More...> {};
template <class... Done, class C, class... More>
struct with_stage<std::tuple<Done...>, C, More...> : with_stages<std::tuple<Done..., C>, More...> {};
template <class... Done, class To, class... More>
struct with_stage<std::tuple<Done...>, CastTo<To>, More...> : with_stages<std::tuple<Done...>, More...> {};
template <class... Done, class... More>
struct with_stage<std::tuple<Done...>, void, More...> {
  using type = void;
};

// The pipeline of the same codecs in host memory only, without a crossing; void: none.
template <class P>
struct pipeline_of_host {
  using type = void;
};
template <class Space, class... Stages>
struct pipeline_of_host<Pipeline<Space, Stages...>> : with_stages<std::tuple<>, Stages...> {};
template <class A, class B, class... Cs>
struct pipeline_of_host<AnyPipeline<A, B, Codecs<Cs...>>> {
  using type = AnyPipeline<space::Host, space::Host, Codecs<Cs...>>;
};
template <class Inner, class Index>
struct codec_of_host<codec::Sharding<Inner, Index>> {
  using inner = typename pipeline_of_host<Inner>::type;
  template <class P>
  struct shard_of {
    using type = codec::Sharding<P, Index>;
  };
  using type = typename std::conditional_t<std::is_void_v<inner>, std::type_identity<void>, shard_of<inner>>::type;
};

/// The pipeline for `through<Named>` over a store; Named is a pipeline, a list of codecs or space::Host.
template <class Named, class S, class P>
struct pipeline_through {
  using type = Named;
};
template <class... Cs, class S, class P>
struct pipeline_through<Codecs<Cs...>, S, P> : pipeline_over<Codecs<Cs...>, S> {};
template <class S, class P>
struct pipeline_through<space::Host, S, P> : pipeline_of_host<P> {};

/// One compile error for each reason why the route to the host has a crossing.
template <class S, class P>
consteval bool check_host_route() {
  constexpr bool has_codecs = !std::is_void_v<typename pipeline_of_host<P>::type>;
  static_assert(has_codecs,
                "tessera: reading this array on the host needs host codecs, and one of its codecs runs in other memory "
                "only: name host codecs, array.through<Pipeline<space::Host, codec::Bytes, codec::Zstd>>() or "
                "array.through<AnyPipeline<space::Host, space::Host, AllCodecs>>(), and read that");
  constexpr bool has_bytes = has_host_side<S>;
  static_assert(!has_codecs || has_bytes,
                "tessera: the stored bytes of this array are not in host memory, so chunks must be copied to the host: "
                "name the place of the copy, array.through<Pipeline<space::Host, codec::Bytes, "
                "CastTo<space::Device>>>(), and read that");
  return has_codecs && has_bytes;
}

// A space, and no codec whose header is missing.
template <class Named>
concept NamesSpace = requires { sizeof(Named); } && MemorySpace<Named>;

template <class Named, class S, class P, class... On>
consteval bool check_through() {
  if constexpr (NamesSpace<Named>) {
    constexpr bool is_host = std::same_as<Named, space::Host>;
    static_assert(is_host,
                  "tessera: only through<space::Host>() needs no pipeline; for another memory space name a pipeline, "
                  "through<Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>>()");
    if constexpr (!is_host)
      return false;
    else if constexpr (!check_host_route<S, P>())
      return false;
    else
      return check_queue<typename pipeline_of_host<P>::type, On...>();
  } else {
    using Other = typename pipeline_over<Named, S>::type;
    if constexpr (!was_refused<Other>() && ends_on_other_side<S, Other>)
      return check_queue<Other, On...>();
    else if constexpr (!check_pipeline<Named, S>())
      return false;
    else
      return check_queue<Other, On...>();
  }
}

/// The given queue, or the array's own, or one whose work the threads of the array's own queue prepare.
template <class Q, class Own, class... On>
Q queue_beside(Own& own, On... on) {
  if constexpr (sizeof...(On) == 1)
    return (on, ...);
  else if constexpr (std::same_as<Q, Own>)
    return own;
  else if constexpr (std::same_as<Q, Queue<space::Host>>)
    return own.host();
  else
    return Q{own};
}

}}}  // namespace tessera::v0::detail
