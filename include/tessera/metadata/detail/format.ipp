#pragma once
#include <tessera/metadata/detail/format.hpp>

#include <string>
#include <string_view>

#include <tessera/key/key.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL Key document_key(std::string_view path, ZarrFormat format, NodeType type) {
  return path / (format == ZarrFormat::v3 ? "zarr.json" : type == NodeType::array ? ".zarray" : ".zgroup");
}

namespace detail {

TESSERA_DECL bool is_format(Value const& said, char const* digit) {
  auto const* const number = said.get_if<Number>();
  auto const* const word = said.get_if<std::string>();
  return number ? number->text == digit : word && *word == digit;
}

TESSERA_DECL bool makes_node(std::string_view key) {
  auto const name = key.substr(key.rfind('/') + 1);
  return name == "zarr.json" || name == ".zarray" || name == ".zgroup";
}

TESSERA_DECL bool is_document(std::string_view key) {
  auto const name = key.substr(key.rfind('/') + 1);
  return makes_node(key) || has_copies(key) || name == ".zattrs";
}

}  // namespace detail

}}  // namespace tessera::v0
