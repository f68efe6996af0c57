// make_codec, specification_of: codecs from their entries in documents, and back (core specification, "Codecs").
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tessera/codec/concept.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/function_ref.hpp>
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

/// The type of encoded elements; a codec that changes it has `DataType encoded_type(DataType) const`.
template <Codec C>
DataType type_behind(C const& codec, DataType type) {
  if constexpr (requires { codec.encoded_type(type); })
    return codec.encoded_type(type);
  else
    return type;
}

/// The entry of this codec in a document.
template <Codec C>
Specification specification_of(C const& codec) {
  return {std::string{C::name}, detail::configuration_of(codec)};
}

/// The same, for a new array of such elements.
template <Codec C>
Specification specification_of(C const& codec, DataType type) {
  if constexpr (requires { codec.fitted(type); })
    return specification_of(codec.fitted(type));
  else
    return specification_of(codec);
}

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/detail/configuration.ipp>
#endif
