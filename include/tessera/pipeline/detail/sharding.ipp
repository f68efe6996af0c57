#pragma once
#include <tessera/pipeline/sharding.hpp>

#include <cstddef>
#include <vector>

#include <tessera/codec/array_to_array/transpose.hpp>
#include <tessera/codec/array_to_bytes/bytes.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.hpp>
#include <tessera/core/detail/bounds.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::vector<Specification> specifications(MemberValue const& codecs) {
  std::vector<Specification> list;
  auto const size = codecs.list(bounds::codecs, "codecs").size();
  for (std::size_t i = 0; i < size; ++i) list.push_back(specification(codecs.item(i)));
  return list;
}

TESSERA_DECL Value to_value(std::vector<Specification> const& codecs) {
  List list;
  for (auto const& codec : codecs) list.push_back(tessera::to_value(codec));
  return list;
}

TESSERA_DECL void expect_fixed_size(MemberValue const& found) {
  for (auto const& codec : specifications(found))
    if (codec.name != codec::Transpose::name && codec.name != codec::Bytes::name && codec.name != codec::Crc32c::name)
      throw MetadataError{to_text({"codec ", describe(codec.name), " in index_codecs"}),
                          to_text({"member ", found.where(), ": found ", describe(codec.name),
                                   ", expected codecs of fixed encoded size: transpose, bytes, crc32c"})};
}

}}}  // namespace tessera::v0::detail
