#pragma once
#include <tessera/store/detail/other_formats.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::string file_of_other_format(std::string_view first) {
  using namespace std::string_view_literals;
  struct Known {
    std::size_t at;
    std::string_view bytes, what;
  };
  constexpr Known all[]{
      {0, "PK\3\4"sv, "a zip file, expected a folder: unpack it, or read it as a ZipStore of <tessera/with/zip.hpp>"sv},
      {0, "PK\5\6"sv, "a zip file, expected a folder: it is empty"sv},
      {0, "\x89HDF\r\n\x1a\n"sv,
       "an HDF5 file (netCDF-4 is HDF5), expected a folder: h5py reads it, and xarray's to_zarr converts it to Zarr"sv},
      {0, "CDF\1"sv, "a netCDF-3 file, expected a folder: xarray's open_dataset and to_zarr convert it to Zarr"sv},
      {0, "CDF\2"sv, "a netCDF-3 file, expected a folder: xarray's open_dataset and to_zarr convert it to Zarr"sv},
      {0, "CDF\5"sv, "a netCDF-3 file, expected a folder: xarray's open_dataset and to_zarr convert it to Zarr"sv},
      {0, "SQLite format 3\0"sv, "an SQLite file, expected a folder: zarr-python 2 reads it (SQLiteStore)"sv},
      {16, "\xde\xc0\xef\xbe"sv, "an LMDB file, expected a folder: zarr-python 2 reads it (LMDBStore)"sv}};
  for (auto const& one : all)
    if (first.substr(first.size() < one.at ? first.size() : one.at).starts_with(one.bytes))
      return std::string{one.what};
  bool const is_object = first.substr(0, first.find('"')).find('{') != first.npos;
  if (is_object && (first.find("\"refs\"") != first.npos || first.find("\".zgroup\"") != first.npos))
    return "kerchunk references, expected a folder: xarray and fsspec (reference://) read the data they refer to";
  return {};
}

}}}  // namespace tessera::v0::detail
