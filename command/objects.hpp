// Elements that vary in size, as in programs.
#pragma once
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "source.hpp"

namespace cli {

/// Strings, or bytes; in C order.
using Objects = std::variant<std::vector<std::string>, std::vector<std::vector<std::byte>>>;
Objects read_objects(Array const& array, tessera::Region const& region, tessera::Traffic& traffic);

}  // namespace cli
