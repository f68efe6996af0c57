// What `zarr.json` says of a group (core specification, "Group metadata").
#pragma once
#include <utility>

#include <tessera/core/reader.hpp>
#include <tessera/metadata/document.hpp>
#include <tessera/metadata/format.hpp>
#include <tessera/metadata/node_members.hpp>

namespace tessera { inline namespace v0 {

struct GroupMetadata {
  Members attributes{};
  Members tolerated{};  ///< members of other programs, kept as they are
  /// Whether it has copies of the documents below, which are not read (array/consolidated.hpp).
  bool has_consolidated = false;
  ZarrFormat format = ZarrFormat::v3;  ///< of its documents
};

/// Throws: MetadataError naming the member.
inline GroupMetadata read_group_metadata(ObjectReader& reader) {
  reader.at("node_type").one_of({"group"});
  GroupMetadata group{detail::read_attributes(reader)};
  group.format = detail::read_format(reader);
  auto const copies = reader.find("consolidated_metadata");
  group.has_consolidated = copies && !copies->value().is_null();
  group.tolerated = tolerated(reader);
  return group;
}

/// The document of v3, member for member as zarr-python writes it; of a group of Zarr v2, as read_document gives it.
inline Value to_value(GroupMetadata const& group) {
  Members document{{"attributes", group.attributes},
                   {"zarr_format", Value::integer(static_cast<int>(group.format))},
                   {"node_type", "group"}};
  for (auto const& member : group.tolerated) document.push_back(member);
  return document;
}

}}  // namespace tessera::v0
