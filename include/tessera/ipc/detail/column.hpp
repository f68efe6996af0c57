// ColumnDescriptor: a table column in published memory: values, a mask of nulls, and child columns; and its JSON, as
// docs/ipc.md has it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/core/value.hpp>
#include <tessera/ipc/descriptor.hpp>

namespace tessera { inline namespace v0 { namespace ipc {

/// Which elements are not null. `bits`: bit i % 8 of byte i / 8 is 1 if element i is not null, as in Arrow; `bytes`: a
/// byte of 1 or 0 for each element. A slice of a column keeps the whole mask, to which the column's offset applies.
struct Mask {
  /// What the mask has for each element: bits or bytes.
  enum class Kind { bits, bytes };
  Kind kind = Kind::bits;  ///< what it has for each element
  Descriptor buffer{};     ///< the mask's memory
  friend bool operator==(Mask const&, Mask const&) = default;
};

/// `schema` is a format string of Arrow's C data interface: "f", "tsn:UTC", "d:38,10", "u", "+l", "+w:3", "+s", "n".
/// `logical` names types for which Arrow has no string: "datetime64[D]". A slice has the buffers of the whole column,
/// and another offset and length.
struct ColumnDescriptor {
  std::string name{};  ///< of the column or field; may be empty
  std::string schema{};
  std::string logical{};
  std::uint64_t length = 0, offset = 0;  ///< in elements
  std::int64_t null_count = -1;          ///< -1: not counted
  std::optional<Mask> mask{};            ///< nullopt: no element is null
  std::optional<Descriptor> data{};     ///< values, or characters
  std::optional<Descriptor> offsets{};  ///< for strings and lists: one more than the number of elements
  std::vector<ColumnDescriptor> children{};  ///< the items of a list, the fields of a struct
  std::vector<ColumnDescriptor> dictionary{};  ///< one, if the values are indices into it; then `schema` is theirs

  /// Throws: SelectionError, if the range does not lie inside.
  ColumnDescriptor slice(std::uint64_t first, std::uint64_t count) const {
    if (first > length || count > length - first)
      throw SelectionError{to_text({"elements ", first, " to ", first + count, " do not lie in a column of ", length})};
    auto part = *this;
    part.offset += first, part.length = count;
    if (count != length) part.null_count = -1;
    return part;
  }
  friend bool operator==(ColumnDescriptor const&, ColumnDescriptor const&) = default;
};

/// The column as a document (docs/ipc.md); `how`: the form of handles.
Value to_value(ColumnDescriptor const& column, Octets how = Octets::base64);
/// Throws: MetadataError, which names the member; IpcError, if the column contradicts itself.
ColumnDescriptor read_column_descriptor(Value const& value);
/// From JSON text. Throws: MetadataError, also if the text is not JSON; IpcError, as read_column_descriptor.
ColumnDescriptor parse_column_descriptor(std::string_view text);
/// As to_value, as JSON text.
std::string to_json(ColumnDescriptor const& column, Octets how = Octets::base64);

}}}  // namespace tessera::v0::ipc

#include <tessera/ipc/detail/column.ipp>
