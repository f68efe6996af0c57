// NumPy's type strings, as in Zarr v2 and the codecs of numcodecs: "<f8" (Zarr v2, "Data type encoding").
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/bounds.hpp>
#include <tessera/core/object_reader.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct NumpyType {
  DataType type;
  bool is_big = false;          ///< the byte order, if it has a meaning
  std::vector<Field> fields{};  ///< of a struct
};

[[noreturn, gnu::cold]] TESSERA_DECL void refuse_numpy_type(MemberValue const& found, std::string_view why);

NumpyType read_numpy_fields(MemberValue const& found);

/// Reads a type string, or the list of fields of a structured type. Throws: MetadataError naming the member, if it is
/// neither, or tessera does not support the type.
[[gnu::cold]] TESSERA_DECL NumpyType read_numpy_type(MemberValue const& found);

/// Reads [["a", "<i4"], ["", "|V3"], ["b", [["x", "<f4"]]]]. A field without a name is a hole; a name may be a list of
/// title and name. Throws: MetadataError, if the fields differ in byte order.
[[gnu::cold]] TESSERA_DECL NumpyType read_numpy_fields(MemberValue const& found);

/// The type string that read_numpy_type reads as `of`. Throws: MetadataError, if none exists.
[[gnu::cold]] TESSERA_DECL std::string write_numpy_type(NumpyType const& of);

/// The type string, or the list of fields of a structured type.
[[gnu::cold]] TESSERA_DECL Value numpy_type_value(NumpyType const& of);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/core/detail/numpy_type.ipp>
#endif
