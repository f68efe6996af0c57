// Arrays of strings and of bytes of any length, in host memory: `Array<std::string, N>` of the data type `string`,
// `Array<std::vector<std::byte>, N>` of `bytes` (zarr-extensions: data-types/string, data-types/bytes).
#pragma once
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array/array.hpp>
#include <tessera/array/detail/elements.hpp>
#include <tessera/array/visit.hpp>
#include <tessera/codec/array_to_bytes/vlen.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/pipeline/detail/varying_stages.hpp>
#include <tessera/place/detail/varying.hpp>
#include <tessera/transfer/detail/read.hpp>

namespace tessera { inline namespace v0 {

template <>
struct element_traits<std::string> {
  static constexpr DataType type = string_type;
};
template <>
struct element_traits<std::vector<std::byte>> {
  static constexpr DataType type = bytes_type;
};

/// For visit: `visit<StringTypes>(array, f)`.
using StringTypes = Types<std::string, std::vector<std::byte>>;

namespace detail {

template <class List>
struct with_strings;
template <class... Cs>
struct with_strings<Codecs<Cs...>> {
  static constexpr bool has_all = is_one_of<codec::VlenUtf8, Cs...> && is_one_of<codec::VlenBytes, Cs...>;
  using type = std::conditional_t<has_all, Codecs<Cs...>,
                                  Codecs<Cs..., codec::VlenUtf8, codec::VlenBytes, codec::VlenV2,
                                         codec::VlenIndexed<Codecs<Cs...>>>>;
};

}  // namespace detail

/// A list of codecs, with those for strings and bytes added: `open_any<WithStrings<AllCodecs>>(store, "a")`.
template <class List>
using WithStrings = typename detail::with_strings<List>::type;

namespace detail {

/// A buffer of objects that own memory, one after the other.
template <class T>
class ObjectBuffer {
 public:
  using space_type = space::Host;

  ObjectBuffer() = default;
  ObjectBuffer(std::size_t size, Queue<space::Host>&) : objects_(size / sizeof(T)) {}
  ObjectBuffer(ObjectBuffer&&) = default;
  ObjectBuffer& operator=(ObjectBuffer&&) = default;

  ByteView<space::Host> view() const {
    return {reinterpret_cast<std::byte const*>(objects_.data()), objects_.size() * sizeof(T)};
  }
  ByteSpan<space::Host> span() { return {reinterpret_cast<std::byte*>(objects_.data()), objects_.size() * sizeof(T)}; }

 private:
  std::vector<T> objects_;
};

template <VaryingElement T>
struct ElementsOf<T> {
  static constexpr bool is_string = element_traits<T>::type.kind == DataKind::string;
  template <MemorySpace>
  using buffer = ObjectBuffer<T>;
  using array_to_bytes_codec = std::conditional_t<is_string, codec::VlenUtf8, codec::VlenBytes>;
  template <class List>
  using codecs = WithStrings<List>;

  static T of_fill(std::vector<std::byte> const& fill) {
    auto const* const first = reinterpret_cast<typename T::value_type const*>(fill.data());
    return T(first, first + fill.size());
  }
  static std::vector<std::byte> fill_of(T const& value) {
    auto const* const first = reinterpret_cast<std::byte const*>(value.data());
    return {first, first + value.size()};
  }

  static StridedSpan<space::Host> placed(StridedSpan<space::Host> const& to) {
    return {to.data, to.strides, &taking_placer<T>, sizeof(T)};
  }
  static StridedView<space::Host> placed(StridedView<space::Host> const& from) {
    return {from.data, from.strides, &giving_placer<T>};
  }
};

}  // namespace detail
}}  // namespace tessera::v0
