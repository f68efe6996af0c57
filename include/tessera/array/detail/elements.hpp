// ElementsOf: how an array's handles treat elements of a C++ type.
#pragma once
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include <tessera/buffer/concept.hpp>
#include <tessera/codec/array_to_bytes/bytes.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/pipeline/pipeline.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Elements that are their bytes. array/strings.hpp specialises it for elements that own memory.
template <class T>
struct ElementsOf {
  template <MemorySpace S>
  using buffer = buffer_in_t<S>;              ///< of a read without memory
  using array_to_bytes_codec = codec::Bytes;  ///< of a new array
  template <class List>
  using codecs = List;  ///< the list, and codecs that such elements need

  static T of_fill(std::vector<std::byte> const& fill) {
    T value;
    std::memcpy(&value, fill.data(), sizeof(T));
    return value;
  }
  static std::vector<std::byte> fill_of(T const& value) {
    std::vector<std::byte> fill(sizeof(T));
    std::memcpy(fill.data(), &value, sizeof(T));
    return fill;
  }

  /// Memory of such elements, for AnyArray.
  template <MemorySpace S>
  static StridedSpan<S> const& placed(StridedSpan<S> const& to) {
    return to;
  }
  template <MemorySpace S>
  static StridedView<S> const& placed(StridedView<S> const& from) {
    return from;
  }
};

template <class T, MemorySpace S>
using elements_buffer = typename ElementsOf<T>::template buffer<S>;
template <class T, class... Compressors>
using usual_pipeline = Pipeline<space::Host, typename ElementsOf<T>::array_to_bytes_codec, Compressors...>;
template <class T, class List>
using codecs_for = typename ElementsOf<T>::template codecs<List>;

}}}  // namespace tessera::v0::detail
