#pragma once
#include <tessera/array/detail/caller_memory.hpp>

namespace tessera { inline namespace v0 { namespace detail {

[[gnu::noinline]] TESSERA_DECL void refuse_shape(Extents const& found, Extents const& expected) {
  throw SelectionError{to_text({"the memory's shape is ", to_string(found), ", expected ", to_string(expected)})};
}

TESSERA_DECL void refuse_size(std::uint64_t found, std::uint64_t expected) {
  throw SelectionError{to_text({"the memory holds ", found, " elements, expected ", expected})};
}
}}}  // namespace tessera::v0::detail
