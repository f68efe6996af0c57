// Types in the configurations of numcodecs' codecs: NumPy's type strings, and in Zarr v3 NumPy's names.
#pragma once
#include <optional>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/numpy_type.hpp>
#include <tessera/core/object_reader.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// "<f4", and NumPy's equivalents: "f4", "float32". Throws: MetadataError naming the member, if it is not a number
/// type.
[[gnu::cold]] TESSERA_DECL NumpyType read_number_type(MemberValue const& found);

/// The member's type; nullopt, if it is missing or null: then another member's type applies.
[[gnu::cold]] TESSERA_DECL std::optional<NumpyType> find_number_type(ObjectReader& configuration,
                                                                     std::string_view member);

/// Throws: MetadataError, if the elements' type differs from the configuration's, or they are not numbers.
TESSERA_DECL void expect_number_type(std::string_view member, std::optional<NumpyType> const& said, DataType found);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/detail/number_type.ipp>
#endif
