// A document's codecs compared with a program's list: as_meant, expect_listed, expect_known.
#pragma once
#include <span>
#include <string>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/pipeline/detail/implementations.hpp>

namespace tessera { inline namespace v0 { namespace detail {

using KnownCodecs = std::span<Implementation const>;

inline bool names_sharding(Specification const& codec) { return codec.name == "sharding_indexed"; }

/// "transpose, bytes, zstd": each name once.
TESSERA_DECL std::string codec_names(KnownCodecs known);

/// The codecs under listed names: an alias that is not listed becomes the name that it means. Behind a codec that
/// changes values, zarr-python writes no byte order if the array's own elements have none, and means its machine's,
/// taken as little endian.
TESSERA_DECL std::vector<Specification> as_meant(KnownCodecs known, std::span<Specification const> codecs);

/// Throws: MetadataError naming all codecs that the list lacks, how to list each, and a header that lists all.
[[gnu::cold]] TESSERA_DECL void expect_listed(KnownCodecs known, std::span<Specification const> codecs);

/// The implementation of a listed codec in some space of a pipeline; behind a shard, on the host. Throws:
/// MetadataError, if none runs there.
TESSERA_DECL Implementation const& expect_known(KnownCodecs known, Specification const& codec, bool is_behind);

/// For listed codecs before a shard. Throws: MetadataError naming the first one that changes values.
TESSERA_DECL void expect_values_kept(KnownCodecs known, std::span<Specification const> before);

/// For stored bytes outside host memory. Throws: MetadataError naming the first codec behind a shard.
TESSERA_DECL void refuse_behind_shards(std::span<Specification const> codecs);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/pipeline/detail/listed_codecs.ipp>
#endif
