// A column of a table in memory that is published: values, a mask of what is null, and columns within it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/ipc/descriptor.hpp>

namespace tessera { inline namespace v0 { namespace ipc {

/// Which elements are not null. `bits`: element i is bit i % 8 of byte i / 8, 1 if it is there, as in Arrow; `bytes`: a
/// byte of 1 or 0 for each. It is never sliced: it is as long as the column was, and the column says its offset.
struct Mask {
  enum class Kind { bits, bytes };
  Kind kind = Kind::bits;
  Descriptor buffer{};
  friend bool operator==(Mask const&, Mask const&) = default;
};

/// `schema` is a format string of Arrow's C data interface: "f", "tsn:UTC", "u", "+l", "+s". `logical` says what Arrow
/// has no string for, "datetime64[D]". A slice has the buffers of the whole, and another offset and length.
struct ColumnDescriptor {
  std::string name{};
  std::string schema{};
  std::string logical{};
  std::uint64_t length = 0, offset = 0;  ///< in elements
  std::int64_t null_count = -1;          ///< -1: nobody counted
  std::optional<Mask> mask{};
  std::optional<Descriptor> data{};     ///< values, or characters
  std::optional<Descriptor> offsets{};  ///< of strings and lists: one more than there are elements
  std::vector<ColumnDescriptor> children{};

  /// Throws: SelectionError, if it does not lie inside.
  ColumnDescriptor slice(std::uint64_t first, std::uint64_t count) const {
    if (first > length || count > length - first)
      throw SelectionError{text({"elements ", first, " to ", first + count, " do not lie in a column of ", length})};
    auto part = *this;
    part.offset += first, part.length = count;
    if (count != length) part.null_count = -1;
    return part;
  }
  friend bool operator==(ColumnDescriptor const&, ColumnDescriptor const&) = default;
};

}}}  // namespace tessera::v0::ipc
