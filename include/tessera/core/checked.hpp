// Arithmetic on numbers that came from a file: an overflow is an error, never a wrap.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>

namespace tessera { inline namespace v0 {

/// Throws: MetadataError naming `what`, if the product does not fit in 64 bits.
inline std::uint64_t checked_product(std::uint64_t a, std::uint64_t b, std::string_view what) {
  if (b != 0 && a > std::numeric_limits<std::uint64_t>::max() / b)
    throw MetadataError{text({what, ": ", a, " times ", b, " does not fit in 64 bits"})};
  return a * b;
}

/// Throws: MetadataError naming `what`, if the number is no possible size of memory here.
inline std::size_t checked_size(std::uint64_t n, std::string_view what) {
  if (n > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()))
    throw MetadataError{text({what, ": ", n, " bytes are more than memory can hold"})};
  return static_cast<std::size_t>(n);
}

}}  // namespace tessera::v0
