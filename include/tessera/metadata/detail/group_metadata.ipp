#pragma once
#include <tessera/metadata/group_metadata.hpp>

#include <tessera/core/object_reader.hpp>
#include <tessera/metadata/detail/document.hpp>
#include <tessera/metadata/detail/node_members.hpp>
#include <tessera/metadata/format.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL GroupMetadata read_group_metadata(ObjectReader& reader) {
  reader.at("node_type").one_of({"group"});
  GroupMetadata group;
  group.broken_attributes = detail::broken_attributes(reader);
  if (group.broken_attributes.empty()) group.attributes = detail::read_attributes(reader);
  group.format = detail::read_format(reader);
  auto const copies = reader.find("consolidated_metadata");
  group.has_consolidated = copies && !copies->value().is_null();
  group.tolerated = tolerated(reader);
  return group;
}

TESSERA_DECL Value to_value(GroupMetadata const& group) {
  detail::expect_attributes(group.broken_attributes);
  Members document{{"attributes", group.attributes},
                   {"zarr_format", Value::integer(static_cast<int>(group.format))},
                   {"node_type", "group"}};
  for (auto const& member : group.tolerated) document.push_back(member);
  return document;
}

}}  // namespace tessera::v0
