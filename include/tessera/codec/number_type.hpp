// The types that codecs of numcodecs name in their configuration: NumPy's type strings, and in Zarr v3 NumPy's names.
#pragma once
#include <optional>
#include <string>

#include <tessera/codec/chunk.hpp>
#include <tessera/codec/numbers.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/data_type_named.hpp>
#include <tessera/core/numpy_type.hpp>
#include <tessera/core/reader.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// "<f4", and what NumPy takes for it: "f4", "float32". Throws: MetadataError naming the member, if it is none of
/// numbers.
[[gnu::cold]] inline NumpyType read_number_type(MemberValue const& found) {
  std::string name = found.string();
  NumpyType type;
  if (auto const named = data_type_named(name); named && named->kind != DataKind::raw) {
    type.type = *named;
  } else {
    if (!name.empty() && name[0] != '<' && name[0] != '>' && name[0] != '|')
      name.insert(0, 1, name.back() == '1' ? '|' : '<');
    Value const spelled{name};
    type = read_numpy_type({spelled, found.where()});
  }
  if (!holds_numbers(type.type)) found.refuse("integers, or floating-point numbers");
  return type;
}

/// The member's type; none, if it is not there or null: then it is another one's.
[[gnu::cold]] inline std::optional<NumpyType> find_number_type(ObjectReader& configuration, std::string_view member) {
  auto const found = configuration.find(member);
  if (!found || found->value().is_null()) return std::nullopt;
  return read_number_type(*found);
}

/// Throws: MetadataError, if elements are not of the type that the configuration says, or none of numbers.
inline void expect_number_type(std::string_view member, std::optional<NumpyType> const& said, DataType found) {
  if (said && said->type != found)
    throw MetadataError{text({"member configuration.", member, ": found ", write_numpy_type(*said),
                              ", expected the elements' type, ", found.name()})};
  if (!holds_numbers(found))
    throw MetadataError{text({"found elements of ", found.name(), ", which it does not take"})};
}

}}}  // namespace tessera::v0::detail
