#pragma once
#include <tessera/core/detail/checked.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL std::uint64_t checked_product(std::uint64_t a, std::uint64_t b, std::string_view what) {
  if (b != 0 && a > std::numeric_limits<std::uint64_t>::max() / b)
    throw MetadataError{to_text({what, ": ", a, " times ", b, " does not fit in 64 bits"})};
  return a * b;
}

TESSERA_DECL std::size_t checked_size(std::uint64_t n, std::string_view what) {
  if (n > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()))
    throw MetadataError{to_text({what, ": ", n, " bytes exceed the address space"})};
  return static_cast<std::size_t>(n);
}

}}  // namespace tessera::v0
