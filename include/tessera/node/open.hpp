// open_array, open_any: open arrays of a store.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/array/array.hpp>
#include <tessera/array/detail/check_pipeline.hpp>
#include <tessera/array/detail/invalid_call.hpp>
#include <tessera/array/detail/shared_array.hpp>
#include <tessera/metadata/detail/missing_node.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/metadata/group_metadata.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

template <class T>
consteval bool check_element() {
  static_assert(Element<T>,
                "tessera: this type cannot be an array element: use bool, an integer of 8 to 64 bits, float, double or "
                "std::complex of them, float16_bits, std::array<std::byte, N>, std::string of "
                "<tessera/array/strings.hpp>, or specialise element_traits for it");
  return Element<T>;
}

// Elements that own memory are in host memory only.
template <class T, class Named, class S>
consteval bool check_elements_space() {
  constexpr bool is_there =
      !VaryingElement<T> || std::same_as<typename pipeline_over<Named, S>::type::array_space, space::Host>;
  static_assert(is_there,
                "tessera: strings and bytes are in host memory only: open the array with a pipeline that begins in "
                "space::Host");
  return is_there;
}

template <class Named, class S, class... On>
consteval bool check_opening() {
  if constexpr (!check_store<S>())
    return false;
  else if constexpr (!check_metadata_store<S>())
    return false;
  else if constexpr (!check_pipeline<Named, S>())
    return false;
  else
    return check_queue<typename pipeline_over<Named, S>::type, On...>();
}

template <class P, class... On>
typename P::queue_type queue_given(On... on) {
  if constexpr (sizeof...(On) == 1)
    return (on, ...);
  else
    return typename P::queue_type{Queue<space::Host>::of_all_processors()};
}

template <class S>
std::shared_ptr<SharedArray> read_array(S const& store, std::string const& path) {
  auto const& documents = metadata_of(store);
  auto metadata = found_in_either(documents, path, [&](auto const& in) {
    return read_document(in, path, read_array_metadata, NodeType::array);
  });
  if (!metadata) {
    auto error = missing_node(documents, path, "array");
    error.in_key(document_key(path).path).in_store(name_of(documents));
    throw error;
  }
  return std::make_shared<SharedArray>(std::string{path}, *std::move(metadata));
}

template <class T, std::size_t Rank, class S, class P>
auto as_typed(AnyArray<S, P> const& array) {
  return in_document(array.store(), array.document(), [&] { return Array<T, Rank, S, P>{array}; });
}

}  // namespace detail

/// Opens the array at `path` ("" is the root), of any type and rank: for tools. Else as open_array. Throws: as
/// open_array.
template <class Codec = BuiltInCodecs, class S, class... On>
auto open_any(S const& store, std::string path = "", On... on) {
  if constexpr (!detail::check_opening<Codec, S, On...>()) {
    return detail::InvalidCall{};
  } else {
    using P = typename detail::pipeline_over<Codec, S>::type;
    return AnyArray<S, P>{store, detail::read_array(store, path), detail::queue_given<P>(std::move(on)...)};
  }
}

/// Opens the array at `path` ("" is the root). Its codecs are those of the list `Codec`, by default the ones that need
/// no library, or exactly those of a Pipeline. The queue `on` does the array's work. Without one, the threads that all
/// default queues of the process share do it, one per processor; they start at the first read that can use them.
/// Throws: NodeNotFound, if there is no array; MetadataError naming document and member, before any chunk is touched;
/// StoreError.
template <class T, std::size_t Rank, class Codec = detail::codecs_for<T, BuiltInCodecs>, class S, class... On>
auto open_array(S const& store, std::string path = "", On... on) {
  if constexpr (!detail::check_element<T>()) {
    return detail::InvalidCall<T>{};
  } else if constexpr (!detail::check_opening<Codec, S, On...>()) {
    return detail::InvalidCall<T>{};
  } else if constexpr (!detail::check_elements_space<T, Codec, S>()) {
    return detail::InvalidCall<T>{};
  } else {
    return detail::as_typed<T, Rank>(open_any<Codec>(store, path, std::move(on)...));
  }
}

/// Not to be called: the compile error says how codecs are passed.
template <class T, std::size_t Rank, class First, class Second, class... Rest, class S, class... On>
requires(Codec<Second>) auto open_array(S const&, std::string = "", On...) {
  static_assert(sizeof(T) == 0,
                "tessera: pass codecs as a Pipeline<space, codecs...>, exactly these, or, to open an array, as a "
                "Codecs<codecs...>, those that the file may name");
  return detail::InvalidCall<T>{};
}

/// Not to be called: the compile error says that the number of dimensions is missing.
template <class T, class... Rest, class S, class... On>
auto open_array(S const&, std::string = "", On...) {
  static_assert(sizeof(T) == 0,
                "tessera: open_array needs the number of dimensions: open_array<float, 3>(store, path); if only the "
                "file has it, use open_any(store, path) and visit of "
                "<tessera/array/visit.hpp>");
  return detail::InvalidCall<T>{};
}

}}  // namespace tessera::v0
