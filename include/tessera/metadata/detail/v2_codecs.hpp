// lower_v2_codecs: order, filters and compressor of a Zarr v2 array as v3 codecs: transpose, filters that change
// values, bytes, filters that change bytes, compressor.
#pragma once
#include <cstddef>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/numpy_type.hpp>
#include <tessera/core/object_reader.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// The type of Python objects, named by the first filter, which makes bytes of them. Throws: MetadataError naming the
// filter, if they are neither strings nor bytes.
[[gnu::cold]] TESSERA_DECL NumpyType v2_object_type(ObjectReader& document, MemberValue const& dtype);

/// Does not check whether the program has the codecs. Throws: MetadataError naming the member.
[[gnu::cold]] TESSERA_DECL List lower_v2_codecs(ObjectReader& document, NumpyType type, std::size_t rank);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/v2_codecs.ipp>
#endif
