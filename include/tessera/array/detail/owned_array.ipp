#pragma once
#include <tessera/array/owned_array.hpp>

#include <cstddef>
#include <cstdint>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void expect_inside(Extents const& shape, Strides const& index) {
  bool is_inside = index.rank() == shape.rank();
  for (std::size_t d = 0; is_inside && d < shape.rank(); ++d)
    is_inside = index[d] >= 0 && static_cast<std::uint64_t>(index[d]) < shape[d];
  if (!is_inside)
    throw SelectionError{to_text({"element ", to_string(index), " lies outside of the shape ", to_string(shape)})};
}

TESSERA_DECL void expect_inside(Extents const& shape, Extents const& index) {
  Strides same;
  for (auto n : index) same.push_back(static_cast<std::int64_t>(n));
  expect_inside(shape, same);
}

}}}  // namespace tessera::v0::detail
