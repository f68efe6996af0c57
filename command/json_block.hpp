// The elements of a .json file, of a type that is known.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/metadata/detail/fill_value.hpp>

#include "json_file.hpp"

namespace cli {

/// In C order. `read` writes each element: strings and bytes as texts, the others as in a fill value of a document.
struct JsonBlock {
  tessera::Extents shape;
  std::vector<std::string> texts;   ///< of a type whose elements vary in size
  std::vector<std::byte> elements;  ///< of any other
};

/// Throws: tessera::StoreError naming the file.
inline JsonBlock read_json_block(std::string const& path, tessera::DataType type,
                                 std::span<tessera::Field const> fields) {
  JsonFile const file{path, type.kind == tessera::DataKind::complex};
  JsonBlock block{file.shape(), {}, {}};
  file.for_each([&](tessera::Value const& value) {
    tessera::MemberValue const element{value, "element"};
    if (type.varies()) return block.texts.push_back(element.string());
    auto const bytes = tessera::read_fill_value(element, type, fields);
    block.elements.insert(block.elements.end(), bytes.begin(), bytes.end());
  });
  return block;
}

}  // namespace cli
