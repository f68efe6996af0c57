// Value: the content of a metadata document or codec configuration, independent of its syntax, so that no codec sees
// JSON. value_traits: types of a program that convert to and from a Value.
#pragma once
#include <string>

#include <tessera/core/detail/value_conversion.hpp>
#include <tessera/core/detail/value_types.hpp>

namespace tessera { inline namespace v0 {

/// One extension of a document: a codec, a chunk grid, a key encoding (core specification, "Extension definition").
struct Specification {
  std::string name;                 ///< as in the document
  Value configuration = Members{};  ///< as in the document; by default empty
};

/// Specialise it for your own type: `static Value to_value(T const&)`, and `static T from_value(Value const&)`, which
/// throws MetadataError. Then a Value can be made from a T, and `as<T>()` returns one.
template <class T>
struct value_traits;

}}  // namespace tessera::v0
