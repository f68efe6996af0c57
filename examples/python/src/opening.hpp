// Arrays opened and made, without the interpreter's lock; the codecs are compiled where these are defined.
#pragma once
#include <string>

#include "module.hpp"

namespace python {

Array open_array(Store const& store, std::string const& path);
/// By the group's consolidated metadata, if it has any.
Array open_array(tessera::Group<Store> const& group, std::string const& name);
/// `json` is the array's zarr.json.
Array create_array(Store const& store, std::string const& path, std::string const& json, bool overwrite);
/// Reads nothing: `metadata` is what the store would have.
Array array_of(Store const& store, std::string const& path, tessera::ArrayMetadata metadata);

/// Of the codecs that arrays may have: "transpose, bytes, zstd".
std::string codec_names();

}  // namespace python
