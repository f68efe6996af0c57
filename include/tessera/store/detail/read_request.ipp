#pragma once
#include <tessera/store/detail/read_request.hpp>

#include <cstddef>
#include <optional>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void expect_given(std::optional<std::size_t> found, std::size_t destination, Key const& key) {
  if (found && *found != destination)
    throw StoreError{to_text({"the store returned ", *found, " bytes, but requested memory for ", destination})}.in_key(
        key.path);
}

}}}  // namespace tessera::v0::detail
