// What `zarr.json` says of a group (core specification, "Group metadata").
#pragma once
#include <tessera/metadata/array_metadata.hpp>

namespace tessera { inline namespace v0 {

struct GroupMetadata {
  Members attributes{};
  Members tolerated{};  ///< members of other programs, kept as they are
  /// Whether it has copies of the documents below, which are not read (array/consolidated.hpp).
  bool has_consolidated = false;
};

/// Throws: MetadataError naming the member.
inline GroupMetadata read_group_metadata(ObjectReader& reader) {
  reader.at("node_type").one_of({"group"});
  GroupMetadata group{detail::read_attributes(reader)};
  auto const copies = reader.find("consolidated_metadata");
  group.has_consolidated = copies && !copies->value().is_null();
  group.tolerated = tolerated(reader);
  return group;
}

/// The document, member for member as zarr-python writes it.
inline Value to_value(GroupMetadata const& group) {
  Members document{{"attributes", group.attributes}, {"zarr_format", Value::integer(3)}, {"node_type", "group"}};
  for (auto const& member : group.tolerated) document.push_back(member);
  return document;
}

}}  // namespace tessera::v0
