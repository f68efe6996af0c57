// call_with_elements: calls codecs that are functions of elements, with a chunk's elements in their own type.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/codec/concept.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/error.hpp>
#include <tessera/view/detail/layout.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// Calls f.template operator()<T>() for each possible element type, until one returns true.
template <class F>
constexpr bool any_element(F const& f) {
  auto const any_of = [&]<class... T>() { return (f.template operator()<T>() || ...); };
  return any_of.template operator()<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t,
                                    std::int16_t, std::int32_t, std::int64_t, float, double>();
}

// Call is Decode or Encode.
template <class Call, class C>
struct TakesElements {
  template <class T>
  constexpr bool operator()() const {
    return std::invocable<Call, C const&, ChunkSpecification const&, std::span<T const>, std::span<T>>;
  }
};
// Codecs that only rearrange elements are excluded first, which saves the compiler memory.
template <class Call, class C>
concept AskedForElements = C::kind::reads_array && C::kind::writes_array &&
    !requires(C const& codec, Layout const& layout) { codec.decoded(layout); } && any_element(TakesElements<Call, C>{});

/// Throws: MetadataError, if the codec's functions are of other elements.
template <class Call, class C>
void expect_takes(DataType type) {
  auto const is_it = [&]<class T>() {
    return TakesElements<Call, C>{}.template operator()<T>() && type == data_type_of<T>();
  };
  if (!any_element(is_it))
    throw MetadataError{to_text({"found elements of ", type.name(), ", which this codec does not support"})};
}

/// Throws: CodecError, if there is too little room, or the codec has no function for this type: it may encode fewer
/// types than it decodes.
template <class Call, class C, class Task>
void call_with_elements(Call call, C const& codec, ChunkSpecification const& chunk, Task& task) {
  if (task.from.size > task.to.size)
    throw CodecError{to_text({"found a chunk of ", task.from.size, " bytes, expected ", task.to.size})};
  bool const is_called = any_element([&]<class T>() {
    if constexpr (TakesElements<Call, C>{}.template operator()<T>()) {
      if (chunk.type != data_type_of<T>()) return false;
      auto const count = task.from.size / sizeof(T);
      call(codec, chunk, std::span{reinterpret_cast<T const*>(task.from.data), count},
           std::span{reinterpret_cast<T*>(task.to.data), count});
      return true;
    } else {
      return false;
    }
  });
  if (!is_called)
    throw CodecError{to_text({"found elements of ", chunk.type.name(), ", which this codec does not support"})};
  task.size = task.from.size;
}

}}}  // namespace tessera::v0::detail
