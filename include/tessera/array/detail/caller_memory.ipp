#pragma once
#include <tessera/array/detail/caller_memory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

[[gnu::noinline]] TESSERA_DECL void refuse_shape(Extents const& found, Extents const& expected) {
  throw SelectionError{to_text({"the memory's shape is ", to_string(found), ", expected ", to_string(expected)})};
}

TESSERA_DECL void expect_apart(Extents const& shape, Strides const& strides) {
  if (std::ranges::find(shape, std::uint64_t{0}) != shape.end()) return;  // no elements: strides may be any
  for (std::size_t d = 0; d < shape.rank(); ++d)
    if (strides[d] == 0 && shape[d] > 1)
      throw SelectionError{to_text({"the memory's stride along dimension ", d,
                                    " is 0, expected elements apart: ArrayView::c_order(data, shape) views "
                                    "contiguous memory"})};
}

TESSERA_DECL void refuse_size(std::uint64_t found, std::uint64_t expected) {
  throw SelectionError{to_text({"the memory holds ", found, " elements, expected ", expected})};
}
}}}  // namespace tessera::v0::detail
