// Opens what is in a store.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include <tessera/array/array.hpp>
#include <tessera/metadata/group_metadata.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/pipeline/pipeline.hpp>
#include <tessera/store/concept.hpp>

namespace tessera::inline v0 {
namespace detail {

// What the third argument of open_array means over a store: a list of codecs is a pipeline composed when the file is
// read.
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
};

template <class P, class S>
consteval bool check_pipeline() {
  if constexpr (!PipelineType<P>) {
    static_assert(PipelineType<P>,
                  "tessera: the third argument of open_array is a Pipeline<space, codecs...> or a "
                  "Codecs<codecs...>");
    return false;
  } else {
    static_assert(std::same_as<typename P::bytes_space, space_of<S>>,
                  "tessera: the pipeline ends in another memory space than the store's bytes are in; end it with "
                  "CastTo<...>, or use a store whose buffers are there");
    return std::same_as<typename P::bytes_space, space_of<S>>;
  }
}

// What a door returns where a message was given: it takes part in anything, so that no second message follows.
struct Refused {
  template <class... A>
  void read(A&&...) const {}
};

template <class P>
typename P::queue_type default_queue() {
  if constexpr (std::same_as<typename P::queue_type, Queue<space::Host>>)
    return Queue<space::Host>{std::thread::hardware_concurrency()};
  else
    return typename P::queue_type{};
}

template <class S>
ArrayMetadata array_metadata(S const& store, std::string const& path) {
  auto const& documents = metadata_of(store);
  auto metadata = read_document(documents, path, read_array_metadata);
  if (!metadata) {
    MetadataError error{"there is no array: the document is missing"};
    error.in_key(document_key(path).path).in_store(name_of(documents));
    throw error;
  }
  return *std::move(metadata);
}

// Runs f; its errors are of the document at `path`.
template <class S, class F>
auto in_document(S const& store, std::string const& path, F&& f) try {
  return f();
} catch (MetadataError& error) {
  error.in_key(document_key(path).path).in_store(name_of(metadata_of(store)));
  throw;
}

}  // namespace detail

/// Opens the array at `path` ("" is the root). Its codecs are those of the list `Codec`, by default the ones that need
/// no library, or exactly those of a Pipeline. Work is done by the queue given, which the array keeps, or by threads of
/// its own, one per processor, started at the first read that can use them. Throws: MetadataError naming document and
/// member, before any chunk is touched; StoreError.
template <Element T, std::size_t Rank, class Codec = BuiltInCodecs, class S, class... Queue>
auto open_array(S store, std::string path = "", Queue... on) {
  static_assert(sizeof...(Queue) <= 1);
  if constexpr (!detail::check_store<S>()) {
    return detail::Refused{};
  } else if constexpr (!detail::check_metadata_store<S>()) {
    return detail::Refused{};
  } else {
    using P = typename detail::pipeline_over<Codec, S>::type;
    if constexpr (!detail::check_pipeline<P, S>()) {
      return detail::Refused{};
    } else {
      auto metadata = detail::array_metadata(store, path);
      return detail::in_document(store, path, [&] {
        auto queue = [&] {
          if constexpr (sizeof...(Queue) == 0)
            return detail::default_queue<P>();
          else
            return (on, ...);
        }();
        return Array<T, Rank, S, P>{AnyArray<S, P>{store, path, std::move(metadata), std::move(queue)}};
      });
    }
  }
}

/// Opens the array at `path` whatever its type and rank are: for tools.
template <class Codec = BuiltInCodecs, class S>
auto open_any(S store, std::string path = "",
              Queue<space::Host> on = Queue<space::Host>{std::thread::hardware_concurrency()}) {
  using P = typename detail::pipeline_over<Codec, S>::type;
  auto metadata = detail::array_metadata(store, path);
  return detail::in_document(store, path, [&] {
    return AnyArray<S, P>{store, path, std::move(metadata), std::move(on)};
  });
}

}  // namespace tessera::inline v0
