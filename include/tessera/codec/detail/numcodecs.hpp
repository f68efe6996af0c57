// lower_numcodecs, in_usual_words: configurations of numcodecs' codecs that Zarr v3 has under its own names. Documents
// of Zarr v2 use numcodecs' ids, those of v3 put "numcodecs." before them.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include <tessera/core/config.hpp>
#include <tessera/core/object_reader.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// 9 for "9", as NCZarr has written levels.
[[gnu::cold]] TESSERA_DECL Value without_quotes_of_integers(Value const& found);

/// The v3 entry equivalent to "blosc", "gzip", "zstd" or "crc32c" of numcodecs; nullopt: v3 has no equivalent codec.
/// Missing members have numcodecs' defaults. `size`: bytes of an element that reaches the codec. Throws: MetadataError
/// naming the member.
[[gnu::cold]] TESSERA_DECL std::optional<Specification> lower_numcodecs(std::string_view id, ObjectReader& found,
                                                                  std::size_t size);

/// The entry under tessera's name, with tessera's configuration. An entry without an alias is unchanged. For numcodecs'
/// codecs in Zarr v3 an element is one byte, as in zarr-python. Throws: MetadataError.
[[gnu::cold]] TESSERA_DECL Specification in_usual_words(Specification const& given);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/detail/numcodecs.ipp>
#endif
