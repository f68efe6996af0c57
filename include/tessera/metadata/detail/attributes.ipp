#pragma once
#include <tessera/metadata/attributes.hpp>

#include <tessera/core/object_reader.hpp>
#include <tessera/metadata/detail/node_members.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL Members attributes_of(Members const& document) {
  Value const value{document};
  ObjectReader reader{value, ""};
  return read_attributes(reader);
}

}}}  // namespace tessera::v0::detail
