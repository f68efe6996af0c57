// check_pipeline and check_queue: compile errors for the pipeline and the queue of an array.
#pragma once
#include <concepts>
#include <cstddef>

#include <tessera/codec/concept.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/pipeline/pipeline.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// The pipeline for given codecs over a store: a list becomes a pipeline that is composed when the file is read.
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

// The checks of entry points, in order: the first that fails gives its compile error and ends them.
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
                  "tessera: pass codecs as a Pipeline<space, codecs...>, exactly these, or, to open an array, as a "
                  "Codecs<codecs...>, those that the file may name");
    return false;
  } else {
    using P = typename pipeline_over<Named, S>::type;
    static_assert(std::same_as<typename P::bytes_space, space_of<S>>,
                  "tessera: the pipeline ends in a different memory space from the store's bytes; end it with "
                  "CastTo<...>, or use a store with buffers in the space where the pipeline ends");
    return std::same_as<typename P::bytes_space, space_of<S>>;
  }
}

template <class P, class... On>
consteval bool check_queue() {
  constexpr bool is_known = requires { sizeof(typename P::queue_type); };
  static_assert(is_known,
                "tessera: chunks of this array pass through memory other than host memory: include "
                "<tessera/tessera.cuh>");
  constexpr bool fits = sizeof...(On) == 0 || (sizeof...(On) == 1 && (std::same_as<On, typename P::queue_type> && ...));
  static_assert(!is_known || fits,
                "tessera: the last argument must be the pipeline's queue: a Queue<space::Host>, or a "
                "Queue<space::Device> if chunks pass through memory other than host memory");
  return is_known && fits;
}

}}}  // namespace tessera::v0::detail
