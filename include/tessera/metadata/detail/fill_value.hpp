// read_fill_value, write_fill_value: fill values from JSON to bytes and back (core specification, "Fill value";
// data-types). Decimal text is rounded once, straight to the type.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/metadata/detail/floating_fill.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

std::vector<std::byte> read_structure(MemberValue const& found, DataType type, std::span<Field const> fields);

TESSERA_DECL FloatingType part_of_complex(DataType type);
TESSERA_DECL Value write_integer(std::span<std::byte const> bytes, DataType type);
TESSERA_DECL std::vector<std::byte> read_text(MemberValue const& found);
TESSERA_DECL std::vector<std::byte> read_bytes(MemberValue const& found);

}  // namespace detail

/// One element in native byte order; for a type of variable size, its own bytes. `fields`: of a struct. Throws:
/// MetadataError.
TESSERA_DECL std::vector<std::byte> read_fill_value(MemberValue const& found, DataType type,
                                              std::span<Field const> fields = {});

/// The JSON for the bytes of one element; reading it gives the same bytes.
TESSERA_DECL Value write_fill_value(std::span<std::byte const> bytes, DataType type,
                                    std::span<Field const> fields = {});

namespace detail {

// Of an object with a member per field, or base64 of a packed element.
TESSERA_DECL std::vector<std::byte> read_structure(MemberValue const& found, DataType type,
                                                   std::span<Field const> fields);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/fill_value.ipp>
#endif
