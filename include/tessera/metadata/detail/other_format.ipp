#pragma once
#include <tessera/metadata/detail/other_format.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/codec/detail/aliases.hpp>
#include <tessera/metadata/detail/missing_numbers.hpp>
#include <tessera/metadata/detail/new_documents.hpp>
#include <tessera/metadata/documents.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void refuse_member(std::string_view member, std::string_view problem) {
  throw MetadataError{to_text({"member ", member, ": ", problem,
                               "; a copy of the array, which is encoded again, can have the other format (tessera copy "
                               "--zarr-format)"})};
}

TESSERA_DECL void expect_no_others(Members const& tolerated) {
  for (auto const& member : tolerated) refuse_member(member.name, "Zarr v2 has no place for it");
}

TESSERA_DECL std::vector<std::string> names_of_codecs(ArrayMetadata const& array) {
  std::vector<std::string> names;
  for (auto const& codec : array.codecs)
    if (codec.name != "transpose") names.emplace_back(usual_name(codec.name));  // with one dimension, v2 drops it
  return names;
}

/// Throws: MetadataError naming the member that Zarr v2 cannot express.
[[gnu::cold]] TESSERA_DECL ArrayMetadata stored_as_v2(ArrayMetadata const& given) {
  expect_no_others(given.tolerated);
  if (!given.storage_transformers.empty()) refuse_member("storage_transformers", "Zarr v2 has none");
  if (!given.edges.empty()) refuse_member("chunk_grid", "found \"rectilinear\", expected \"regular\"");
  if (!given.key_encoding.v2)
    refuse_member("chunk_key_encoding", "found \"default\", expected \"v2\", the chunk keys of Zarr v2");
  auto const array = missing_in_format(given, ZarrFormat::v2);
  auto const lowered = [&] {
    try {
      return as_v2(array);
    } catch (MetadataError const& error) {
      refuse_member(error.unsupported().starts_with("data type") ? "data_type" : "codecs", error.what());
    }
  }();
  if (names_of_codecs(lowered) != names_of_codecs(array))
    refuse_member("codecs", "Zarr v2 cannot express codecs in this order");
  if (lowered.fill != array.fill) refuse_member("fill_value", "Zarr v2 cannot express these bits of a NaN");
  if (!array.dimension_names.empty() && lowered.dimension_names != array.dimension_names)
    refuse_member("dimension_names", "the attribute _ARRAY_DIMENSIONS, where Zarr v2 stores them, has another value");
  return lowered;
}

/// Throws: MetadataError naming the member that Zarr v3 cannot express.
[[gnu::cold]] TESSERA_DECL ArrayMetadata stored_as_v3(ArrayMetadata array) {
  array = missing_in_format(std::move(array), ZarrFormat::v3);
  array.format = ZarrFormat::v3;
  auto const document = to_value(array);
  ObjectReader reader{document, ""};
  (void)reader.at("zarr_format");
  if (read_array_metadata(reader).fill != array.fill)
    refuse_member("fill_value", "Zarr v3 cannot express these bytes of a field");
  return array;
}

TESSERA_DECL ArrayMetadata stored_as(ArrayMetadata const& array, ZarrFormat format) {
  if (array.format == format) return array;
  return format == ZarrFormat::v2 ? stored_as_v2(array) : stored_as_v3(array);
}

TESSERA_DECL GroupMetadata stored_as(GroupMetadata group, ZarrFormat format) {
  if (group.format != format && format == ZarrFormat::v2) expect_no_others(group.tolerated);
  group.format = format;
  return group;
}

}}}  // namespace tessera::v0::detail
