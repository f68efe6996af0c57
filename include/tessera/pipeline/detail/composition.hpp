// flow: the space and the form of a chunk after each stage of a list. All compile errors about composition are here.
#pragma once
#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tessera/cast/cast.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/check_codec.hpp>
#include <tessera/codec/detail/codec_calls.hpp>
#include <tessera/codec/detail/declared.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

template <class C, class S>
inline constexpr bool codec_runs_in = RunsIn<C, S>;

// OnHost: never left host memory. Refused: a compile error was given; one mistake gives one.
template <class S, bool IsArray = true, int Crossings = 0, bool OnHost = std::same_as<S, space::Host>,
          bool Refused = false>
struct flow {
  using space = S;
  static constexpr bool is_array = IsArray, on_host = OnHost, refused = Refused;
  static constexpr int crossings = Crossings;
};
template <class To, class S, bool IsArray, int X, bool OnHost, bool Refused>
using flow_to = flow<To, IsArray, X + !std::same_as<S, To>, OnHost && std::same_as<To, space::Host>, Refused>;

template <class S, bool IsArray, int X, bool H, bool Refused, Codec C>
consteval auto operator|(flow<S, IsArray, X, H, Refused>, std::type_identity<C>) {
  constexpr bool in_order = C::kind::reads_array == IsArray;
  static_assert(Refused || in_order,
                "tessera: codecs out of order; a pipeline is any array-to-array codecs, then one array-to-bytes "
                "codec, then any bytes-to-bytes codecs");
  constexpr bool runs_here = codec_runs_in<C, S>;
  static_assert(Refused || !in_order || runs_here,
                "tessera: this codec cannot run in the memory space its input is in; put CastTo<...> "
                "before it, or choose a codec that runs there");
  if constexpr (Refused || !in_order || !runs_here)
    return flow<S, C::kind::writes_array, X, H, true>{};
  else if constexpr (!check_codec<C>())
    return flow<S, C::kind::writes_array, X, H, true>{};
  else
    return flow_to<typename encoded_space<C, S>::type, S, C::kind::writes_array, X, H, false>{};
}

template <class S, bool IsArray, int X, bool H, bool Refused, class To>
consteval auto operator|(flow<S, IsArray, X, H, Refused>, std::type_identity<CastTo<To>>) {
  static_assert(Refused || MemorySpace<To>,
                "tessera: CastTo names a memory space, not a buffer: CastTo<space::Device>");
  if constexpr (MemorySpace<To>)
    return flow_to<To, S, IsArray, X, H, Refused>{};
  else
    return flow<S, IsArray, X, H, true>{};
}

template <class S, bool IsArray, int X, bool H, bool Refused, class Other>
requires(!Codec<Other>) consteval auto operator|(flow<S, IsArray, X, H, Refused>, std::type_identity<Other>) {
  constexpr bool is_declared = check_declared<Other>();
  static_assert(Refused || !is_declared || Codec<Other>,
                "tessera: a stage of a pipeline is a codec (with 'kind' and 'name') or CastTo<space>");
  return flow<S, IsArray, X, H, true>{};
}

// The flow of the first stages of a pipeline.
template <class Space, class Stages, std::size_t... I>
consteval auto flow_through(std::index_sequence<I...>) {
  return (flow<Space>{} | ... | std::type_identity<std::tuple_element_t<I, Stages>>{});
}

template <class Stage>
inline constexpr bool is_cast = false;
template <class To>
inline constexpr bool is_cast<CastTo<To>> = true;

// Whether a stage is of that kind; false for a cast.
template <class Stage, class Kind>
inline constexpr bool is_kind = false;
template <Codec C, class Kind>
inline constexpr bool is_kind<C, Kind> = std::same_as<typename C::kind, Kind>;

// Whether a stage is an array-to-array codec that runs: it changes values.
template <class Stage>
inline constexpr bool changes_values = false;
template <Codec C>
inline constexpr bool changes_values<C> = std::same_as<typename C::kind, array_to_array> && !ReadThrough<C>;

// Whether a stage is read through, not run: it has a layout and no decode.
template <class Stage>
inline constexpr bool is_view = false;
template <Codec C>
inline constexpr bool is_view<C> = (std::same_as<typename C::kind, array_to_array> && ReadThrough<C>) ||
                                   (std::same_as<typename C::kind, array_to_bytes> &&
                                    !requires(C const& c, ChunkSpecification const& chunk) { c.encoded_bound(chunk); });

// Whether a stage's chunks consist of smaller ones with their own pipeline.
template <class Stage>
inline constexpr bool is_shard = false;
template <Codec C>
requires requires { typename C::inner_type; }
inline constexpr bool is_shard<C> = true;

