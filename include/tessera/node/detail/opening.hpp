// What all functions that open arrays share: checks of their types, the queue, and reading the document.
#pragma once
#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/array/array.hpp>
#include <tessera/array/detail/check_pipeline.hpp>
#include <tessera/array/detail/shared_array.hpp>
#include <tessera/metadata/detail/missing_node.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/metadata/documents.hpp>
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
}}  // namespace tessera::v0
