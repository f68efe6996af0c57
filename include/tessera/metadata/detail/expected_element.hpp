// expect_element, expect_dimensions: check that an array has the elements and dimensions that the program expects.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Throws: MetadataError.
TESSERA_DECL void expect_type(DataType found, DataType expected);
// "id: int32, flags: uint8, 3 bytes, value: float64"
[[gnu::cold]] TESSERA_DECL std::string describe_fields(std::span<Field const> fields);
template <class T>
concept HasFields = requires { element_traits<T>::fields(); };
template <class T>
std::vector<Field> fields_of() {
  if constexpr (HasFields<T>)
    return element_traits<T>::fields();
  else
    return {};
}
/// Throws: MetadataError, if the array's data type, or a struct's fields, differ from those of T.
template <class T, class A>
void expect_element(A const& array) {
  if constexpr (HasFields<T>) {
    auto const expected = element_traits<T>::fields();
    auto const found = array.metadata().fields;
    if (array.type().kind == DataKind::structure && found != expected)
      throw MetadataError{to_text({"member data_type: found the fields ", describe_fields(found), "; expected ",
                                   describe_fields(expected), ", which this program asks for"})};
  }
  expect_type(array.type(), data_type_of<T>());
}
/// Throws: MetadataError.
TESSERA_DECL void expect_dimensions(std::size_t found, std::size_t expected);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/expected_element.ipp>
#endif
