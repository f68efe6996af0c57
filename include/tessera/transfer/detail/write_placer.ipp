#pragma once
#include <tessera/transfer/detail/write_placer.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void put_stored_fill(std::vector<std::byte>& stored, ByteView<space::Host> fill, Layout const& layout) {
  stored.resize(layout.item_size);
  if (!layout.runs.empty()) {
    std::copy_n(fill.data, layout.item_size, stored.begin());
    return swap_components(stored, layout.runs);
  }
  for (std::size_t part = 0; part < layout.item_size; part += layout.swapped)
    std::reverse_copy(fill.data + part, fill.data + part + layout.swapped, stored.data() + part);
}

}}}  // namespace tessera::v0::detail
