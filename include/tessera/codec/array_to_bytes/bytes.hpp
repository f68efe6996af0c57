// bytes: the elements of a chunk one after the other, in C order (specification: codecs/bytes).
#pragma once
#include <bit>
#include <cstddef>
#include <optional>
#include <string_view>

#include <tessera/codec/concept.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `endian`, "little" or "big"; required if an element's components have more than one byte. It never
/// runs: placing reads elements through its layout.
struct Bytes {
  using kind = array_to_bytes;
  static constexpr std::string_view name = "bytes";
  template <class S>
  static constexpr bool runs_in = true;

  std::optional<std::endian> endian = std::endian::little;

  static Bytes from(ObjectReader& configuration) {
    auto const found = configuration.find("endian");
    if (!found) return {std::nullopt};
    return {found->one_of({"little", "big"}) == "little" ? std::endian::little : std::endian::big};
  }
  Value configuration() const {
    if (!endian) return Members{};
    return Members{{"endian", *endian == std::endian::little ? "little" : "big"}};
  }

  /// As zarr-python writes it: without a byte order where there is none.
  Bytes fitted(DataType type) const { return type.component() > 1 ? *this : Bytes{std::nullopt}; }

  Layout layout(ChunkSpecification const& chunk) const {
    if (chunk.type.varies())
      throw MetadataError{"elements of " + chunk.type.name() +
                          " vary in size: vlen-utf8 takes strings, vlen-bytes bytes"};
    auto result = Layout::c_order(chunk.shape, chunk.type.size);
    auto const component = chunk.type.component();
    if (component > 1 && !endian)
      throw MetadataError{"member configuration.endian is missing: " + chunk.type.name() + " has a byte order"};
    if (component > 1 && *endian != std::endian::native) {
      result.swapped = component;
      if (chunk.components.size() > 1) result.runs = chunk.components;
    }
    return result;
  }
};

}  // namespace codec
}}  // namespace tessera::v0
