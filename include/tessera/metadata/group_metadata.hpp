// What `zarr.json` says of a group (core specification, "Group metadata").
#pragma once
#include <tessera/metadata/array_metadata.hpp>

namespace tessera::inline v0 {

struct GroupMetadata {
  Value attributes = Members{};
};

/// Throws: MetadataError naming the member.
inline GroupMetadata read_group_metadata(Reader& reader) {
  reader.at("node_type").one_of({"group"});
  GroupMetadata group{detail::read_attributes(reader)};
  (void)reader.find("consolidated_metadata");  // a copy of the nodes' own documents, which are read instead
  refuse_unknown(reader);
  return group;
}

}  // namespace tessera::inline v0
