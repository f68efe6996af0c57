// lower_v2_fill, raise_v2_fill: Zarr v2 fill values in v3 form and back (Zarr v2, "Fill value encoding"), with odd
// spellings of other programs.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/numpy_type.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// A word as Python reads numbers: "1.5", "+1.5".
[[gnu::cold]] TESSERA_DECL std::optional<Number> number_in(std::string_view word);

/// The form of read_fill_value. null (any value will do) becomes zero; for times, NaT.
[[gnu::cold]] TESSERA_DECL Value lower_v2_fill(Value const& found, NumpyType const& of);

/// As zarr-python writes it.
[[gnu::cold]] TESSERA_DECL Value raise_v2_fill(std::span<std::byte const> bytes, NumpyType const& of);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/v2_fill.ipp>
#endif
