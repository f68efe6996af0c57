// Numbers scaled, shifted and masked with NaN by their attributes (CF, "Packed Data", "Missing Data").
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <tessera/array/convert.hpp>

#include "element.hpp"
#include "source.hpp"

namespace cli {

inline constexpr tessera::DataType unpacked_type{tessera::DataKind::floating, sizeof(double)};

/// An array's attributes. Throws: UsageError, if its elements are not numbers; tessera::MetadataError.
tessera::Conversion unpacking_of(Array const& array);

/// Elements of an array, unpacked in double.
std::vector<double> unpacked(std::span<std::byte const> elements, tessera::DataType type,
                             tessera::Conversion const& conversion);

}  // namespace cli
