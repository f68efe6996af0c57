// The fields of a struct, contiguous or with holes between them (zarr-extensions, "struct").
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/bounds.hpp>

namespace tessera { inline namespace v0 {

/// One field of a struct, or a hole between fields.
struct Field {
  std::string name;  ///< empty: a hole of raw bytes
  DataType type;     ///< of the field's elements
  std::uint32_t at = 0;         ///< offset in bytes from the start of the enclosing struct
  std::vector<Field> fields{};  ///< if it is a struct

  friend bool operator==(Field const&, Field const&) = default;
};

namespace detail {
TESSERA_DECL std::size_t count_fields(std::span<Field const> fields);

}  // namespace detail

/// Adjacent components of an element that a change of byte order swaps in the same way.
struct ComponentRun {
  std::uint32_t at = 0, size = 0;  ///< bytes: from the start of the element, and of the run
  std::uint32_t swapped = 1;  ///< bytes swapped together; 1: none

  friend bool operator==(ComponentRun const&, ComponentRun const&) = default;
};

namespace detail {

/// The components of a struct with these fields, in as few runs as possible.
TESSERA_DECL std::vector<ComponentRun> components_of(std::span<Field const> fields);

/// Converts an element with these components to the other byte order.
TESSERA_DECL void swap_components(std::span<std::byte> element, std::span<ComponentRun const> runs);

/// The struct of these fields, which must follow each other without gaps.
TESSERA_DECL DataType structure_of(std::span<Field const> fields);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/core/detail/field.ipp>
#endif
