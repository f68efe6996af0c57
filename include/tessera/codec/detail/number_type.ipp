#pragma once
#include <tessera/codec/detail/number_type.hpp>

#include <optional>
#include <string>

#include <tessera/codec/detail/numbers.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/numpy_type.hpp>
#include <tessera/core/object_reader.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL NumpyType read_number_type(MemberValue const& found) {
  std::string name = found.string();
  NumpyType type;
  if (auto const named = data_type_named(name); named && named->kind != DataKind::raw) {
    type.type = *named;
  } else {
    if (!name.empty() && std::string_view{"<>|="}.find(name[0]) == std::string_view::npos)
      name.insert(0, 1, name.back() == '1' ? '|' : '<');
    Value const spelled{name};
    type = read_numpy_type({spelled, found.where()});
  }
  if (!holds_numbers(type.type)) found.refuse("integers, or floating-point numbers");
  return type;
}

TESSERA_DECL std::optional<NumpyType> find_number_type(ObjectReader& configuration, std::string_view member) {
  auto const found = configuration.find(member);
  if (!found || found->value().is_null()) return std::nullopt;
  return read_number_type(*found);
}

TESSERA_DECL void expect_number_type(std::string_view member, std::optional<NumpyType> const& said, DataType found) {
  if (said && said->type != found)
    throw MetadataError{to_text({"member configuration.", member, ": found ", write_numpy_type(*said),
                                 ", expected the elements' type, ", found.name()})};
  if (!holds_numbers(found))
    throw MetadataError{to_text({"found elements of ", found.name(), ", which this codec does not support"})};
}

}}}  // namespace tessera::v0::detail
