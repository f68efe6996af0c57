// to_json: a Value as JSON text, byte for byte as zarr-python writes it.
#pragma once
#include <string>

#include <tessera/core/config.hpp>
#include <tessera/core/value.hpp>

namespace tessera { inline namespace v0 {
/// ASCII, two spaces to a level, members and numbers unchanged. Throws: MetadataError, if a string is not UTF-8, a
/// number is invalid, or lists and objects nest deeper than parse_json reads.
TESSERA_DECL std::string to_json(Value const& value);

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/to_json.ipp>
#endif
