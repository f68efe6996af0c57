#pragma once
#include <tessera/metadata/detail/structured.hpp>

#include <bit>
#include <cstddef>
#include <span>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/core/value.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// Calls look(configuration) for the codec `bytes`, also inside shards.
template <class F>
[[gnu::cold]] void visit_bytes_codec(std::span<Specification> codecs, F const& look) {
  for (auto& codec : codecs) {
    if (codec.name == "bytes") look(codec.configuration);
    auto* const members = codec.name == "sharding_indexed" ? codec.configuration.get_if<Members>() : nullptr;
    if (!members) continue;
    for (auto& member : *members) {
      auto* const list = member.name == "codecs" ? member.value.get_if<List>() : nullptr;
      if (!list) continue;
      std::vector<Specification> inner;
      for (auto const& one : *list) inner.push_back(specification({one, "codecs"}));
      visit_bytes_codec(std::span{inner}, look);
      for (std::size_t i = 0; i < inner.size(); ++i) (*list)[i] = tessera::to_value(inner[i]);
    }
  }
}

TESSERA_DECL std::vector<std::byte> in_codec_order(std::vector<std::byte> fill, std::vector<Specification> codecs,
                                                   std::span<Field const> fields) {
  bool is_big = false;
  visit_bytes_codec(std::span{codecs}, [&](Value const& configuration) {
    auto const* const members = configuration.get_if<Members>();
    is_big = members && members->contains("endian") && members->at("endian") == Value{"big"};
  });
  if (is_big != (std::endian::native == std::endian::big)) swap_components(fill, components_of(fields));
  return fill;
}

TESSERA_DECL void name_byte_order(std::span<Specification> codecs, DataType const& type) {
  visit_bytes_codec(codecs, [&](Value& configuration) {
    auto const* const members = configuration.get_if<Members>();
    if (type.component() > 1 && !(members && members->contains("endian")))
      configuration = Members{{"endian", "little"}};
  });
}

}}}  // namespace tessera::v0::detail
