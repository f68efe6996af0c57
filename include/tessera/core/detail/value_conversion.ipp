#pragma once
#include <tessera/core/detail/value_conversion.hpp>

#include <string>
#include <string_view>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::string member_named(std::string_view name) { return to_text({"member \"", name, "\""}); }

}}}  // namespace tessera::v0::detail
