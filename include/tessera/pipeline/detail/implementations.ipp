#pragma once
#include <tessera/pipeline/detail/implementations.hpp>

#include <span>
#include <string_view>

#include <tessera/core/detail/first_of.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL bool is_encoded_by_any(std::span<Implementation const> known, std::string_view name) {
  return first_of(known, [&](Implementation const& by) { return by.name == name && by.encodes; }) != nullptr;
}

TESSERA_DECL Implementation const* implementation_of(std::span<Implementation const> known, std::string_view name) {
  return first_of(known, [&](Implementation const& by) { return by.name == name; });
}

}}}  // namespace tessera::v0::detail
