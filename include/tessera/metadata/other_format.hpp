// What the other format of Zarr says of a node whose chunks stay as they are stored.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/codec/aliases.hpp>
#include <tessera/metadata/array_metadata.hpp>
#include <tessera/metadata/group_metadata.hpp>
#include <tessera/metadata/new_documents.hpp>
#include <tessera/metadata/v2_raise.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

[[noreturn]] inline void refuse_member(std::string_view member, std::string_view problem) {
  throw MetadataError{
      text({"member ", member, ": ", problem,
            "; a copy of the array can be of the other format (tessera copy --zarr-format), where it is "
            "encoded anew"})};
}

inline void expect_no_others(Members const& tolerated) {
  for (auto const& member : tolerated) refuse_member(member.name, "Zarr v2 has no place for it");
}

inline std::vector<std::string> names_of_codecs(ArrayMetadata const& array) {
  std::vector<std::string> names;
  for (auto const& codec : array.codecs)
    if (codec.name != "transpose") names.emplace_back(usual_name(codec.name));  // of one dimension it may go
  return names;
}

/// Throws: MetadataError naming the member that Zarr v2 has no words for.
[[gnu::cold]] inline ArrayMetadata stored_as_v2(ArrayMetadata const& array) {
  expect_no_others(array.tolerated);
  if (!array.storage_transformers.empty()) refuse_member("storage_transformers", "Zarr v2 has none");
  if (!array.edges.empty()) refuse_member("chunk_grid", "found \"rectilinear\", expected \"regular\"");
  if (!array.key_encoding.v2)
    refuse_member("chunk_key_encoding", "found \"default\", expected \"v2\", the keys by which Zarr v2 finds chunks");
  auto const lowered = [&] {
    try {
      return as_v2(array);
    } catch (MetadataError const& error) {
      refuse_member(error.unsupported().starts_with("data type") ? "data_type" : "codecs", error.what());
    }
  }();
  if (names_of_codecs(lowered) != names_of_codecs(array))
    refuse_member("codecs", "Zarr v2 has no words for codecs in this order");
  if (lowered.fill != array.fill) refuse_member("fill_value", "Zarr v2 has no words for these bits of a NaN");
  if (!array.dimension_names.empty() && lowered.dimension_names != array.dimension_names)
    refuse_member("dimension_names", "the attribute _ARRAY_DIMENSIONS, where Zarr v2 has them, says something else");
  return lowered;
}

/// Throws: MetadataError naming the member that Zarr v3 has no words for.
[[gnu::cold]] inline ArrayMetadata stored_as_v3(ArrayMetadata array) {
  array.format = ZarrFormat::v3;
  auto const document = to_value(array);
  ObjectReader reader{document, ""};
  (void)reader.at("zarr_format");
  if (read_array_metadata(reader).fill != array.fill)
    refuse_member("fill_value", "Zarr v3 has no words for these bytes of a field");
  return array;
}

/// The same array in the other format, or in its own. Throws: MetadataError naming the member that stands in the way.
inline ArrayMetadata stored_as(ArrayMetadata const& array, ZarrFormat format) {
  if (array.format == format) return array;
  return format == ZarrFormat::v2 ? stored_as_v2(array) : stored_as_v3(array);
}
inline GroupMetadata stored_as(GroupMetadata group, ZarrFormat format) {
  if (group.format != format && format == ZarrFormat::v2) expect_no_others(group.tolerated);
  group.format = format;
  return group;
}

}  // namespace detail
}}  // namespace tessera::v0
