// PartedTable: a table in parts that lie on several devices, or belong to several processes. Its JSON: docs/ipc.md.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/ipc/attached_column.hpp>
#include <tessera/ipc/detail/column.hpp>
#include <tessera/ipc/detail/parted_table.hpp>

namespace tessera { inline namespace v0 { namespace ipc {

/// The rows of the table are those of its parts, in their order. A part is a struct of columns, or one column, and all
/// of its memory is on one device or on the host.
struct PartedTable {
  std::vector<ColumnDescriptor> parts{};

  /// Rows of all parts. Throws: IpcError, if there are 2^64 or more.
  std::uint64_t length() const { return detail::rows_of(parts); }
  /// The UUID of the device with that part's memory; empty: host memory, or none. Requires: part < parts.size().
  std::string const& device(std::size_t part) const { return detail::device_of(parts[part]); }

  /// Rows `first` to `first + count`: parts without such rows are left out. Throws: SelectionError, if the range does
  /// not lie inside.
  PartedTable slice(std::uint64_t first, std::uint64_t count) const {
    return {detail::slice_of(parts, first, count)};
  }
  friend bool operator==(PartedTable const&, PartedTable const&) = default;
};

/// The table as a document; `how`: the form of handles.
inline Value to_value(PartedTable const& table, Octets how = Octets::base64) {
  Members members;
  detail::add_version(members);
  List parts;
  for (auto const& part : table.parts) parts.push_back(detail::column_value(part, how));
  members.push_back({"parts", Value{std::move(parts)}});
  return members;
}
/// As to_value, as JSON text.
inline std::string to_json(PartedTable const& table, Octets how = Octets::base64) {
  return tessera::to_json(to_value(table, how));
}

/// Throws: MetadataError, which names the member; IpcError, if a part contradicts itself, lies on two devices, or has
/// other types or names than the first.
inline PartedTable read_parted_table(Value const& value) {
  ObjectReader reader{value, ""};
  bool const is_newer = detail::read_version(reader);
  PartedTable table;
  auto const parts = reader.at("parts");
  for (std::size_t i = 0; i < parts.list().size(); ++i)
    table.parts.push_back(detail::read_column(parts.item(i), is_newer));
  if (!is_newer) reader.finish();
  detail::check_parts(table.parts);
  return table;
}
/// From JSON text. Throws: MetadataError, also if the text is not JSON; IpcError, as read_parted_table.
inline PartedTable parse_parted_table(std::string_view text) { return read_parted_table(parse_json(text)); }

/// Each part attached: `attach_parts<space::Device>(table, [&](Descriptor const& buffer, std::size_t part) { return
/// attach(consumer, buffer, queue_of_part[part]); })`, where the queue is of the device that `device(part)` names. For
/// host memory: `consumer.attach(buffer)`. Throws: IpcError, as read_parted_table; exceptions of `attach`.
template <MemorySpace S, class Attach>
std::vector<AttachedColumn<S>> attach_parts(PartedTable const& table, Attach&& attach) {
  detail::check_parts(table.parts);
  std::vector<AttachedColumn<S>> attached;
  attached.reserve(table.parts.size());
  for (std::size_t part = 0; part < table.parts.size(); ++part)
    attached.emplace_back(table.parts[part], [&](Descriptor const& buffer) { return attach(buffer, part); });
  return attached;
}

}}}  // namespace tessera::v0::ipc
