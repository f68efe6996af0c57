// parse_json: JSON text to a Value (RFC 8259), without recursion and with bounded memory for hostile text. to_json: a
// Value as JSON text, byte for byte as zarr-python writes it.
#pragma once
#include <string>
#include <string_view>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/value.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  ///< of UTF-8

}  // namespace detail

/// Numbers keep their text, `NaN`, `Infinity` and `-Infinity` included. A UTF-8 byte order mark is skipped. Throws:
/// MetadataError, if the text is not one JSON value, repeats a member name, nests too deep or has too many values.
TESSERA_DECL Value parse_json(std::string_view text);

/// ASCII, two spaces to a level, members and numbers unchanged. Throws: MetadataError, if a string is not UTF-8, a
/// number is invalid, or lists and objects nest deeper than parse_json reads.
TESSERA_DECL std::string to_json(Value const& value);

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/json.ipp>
#endif
