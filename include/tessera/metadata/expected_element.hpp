// Whether an array that a program opens has the elements and the dimensions that the program asks for.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/field.hpp>
#include <tessera/core/text.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Throws: MetadataError.
inline void expect_type(DataType found, DataType expected) {
  if (found != expected)
    throw MetadataError{text({"member data_type: found ", found.name(), ", expected ", expected.name(),
                              ", which this program asks for"})};
}
// "id: int32, flags: uint8, 3 bytes, value: float64"
[[gnu::cold]] inline std::string describe_fields(std::span<Field const> fields) {
  std::string result;
  for (auto const& field : fields) {
    if (!result.empty()) result += ", ";
    if (field.name.empty())
      result += text({field.type.size, " bytes"});
    else if (field.type.kind == DataKind::structure)
      result += text({field.name, ": {", describe_fields(field.fields), "}"});
    else
      result += text({field.name, ": ", field.type.name()});
  }
  return result;
}
template <class T>
concept HasFields = requires { element_traits<T>::fields(); };
template <class T>
std::vector<Field> fields_of() {
  if constexpr (HasFields<T>)
    return element_traits<T>::fields();
  else
    return {};
}
/// Throws: MetadataError, if the array's data type is not that of T, or a struct's fields are not those of T.
template <class T, class A>
void expect_element(A const& array) {
  if constexpr (HasFields<T>) {
    auto const expected = element_traits<T>::fields();
    auto const found = array.metadata().fields;
    if (array.type().kind == DataKind::structure && found != expected)
      throw MetadataError{text({"member data_type: found the fields ", describe_fields(found), "; expected ",
                                describe_fields(expected), ", which this program asks for"})};
  }
  expect_type(array.type(), data_type_of<T>());
}
/// Throws: MetadataError.
inline void expect_dimensions(std::size_t found, std::size_t expected) {
  if (found != expected)
    throw MetadataError{text({"member shape: found ", found, " dimensions, expected ", expected,
                              ", which this program asks for"})};
}

}}}  // namespace tessera::v0::detail
