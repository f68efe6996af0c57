// InvalidCall: the result of a call that gave a compile error.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include <tessera/core/data_type.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/key/key.hpp>
#include <tessera/metadata/documents.hpp>
#include <tessera/view/box.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Takes the place of an array, of elements in memory and of pending work, so that their use gives no second error: it
/// has their members, converts to any type, and may be dropped. Its functions are not defined, because a program that
/// calls one does not compile.
template <class Of = double>
struct InvalidCall {
  using T = std::conditional_t<std::is_object_v<Of>, Of, double>;
  static constexpr bool refused = true;

  template <class Any>
  operator Any() const;

  Extents shape() const;
  Extents chunk_shape() const;
  Extents inner_chunk_shape() const;
  Extents grid_shape() const;
  std::uint64_t size() const;
  DataType type() const;
  DimensionNames dimension_names() const;
  ArrayMetadata metadata() const;
  Members attributes() const;
  std::string path() const;
  Key document() const;
  InvalidCall store() const;
  InvalidCall queue() const;
  InvalidCall untyped() const;
  template <class Element = T>
  Element fill_value() const {
    return {};
  }
  template <class Element, std::size_t...>
  InvalidCall<Element> as() const {
    return {};
  }
  template <class Named, class... On>
  InvalidCall through(On&&...) const {
    return {};
  }
  template <class... A>
  InvalidCall with(A&&...) const {
    return {};
  }
  template <class Queue>
  InvalidCall on(Queue&&) const {
    return {};
  }

  template <class B = void>
  InvalidCall read() const {
    return {};
  }
  template <class B = void, class Selection = Box, class... A>
  InvalidCall read(Selection const&, A&&...) const {
    return {};
  }
  template <class Selection = Box, class... A>
  InvalidCall write(Selection const&, A&&...) const {
    return {};
  }
  template <class Selection = Box, class... A>
  InvalidCall fill(Selection const&, A&&...) const {
    return {};
  }
  template <class B = void, class... A>
  InvalidCall read_chunk(Extents const&, A&&...) const {
    return {};
  }
  template <class... A>
  InvalidCall write_chunk(Extents const&, A&&...) const {
    return {};
  }
  Box chunk_box(Extents const&) const;
  template <class... A>
  InvalidCall append(A&&...) const {
    return {};
  }
  template <class... A>
  void resize(Extents const&, A&&...) const {}
  template <class... A>
  std::uint64_t compact(A&&...) const {
    return {};
  }
  void keep_shard_indexes(std::uint64_t) const;
  void wait() const;
  void detach() const;
  bool is_done() const;

  bool empty() const;
  Strides strides() const;
  T* data() const;
  T* begin() const;
  T* end() const;
  std::span<T> elements() const;
  InvalidCall view() const;
  InvalidCall buffer() const;
  InvalidCall sub(Box const&) const;
  template <class... Index>
  T& operator()(Index...) const {
    return *data();
  }
  template <class Index = Extents>
  T& operator[](Index const&) const {
    return *data();
  }
  template <class... Index>
  T& at(Index...) const {
    return *data();
  }
};

// Functions of arrays, which a call finds by its argument.
template <class Program = double, class Selection = Box, class T, class... A>
InvalidCall<Program> read_as(InvalidCall<T> const&, Selection const&, A&&...) {
  return {};
}
template <class Selection = Box, class T, class... A>
InvalidCall<T> write_as(InvalidCall<T> const&, Selection const&, A&&...) {
  return {};
}
template <class T, class... A>
InvalidCall<T> append_as(InvalidCall<T> const&, A&&...) {
  return {};
}
template <class B = void, class T, class... A>
InvalidCall<T> read_boxes(InvalidCall<T> const&, A&&...) {
  return {};
}
template <class... Lists, class T, class F>
InvalidCall<T> visit(InvalidCall<T> const&, F&&) {
  return {};
}

/// A result whose type is known in spite of the error. Not defined, as above.
template <class Result>
Result invalid_result();
}}}  // namespace tessera::v0::detail