// Whether the encoded size depends only on the decoded size.
template <class Stage>
inline constexpr bool has_fixed_size = is_view<Stage> && !is_shard<Stage>;
template <Codec C>
requires requires { C::has_fixed_size; }
inline constexpr bool has_fixed_size<C> = C::has_fixed_size;

// A codec that needs checked bytes has undefined behaviour for damaged ones; a codec that checks bytes passes none on.
template <class Stage>
inline constexpr bool needs_checked_bytes = false;
template <Codec C>
requires requires { C::needs_checked_bytes; }
inline constexpr bool needs_checked_bytes<C> = C::needs_checked_bytes;
template <class Stage>
inline constexpr bool checks_bytes = false;
template <Codec C>
requires requires { C::checks_bytes; }
inline constexpr bool checks_bytes<C> = C::checks_bytes;

// Whether a codec that checks bytes stands right behind each one that needs it; casts between them change no byte.
template <class... Stages>
consteval bool has_checked_bytes() {
  bool is_wanted = false, is_sound = true;
  (
      [&] {
        if (is_cast<Stages>) return;
        is_sound = is_sound && (!is_wanted || checks_bytes<Stages>);
        is_wanted = needs_checked_bytes<Stages>;
      }(),
      ...);
  return is_sound && !is_wanted;
}

// A compile error outside the pipeline's class: clang++ uses no class that an error interrupted.
template <class End, class... Stages>
consteval bool check_bytes() {
  constexpr bool is_sound = End::refused || has_checked_bytes<Stages...>();
  static_assert(is_sound,
                "tessera: this codec has undefined behaviour on damaged bytes: put a codec directly after it that "
                "checks them, such as codec::Crc32c or codec::DeviceCrc32c, or trust the bytes: "
                "nvcomp::Trusted<nvcomp::Zstd>");
  return is_sound;
}

// The shard among stages, or void; its inner pipeline decides the queue and the crossings of the whole way.
template <class... Stages>
struct shard_among {
  using type = void;
};
template <class First, class... Rest>
struct shard_among<First, Rest...>
    : std::conditional_t<is_shard<First>, std::type_identity<First>, shard_among<Rest...>> {};

template <class P, class Flow, class Shard>
struct leaf_of {
  using type = P;
  using queue = queue_for<std::conditional_t<Flow::on_host, space::Host, space::Device>>;
  static constexpr int crossings = Flow::crossings;
};
template <class P, class Flow, class Shard>
requires(!std::is_void_v<Shard>) struct leaf_of<P, Flow, Shard> {
  using type = typename Shard::inner_type::leaf_type;
  using queue = typename type::queue_type;
  static constexpr int crossings = type::crossings;
};

template <class Stages, std::size_t K>
inline constexpr bool casts_at = false;
template <class Stages, std::size_t K>
requires(K < std::tuple_size_v<Stages>) inline constexpr bool casts_at<Stages, K> =
    is_cast<std::tuple_element_t<K, Stages>>;

// The first running stage from K on, and the last one before K; the number of stages, if none runs.
template <class Stages, std::size_t K>
consteval std::size_t next_running() {
  if constexpr (K == std::tuple_size_v<Stages>)
    return K;
  else
    return is_view<std::tuple_element_t<K, Stages>> ? next_running<Stages, K + 1>() : K;
}
template <class Stages, std::size_t K>
consteval std::size_t last_running() {
  if constexpr (K == 0)
    return std::tuple_size_v<Stages>;
  else
    return is_view<std::tuple_element_t<K - 1, Stages>> ? last_running<Stages, K - 1>() : K - 1;
}

// The best space for bytes before stage K: the stage that consumes or produces them may be a cast.
template <class Space, class Stages, std::size_t K>
consteval auto staged() {
  using here = typename decltype(flow_through<Space, Stages>(std::make_index_sequence<K>{}))::space;
  constexpr auto next = next_running<Stages, K>(), last = last_running<Stages, K>();
  if constexpr (casts_at<Stages, next>) {
    using there = decltype(flow_through<Space, Stages>(std::make_index_sequence<next + 1>{}));
    return std::type_identity<staging_t<typename there::space, here>>{};
  } else if constexpr (casts_at<Stages, last>) {
    using there = decltype(flow_through<Space, Stages>(std::make_index_sequence<last>{}));
    return std::type_identity<staging_t<typename there::space, here>>{};
  } else {
    return std::type_identity<here>{};
  }
}

}  // namespace detail
}}  // namespace tessera::v0
