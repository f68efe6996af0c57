#pragma once
#include <tessera/view/box.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 { namespace detail {

[[gnu::noinline]] TESSERA_DECL void refuse_slice(Slice const& slice, std::size_t d, std::uint64_t length,
                                                 std::string_view what) {
  throw SelectionError{to_text({"dimension ", d, ": found ", what, slice.first, ":", slice.stop, ":", slice.step,
                                ", expected first <= stop <= ", length, " and a step of at least 1"})};
}

}  // namespace detail

TESSERA_DECL Region Box::resolve(Extents const& shape, std::string_view what) const {
  Region region;
  for_each_dimension(
      shape, [&](std::size_t, Steps const& steps) { region.push_back(steps); }, what);
  return region;
}

}}  // namespace tessera::v0
