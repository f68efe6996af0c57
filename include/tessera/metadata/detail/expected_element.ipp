#pragma once
#include <tessera/metadata/detail/expected_element.hpp>

#include <cstddef>
#include <span>
#include <string>

#include <tessera/core/data_type.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void expect_type(DataType found, DataType expected) {
  if (found != expected)
    throw MetadataError{to_text(
        {"member data_type: found ", found.name(), ", expected ", expected.name(), ", which this program asks for"})};
}

TESSERA_DECL std::string describe_fields(std::span<Field const> fields) {
  std::string result;
  for (auto const& field : fields) {
    if (!result.empty()) result += ", ";
    if (field.name.empty())
      result += to_text({field.type.size, " bytes"});
    else if (field.type.kind == DataKind::structure)
      result += to_text({field.name, ": {", describe_fields(field.fields), "}"});
    else
      result += to_text({field.name, ": ", field.type.name()});
  }
  return result;
}

TESSERA_DECL void expect_dimensions(std::size_t found, std::size_t expected) {
  if (found != expected)
    throw MetadataError{
        to_text({"member shape: found ", found, " dimensions, expected ", expected, ", which this program asks for"})};
}

}}}  // namespace tessera::v0::detail
