// Codecs and their entries in documents, each made of the other (core specification, "Codecs").
#pragma once
#include <string>
#include <type_traits>

#include <tessera/codec/concept.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/reader.hpp>
#include <tessera/core/value.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

template <class C, class... More>
C configured([[maybe_unused]] ObjectReader& configuration, More const&... more) {
  if constexpr (requires { C::from(configuration, more...); }) {
    return C::from(configuration, more...);
  } else {
    static_assert(std::is_empty_v<C>,
                  "tessera: this codec has members, and lacks 'static C from(ObjectReader&)', which sets them from the "
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
                  "tessera: this codec has members, and lacks 'Value configuration() const', which says what zarr.json "
                  "has of them");
    return Members{};
  }
}

}  // namespace detail

/// The codec that a document's entry describes; its `from` is given what else is given here. Throws: MetadataError
/// naming the codec and the member.
template <Codec C, class... More>
C make_codec(Specification const& specification, More const&... more) try {
  ObjectReader configuration{specification.configuration, "configuration"};
  auto codec = detail::configured<C>(configuration, more...);
  configuration.finish();
  return codec;
} catch (Error& error) {
  error.in_codec(C::name);
  throw;
}

/// The elements that it makes of such, if it says so: one that changes their type has
/// `DataType encoded_type(DataType) const`.
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
