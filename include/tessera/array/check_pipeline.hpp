// What is asked of a pipeline, and of a queue, with which an array is reached.
#pragma once
#include <concepts>
#include <cstddef>

#include <tessera/codec/concept.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/pipeline/pipeline.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// What an array's codecs, as they are given, mean over a store: a list is a pipeline composed when the file is read.
template <class Codecs, class S>
struct pipeline_over {
  using type = Codecs;
};
template <class... Cs, class S>
struct pipeline_over<Codecs<Cs...>, S> {
  using type = AnyPipeline<space_of<S>, space_of<S>, Codecs<Cs...>>;
};

template <class P>
concept PipelineType = requires {
  typename P::array_space;
  typename P::bytes_space;
  typename P::queue_type;
};

template <class List>
inline constexpr bool names_codecs = true;
template <class... Cs>
inline constexpr bool names_codecs<Codecs<Cs...>> = (Codec<Cs> && ...);

// What the doors ask, one after the other: each gives its message and ends the asking.
template <class Named, class S>
consteval bool check_pipeline() {
  constexpr bool are_declared = declares_codecs<Named>;
  static_assert(
      !are_declared || names_codecs<Named>,
      "tessera: Codecs<...> is a list of codecs (types with 'kind' and 'name'); a cast is a stage of a Pipeline");
  if constexpr (!are_declared || !names_codecs<Named>) {
    return false;
  } else if constexpr (was_refused<typename pipeline_over<Named, S>::type>()) {
    return false;
  } else if constexpr (!PipelineType<typename pipeline_over<Named, S>::type>) {
    static_assert(PipelineType<typename pipeline_over<Named, S>::type>,
                  "tessera: codecs are given as a Pipeline<space, codecs...>, exactly these, or to open an array as a "
                  "Codecs<codecs...>, those that the file may name");
    return false;
  } else {
    using P = typename pipeline_over<Named, S>::type;
    static_assert(std::same_as<typename P::bytes_space, space_of<S>>,
                  "tessera: the pipeline ends in another memory space than the store's bytes are in; end it with "
                  "CastTo<...>, or use a store whose buffers are there");
    return std::same_as<typename P::bytes_space, space_of<S>>;
  }
}

template <class P, class... On>
consteval bool check_queue() {
  constexpr bool is_known = requires { sizeof(typename P::queue_type); };
  static_assert(is_known,
                "tessera: chunks of this array pass through memory other than the host's: include tessera/tessera.cuh");
  constexpr bool fits = sizeof...(On) == 0 || (sizeof...(On) == 1 && (std::same_as<On, typename P::queue_type> && ...));
  static_assert(!is_known || fits,
                "tessera: the last argument is the pipeline's queue: a Queue<space::Host>, or a Queue<space::Device> "
                "where a chunk passes through memory other than the host's");
  return is_known && fits;
}

}}}  // namespace tessera::v0::detail
