// make_codec, specification_of: codecs from their entries in documents, and back (core specification, "Codecs").
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/codec_calls.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/core/value.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Reads a codec's whole entry; errors name the codec. Throws: MetadataError, also if a member is not read.
TESSERA_DECL void read_configuration(std::string_view codec, Specification const& specification,
                                     FunctionRef<void(ObjectReader&)> read);

template <class C, class... More>
C configured([[maybe_unused]] ObjectReader& configuration, More const&... more) {
  if constexpr (requires { C::from(configuration, more...); }) {
    return C::from(configuration, more...);
  } else {
    static_assert(std::is_empty_v<C>,
                  "tessera: this codec has members but lacks 'static C from(ObjectReader&)', which sets them from the "
                  "configuration in zarr.json");
    return C{};
  }
}
template <class C>
Value configuration_of([[maybe_unused]] C const& codec) {
  if constexpr (requires { codec.configuration(); }) {
    return codec.configuration();
  } else {
    static_assert(std::is_empty_v<C>,
                  "tessera: this codec has members but lacks 'Value configuration() const', which returns them for "
                  "zarr.json");
    return Members{};
  }
}

}  // namespace detail

/// The codec that a document's entry describes; `more` are passed to its `from`. Throws: MetadataError naming the codec
/// and the member.
template <Codec C, class... More>
C make_codec(Specification const& specification, More const&... more) {
  std::optional<C> codec;
  detail::read_configuration(C::name, specification, [&](ObjectReader& configuration) {
    codec.emplace(detail::configured<C>(configuration, more...));
  });
  return *std::move(codec);
}

/// The entry of this codec in a document.
template <Codec C>
Specification specification_of(C const& codec) {
  return {std::string{C::name}, detail::configuration_of(codec)};
}

/// The same, for a new array. `chunk`, as it reaches the codec, becomes the chunk as it reaches the next one. Throws:
/// MetadataError, CodecError, with the codec, if it does not accept the elements.
template <Codec C>
Specification specification_of(C const& codec, ChunkSpecification& chunk) {
  auto const write = [&](auto const& fitted) {  // by a codec of the device: the codec that it derives from
    if constexpr (C::kind::writes_array) {  // without braces nvcc takes the return for a part of the condition
      try {
        chunk = detail::encoded_chunk(fitted, chunk);
      } catch (Error& error) {
        error.in_codec(C::name);
        throw;
      }
    }
    return specification_of(fitted);
  };
  if constexpr (requires { codec.fitted(chunk); })
    return write(codec.fitted(chunk));
  else
    return write(codec);
}

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/detail/configuration.ipp>
#endif
