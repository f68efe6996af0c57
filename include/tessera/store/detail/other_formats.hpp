// Array formats other than Zarr, for messages: names, and programs that read them.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Bytes of a file that suffice to recognise it.
inline constexpr std::size_t first_bytes_of_file = 512;

/// The format of a file that begins so, and programs for it; empty: unknown.
[[gnu::cold]] TESSERA_DECL std::string file_of_other_format(std::string_view first);

struct OtherFormat {
  char const *key, *what;
};
/// The format of a folder that has a value at `key`.
inline constexpr OtherFormat folders_of_other_formats[]{
    {"attributes.json",
     "found attributes.json of N5, which is not Zarr: TensorStore reads it, and zarr-python 2 (N5Store) copies it"},
    {"data.mdb", "found data.mdb of LMDB, which is not Zarr: zarr-python 2 reads it (LMDBStore)"},
    {"repo", "found files of an Icechunk repository: the address of a snapshot ends in |icechunk://branch.main"},
    {"refs/branch.main/ref.json",
     "found files of an Icechunk repository: the address of a snapshot ends in |icechunk://branch.main"}};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/other_formats.ipp>
#endif
